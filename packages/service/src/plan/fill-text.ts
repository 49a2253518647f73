import {
  type FillContext,
  free,
  isIndependentNumber,
  type Picked,
  pickListed,
  widen,
  withTopic,
} from './fill-context.js'
import { currencies, currencyCodes, languages } from './nations.js'
import { namesToolOnly, toRemainder } from './references.js'
import type { Slot } from './slots.js'
import type { Found } from './spans.js'
import { toConcepts } from './words.js'

/**
 * Chooses a text that the clause introduces for this slot: `called "Lunch"`, `saying that ...`, `by the
 * Beatles`.
 */
export function pickAnnounced(slot: Slot, context: FillContext): Picked | undefined {
  for (const { cue, until } of cuesOf(slot)) {
    const match = cue.exec(context.reading.masked)
    if (!match) continue
    const [text] = free(context, [forwardFrom(match.index + match[0].length, until, context)])
    if (text && text.value !== '')
      return { value: text.value, spans: [{ start: match.index, end: text.end }] }
  }
  return slot.role ? pickBehindRole(slot, context) : pickContainer(slot, context)
}

/** Chooses the remainder: a quotation, else the subject of the clause with its references resolved. */
export function pickRest(slot: Slot, context: FillContext): Picked | undefined {
  const { reading } = context
  const quotes = free(context, reading.quotes)
  if (quotes[0]) return pickListed(quotes[0], quotes, reading.text)
  if (!isMainText(slot, context)) return undefined
  const [name] = /\bname of\b/i.test(String(slot.schema.description)) ? free(context, reading.names) : []
  if (name) return pickListed(name, free(context, reading.names), reading.text)
  const left = toRemainder(context)
  const text = context.topic
    ? withTopic(left, context.topic, context.tool)
    : namesToolOnly(left, context.tool)
      ? ''
      : left
  return text === '' ? undefined : { value: text, spans: [] }
}

/**
 * Whether this slot takes the subject of the whole clause: the first required text, else the first by its
 * name.
 */
function isMainText(slot: Slot, { tool }: FillContext): boolean {
  const texts = tool.slots.filter(({ kind }) => kind === 'text')
  const main = texts.find(({ required }) => required) ?? texts.find(({ words }) => mainNames.test(words))
  return slot.required || slot.name === main?.name
}

const mainNames =
  /^(?:prompt|query|q|text|input|content|message|question|title|topic|task|body|request|instructions?)$/

interface Cue {
  readonly cue: RegExp
  /** The end of the introduced text. */
  readonly until: RegExp
}

const phraseEnd = /,|\s+(?:saying|that says|with|called|titled|by|and (?:the|with))\b|$/i
const wordEnd = /[\s,]|$/
const containers = 'wav|pcm|mp3|ogg|opus|flac|aac|png|jpe?g|webp|gif|svg|pdf|csv|json|html|markdown'

const cues: readonly (Cue & { readonly names: RegExp })[] = [
  {
    names: /\b(?:title|name|label|subject|summary)\b/,
    cue: /\b(?:called|named|titled|entitled|labell?ed)\s+/i,
    until: phraseEnd,
  },
  {
    names: /\b(?:body|message|text|content|comment)\b/,
    cue: /\b(?:saying|that says?|which says|reading|with the (?:text|message|words)|that(?=\s+\S+\s+\S))\s*:?\s+(?:that\s+)?/i,
    until: /$/,
  },
  {
    names: /\b(?:subject|topic|query|question|keywords?|about)\b/,
    cue: /\b(?:about|regarding|concerning)\s+/i,
    until: phraseEnd,
  },
  { names: /\b(?:artist|author|writer|composer|singer)\b/, cue: /\bby\s+/i, until: phraseEnd },
  {
    names: /\b(?:reason|cause|why|justification)\b/,
    cue: /\b(?:because(?: of)?|due to|the reason is|since)\s+/i,
    until: /$/,
  },
  {
    names: /\bformat\b/,
    cue: new RegExp(`\\b(?:as|in)\\s+(?:an?\\s+)?(?=(?:${containers})\\b)`, 'i'),
    until: wordEnd,
  },
]

// The name of a slot introduces its text too ("priority urgent"), unless it is a word like "text" or
// "message".
function cuesOf({ words, role }: Slot): Cue[] {
  const fitting = cues.filter(({ names }) => names.test(words))
  const plain = words.replace(/[^\w ]/g, '')
  if (role || plain.length < 2 || mainNames.test(words)) return fitting
  const own = new RegExp(`\\b(?:with |in |and )?(?:the |a )?${plain}(?:\\s+(?:is|of|to)|:)?\\s+(?=\\S)`, 'i')
  return [{ cue: own, until: /^(?:voice|format)$/.test(plain) ? wordEnd : phraseEnd }, ...fitting]
}

// "To my Road Trip playlist": the name of the slot follows its text.
function pickContainer({ words }: Slot, context: FillContext): Picked | undefined {
  const name = words.replace(/[^\w ]/g, '').replace(/ (?:name|title|id)$/, '')
  if (name.length < 3 || mainNames.test(name)) return undefined
  const pattern = new RegExp(
    `\\b(?:to|on|in|into|from|of|for)\\s+(?:the|my|our)\\s+((?:[^\\s,.;:]+\\s+){1,4}?)${name}\\b`,
    'i',
  )
  const match = pattern.exec(context.reading.masked)
  const value = match?.[1]?.trim() ?? ''
  if (!match || value === '') return undefined
  return { value, spans: [{ start: match.index, end: match.index + match[0].length }] }
}

function forwardFrom(start: number, until: RegExp, { reading, taken }: FillContext): Found<string> {
  const quote = reading.quotes.find((one) => one.start === start)
  if (quote) return quote
  const next = taken.filter((span) => span.start >= start).map((span) => span.start)
  const [passage = ''] = reading.masked.slice(start, Math.min(reading.text.length, ...next)).split(until)
  return {
    value: reading.text.slice(start, start + passage.length).trim(),
    start,
    end: start + passage.length,
  }
}

// "10 miles to kilometers": the source follows the number or "from", the target follows "to".
function pickBehindRole({ role }: Slot, context: FillContext): Picked | undefined {
  const { masked, text } = context.reading
  const pattern =
    role === 'to'
      ? /\b(?:to|into|in)\s+(?:the\s+)?([\p{L}°/-]+)/giu
      : /(?:\bfrom\s+|\d\s*)(?!(?:from|to|in|into|at|on|and)\b)([\p{L}°/-]+)/giu
  const found = [...masked.matchAll(pattern)].map((match) => {
    const value = match[1] ?? ''
    const start = match.index + match[0].length - value.length
    return { value, start, end: start + value.length }
  })
  const [one] = free(context, found)
  return one && { value: one.value, spans: [widen(one, text)] }
}

/** Chooses a language that the clause names. Returns its code when the slot expects one. */
export function pickLanguage(slot: Slot, context: FillContext): Picked | undefined {
  const mentions = findWords(context, /\p{L}+/gu, (word) =>
    Object.hasOwn(languages, word.toLowerCase()) ? word : undefined,
  )
  const asCode = /\b(?:code|iso)\b/i.test(`${slot.words} ${slot.schema.description}`)
  const one = byRole(slot, mentions, context)
  const value = asCode && one ? languages[one.value.toLowerCase()] : one?.value
  return one && { value, spans: [widen(one, context.reading.text)] }
}

/** Chooses the code of a currency that the clause names. */
export function pickCurrency(slot: Slot, context: FillContext): Picked | undefined {
  const mentions = findWords(context, currencyWord, (word) => {
    const name = word.toLowerCase().replace(/s$/, '')
    if (currencyCodes.has(word)) return word
    return Object.hasOwn(currencies, name) ? currencies[name] : undefined
  })
  const one = byRole(slot, mentions, context)
  return one && { value: one.value, spans: [widen(one, context.reading.text)] }
}

/** Chooses an id or a code: the one after its noun ("order A-1042"), else the only one. Never invents one. */
export function pickCode(slot: Slot, context: FillContext): Picked | undefined {
  const { reading, tool } = context
  const codes = free(context, reading.codes).filter((code) => isIndependentNumber(code, reading))
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

// "Order number A-1042": the noun of a code.
function nounBefore(masked: string, start: number): string {
  const before = masked
    .slice(Math.max(0, start - 80), start)
    .replace(/(?:\b(?:numbers?|no\.?|ids?|code|with|is|nr\.?)|[#:])\s*$/i, '')
  return /[\p{L}]+(?=\s*$)/u.exec(before)?.[0] ?? ''
}

const currencyWord =
  /[$€£¥]|\b(?:(?:us|british|japanese|swiss|canadian|australian|swedish|norwegian|danish|indian|mexican)\s+)?\p{L}{3,8}\b/giu

function findWords(
  context: FillContext,
  pattern: RegExp,
  read: (word: string) => string | undefined,
): Found<string>[] {
  const found = [...context.reading.masked.matchAll(pattern)].flatMap((match) => {
    const value = read(match[0])
    return value === undefined ? [] : [{ value, start: match.index, end: match.index + match[0].length }]
  })
  return free(context, found)
}

// "from X" and "to X" decide. Without them the first mention is the source.
function byRole(
  { role }: Slot,
  mentions: readonly Found<string>[],
  { reading }: FillContext,
): Found<string> | undefined {
  const leads = (pattern: RegExp) =>
    mentions.find(({ start }) => pattern.test(reading.masked.slice(0, start)))
  const target = leads(/\b(?:to|into|in)\s+(?:the\s+)?$/i)
  if (role === 'to') return target ?? (mentions.length > 1 ? mentions.at(-1) : undefined)
  if (role === 'from')
    return leads(/\bfrom\s+(?:the\s+)?$/i) ?? mentions.find((mention) => mention !== target)
  return target ?? mentions[0]
}
