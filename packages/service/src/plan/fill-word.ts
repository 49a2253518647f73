import { currencies, currencyCodes, languages } from './nations.js'
import type { Found } from './quotes.js'
import type { Picked, Scene } from './scene.js'
import { free, pickListed, standsAlone, widen } from './scene.js'
import type { Slot } from './slots.js'
import { toConcepts } from './words.js'

/** Chooses a language the clause names; as a code when the slot asks for one. */
export function pickLanguage(slot: Slot, scene: Scene): Picked | undefined {
  const mentions = findWords(scene, /\p{L}+/gu, (word) =>
    Object.hasOwn(languages, word.toLowerCase()) ? word : undefined,
  )
  const asCode = /\b(?:code|iso)\b/i.test(`${slot.words} ${slot.schema.description}`)
  const one = byRole(slot, mentions, scene)
  const value = asCode && one ? languages[one.value.toLowerCase()] : one?.value
  return one && { value, spans: [widen(one, scene.reading.text)] }
}

/** Chooses a currency the clause names, as its code. */
export function pickCurrency(slot: Slot, scene: Scene): Picked | undefined {
  const mentions = findWords(scene, currencyWord, (word) => {
    const name = word.toLowerCase().replace(/s$/, '')
    if (currencyCodes.has(word)) return word
    return Object.hasOwn(currencies, name) ? currencies[name] : undefined
  })
  const one = byRole(slot, mentions, scene)
  return one && { value: one.value, spans: [widen(one, scene.reading.text)] }
}

/** Chooses an id or a code: the one behind its noun ("order A-1042"), else the only one there is. Invents none. */
export function pickCode(slot: Slot, scene: Scene): Picked | undefined {
  const { reading, tool } = scene
  const codes = free(scene, reading.codes).filter((code) => standsAlone(code, reading))
  const behind = (nouns: ReadonlySet<string>) =>
    codes.find(({ start }) =>
      [...toConcepts(nounBefore(reading.masked, start))].some((one) => nouns.has(one)),
    )
  const named = behind(slot.nameConcepts) ?? behind(tool.nameConcepts)
  const code =
    named ??
    (codes.length === 1 ? codes.find(({ value }) => slot.required || /[A-Z#]/.test(value)) : undefined)
  if (!code) return undefined
  const picked = pickListed(code, codes, reading.text)
  const bare = (value: unknown) => String(value).replace(/^#/, '')
  return {
    ...picked,
    value: bare(code.value),
    ...(picked.alternatives && { alternatives: picked.alternatives.map(bare) }),
  }
}

// "Order number A-1042": the noun that a code belongs to.
function nounBefore(masked: string, start: number): string {
  const before = masked
    .slice(Math.max(0, start - 80), start)
    .replace(/(?:\b(?:numbers?|no\.?|ids?|code|with|is|nr\.?)|[#:])\s*$/i, '')
  return /[\p{L}]+(?=\s*$)/u.exec(before)?.[0] ?? ''
}

const currencyWord =
  /[$€£¥]|\b(?:(?:us|british|japanese|swiss|canadian|australian|swedish|norwegian|danish|indian|mexican)\s+)?\p{L}{3,8}\b/giu

function findWords(
  scene: Scene,
  pattern: RegExp,
  read: (word: string) => string | undefined,
): Found<string>[] {
  const found = [...scene.reading.masked.matchAll(pattern)].flatMap((match) => {
    const value = read(match[0])
    return value === undefined ? [] : [{ value, start: match.index, end: match.index + match[0].length }]
  })
  return free(scene, found)
}

// "from X" and "to X" decide; without them the first mention is where one comes from.
function byRole(
  { role }: Slot,
  mentions: readonly Found<string>[],
  { reading }: Scene,
): Found<string> | undefined {
  const leads = (pattern: RegExp) =>
    mentions.find(({ start }) => pattern.test(reading.masked.slice(0, start)))
  const target = leads(/\b(?:to|into|in)\s+(?:the\s+)?$/i)
  if (role === 'to') return target ?? (mentions.length > 1 ? mentions.at(-1) : undefined)
  if (role === 'from')
    return leads(/\bfrom\s+(?:the\s+)?$/i) ?? mentions.find((mention) => mention !== target)
  return target ?? mentions[0]
}
