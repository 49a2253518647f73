import { type FillContext, free, type Picked, pickListed, widen } from './fill-context.js'
import { isShort } from './nations.js'
import type { Span } from './read-clause.js'
import type { Slot } from './slots.js'
import type { Found } from './spans.js'
import { stem, toConcept } from './words.js'

/** Chooses the enum value that the clause mentions, by its words or by synonyms. */
export function pickChoice(slot: Slot, context: FillContext): Picked | undefined {
  const mentions = toMentions(slot, context)
  const mention = slot.role ? byRole(slot.role, mentions, context.reading.masked) : mentions[0]
  if (!mention) return undefined
  const span = withSlotName(mention, slot, context)
  if (slot.role) return { value: mention.value, spans: [span] }
  const listed = pickListed(mention, mentions, context.reading.text)
  return { ...listed, spans: [...listed.spans, span] }
}

/** Chooses all enum values that the clause mentions, in its order. */
export function pickChoices(slot: Slot, context: FillContext): Picked | undefined {
  const group = groupOf(
    slot.choices.map(({ value }) => value),
    context.reading.masked,
  )
  if (group) return group
  const mentions = toMentions(slot, context)
  const spans = mentions.map((mention) => widen(mention, context.reading.text))
  return mentions.length > 0 ? { value: mentions.map(({ value }) => value), spans } : undefined
}

/** Returns true when the clause mentions the slot, and false with "no", "without" or "off". */
export function pickFlag(slot: Slot, { reading }: FillContext): Picked | undefined {
  const { masked } = reading
  if (switches.test(slot.words)) {
    const match = /\b(?:on|enable|activate|off|disable|deactivate)\b/i.exec(masked)
    return match ? { value: !/off|disable|deactivate/i.test(match[0]), spans: [] } : undefined
  }
  const opposite = opposites[slot.words.replace(/^(?:is|make) /, '')]
  const denied = opposite === undefined ? undefined : new RegExp(`\\b${opposite}\\b`, 'i').exec(masked)
  if (denied) return { value: false, spans: [{ start: denied.index, end: denied.index + denied[0].length }] }
  const words = [...masked.matchAll(/[\p{L}]+/gu)]
  const spoken = words.find((word) => slot.nameConcepts.has(toConcept(word[0])))
  if (!spoken) return undefined
  const before = masked.slice(0, spoken.index)
  const denial = /\b(?:no|not|without|don['’]?t|non|never|skip)\s+(?:\w+\s+)?$/i.exec(before)
  const start = denial?.index ?? spoken.index
  const end = spoken.index + spoken[0].length
  const [off = ''] = /^(?:\s+(?:is|to)|:|\s*=)?\s+(?:off|no|false|disabled)\b/i.exec(masked.slice(end)) ?? []
  return { value: !denial && off === '', spans: [{ start, end: end + off.length }] }
}

const opposites: Readonly<Record<string, string>> = {
  public: 'private',
  private: 'public',
  visible: 'hidden',
  open: 'closed',
  automatic: 'manual',
  available: 'unavailable',
}

const switches = /^(?:is )?(?:on|enabled?|active|power|powered|state)$/

type Mention = Found<unknown>

// "Weekdays" are five of seven values, "every day" is all of them.
function groupOf(values: readonly unknown[], masked: string): Picked | undefined {
  const match =
    /\b(?:on )?(?:(weekdays|workdays|every weekday)|(weekends?|the weekend)|every day|daily)\b/i.exec(masked)
  const days = values.filter((value) => /^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(String(value)))
  if (!match || days.length < 7) return undefined
  const isEnd = (value: unknown) => /^s/i.test(String(value))
  const value = match[1] ? days.filter((day) => !isEnd(day)) : match[2] ? days.filter(isEnd) : days
  return { value, spans: [{ start: match.index, end: match.index + match[0].length }] }
}

// A number precedes the source of a conversion; "to", "in" or "how many" precedes its target.
function byRole(role: 'from' | 'to', mentions: readonly Mention[], masked: string): Mention | undefined {
  const behind = (pattern: RegExp) =>
    mentions.find(({ start }) => pattern.test(masked.slice(Math.max(0, start - 30), start)))
  const source = behind(/[\d.]\s*(?:degrees?\s+)?$/i) ?? behind(/\bfrom\s+(?:the\s+|my\s+)?$/i)
  const target = behind(/\b(?:to|into|in|how many)\s+(?:the\s+|my\s+)?$/i)
  if (role === 'from') return source ?? mentions.find((mention) => mention !== target)
  return target && target !== source ? target : mentions.findLast((mention) => mention !== source)
}

function toMentions({ choices }: Slot, context: FillContext): Mention[] {
  const { masked, words } = context.reading
  const text = masked.toLowerCase()
  const found = choices.flatMap(({ value, written, concepts, aliases }) => {
    const whole = isShort(written) ? -1 : indexOfWord(text, written)
    if (whole >= 0) return [{ value, start: whole, end: whole + written.length }]
    const word = words.find((one) => {
      const own = stem(one.value)
      if (own === written || aliases.includes(own)) return !isShort(one.value) || isUnit(one, masked)
      return aliases.length === 0 && concepts.size === 1 && concepts.has(toConcept(one.value))
    })
    return word ? [{ value, start: word.start, end: word.end }] : []
  })
  return free(context, found).sort((one, other) => one.start - other.start)
}

// "C" and "in" are units next to a number; "C" also after "to".
function isUnit({ value, start }: Found<string>, masked: string): boolean {
  const before = masked.slice(Math.max(0, start - 12), start)
  return /\d\s?$/.test(before) || (value !== 'in' && /\b(?:to|into|in|how many)\s+$/i.test(before))
}

function indexOfWord(text: string, word: string): number {
  if (word === '') return -1
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? ''} ${text[at + word.length] ?? ''}`
    if (!/[\p{L}\p{N}]/u.test(around)) return at
  }
  return -1
}

// "with high priority" is one phrase, with its preposition and the name of the slot.
function withSlotName(mention: Mention, slot: Slot, { reading }: FillContext): Span {
  const { start: bare, end } = widen(mention, reading.text)
  const [lead = '', verb = ''] = /(\p{L}+)\s+$|(?<=^|\s)$/u.exec(reading.masked.slice(0, bare)) ?? []
  const start = verb !== '' && slot.nameConcepts.has(toConcept(verb)) ? bare - lead.length : bare
  const [, name = ''] = /^(\s+\p{L}+)/u.exec(reading.masked.slice(end, end + 40)) ?? []
  return name.trim() === 'first' || slot.nameConcepts.has(toConcept(name.trim()))
    ? { start, end: end + name.length }
    : { start, end }
}
