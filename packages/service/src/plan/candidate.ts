import { cueOf, type FillContext, toFillContext, toList, widen } from './fill-context.js'
import { isCurrency } from './nations.js'
import { readClause, type Span } from './read-clause.js'
import type { Slot } from './slots.js'
import type { Found } from './spans.js'

/** A value that a clause may give to a slot, with the words that it uses. */
export interface Candidate {
  readonly slot: Slot
  readonly value: unknown
  /** The words that it uses. Empty for a value from elsewhere, such as a result. */
  readonly spans: readonly Span[]
  /** The weight of its evidence: above 2 its place or its form decides, below 1 nothing does. */
  readonly score: number
  /** The values of a list such as "Paris, Rome and New York". Each may become a separate call. */
  readonly alternatives?: readonly unknown[]
  /** Whether it is a free text that no word of the clause announces. */
  readonly isLoose?: boolean
}

/** Returns a candidate for each match, and for each list of matches that begins with it. */
export function listed<T>(
  slot: Slot,
  found: readonly Found<T>[],
  { reading }: FillContext,
  base: number,
  render: (value: T, slot: Slot) => unknown = (value) => value,
): Candidate[] {
  return found.flatMap((one) => {
    const cue = cueOf(slot, one, reading)
    const run = toList(one, found, reading.text)
    const values = run.map(({ value }) => render(value, slot))
    if (!values.every(slot.accepts)) return []
    const span = { start: Math.min(cue.start, widen(one, reading.text).start), end: cue.end }
    const score = base + cue.weight + roleOf(slot, one, reading.masked)
    const single = { slot, value: values[0], spans: [span], score }
    if (run.length < 2) return [single]
    const whole = { start: span.start, end: Math.max(cue.end, run.at(-1)?.end ?? one.end) }
    return [single, { ...single, spans: [whole], score: score + 0.5, alternatives: values }]
  })
}

/** Returns the weight of "from" or "until" before a value, for a slot on one side of a pair. */
export function roleOf(slot: Slot, { start }: Span, masked: string): number {
  const before = masked.slice(Math.max(0, start - 30), start)
  const side =
    /\b(?:from|since|starting|beginning|leaving|departing|out of)\s+(?:on\s+|at\s+)?(?:the\s+)?$/i.test(
      before,
    )
      ? 'from'
      : /(?:\b(?:to|until|till|through|by|before|into|due|returning|back)|[–-])\s+(?:on\s+|at\s+)?(?:the\s+)?$/i.test(
            before,
          )
        ? 'to'
        : undefined
  const own = sideOf(slot)
  if (own === undefined || side === undefined) return 0
  return own === side ? 1.5 : -1.5
}

/** Returns the side of a slot for one of two values, such as the first or the last day. */
export function sideOf({ words, role }: Slot): 'from' | 'to' | undefined {
  if (role) return role
  if (
    /\b(?:from|start|starts|starting|begin|begins|first|check in|checkin|pickup|pick up|arrival|depart|departure|since|old)\b/.test(
      words,
    )
  )
    return 'from'
  return /\b(?:end|ends|ending|until|last|check out|checkout|return|due|deadline|before|by|till|new)\b/.test(
    words,
  )
    ? 'to'
    : undefined
}

/** Fills the fields of one item from its part of the clause. */
type Fill = (
  slots: readonly Slot[],
  context: FillContext,
) => {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly given: ReadonlySet<string>
  readonly missing: readonly Slot[]
  readonly doubts: readonly string[]
}

/**
 * Fills a list of objects from parts such as "3 chairs at 45 dollars and 1 desk at 120". Each part must give
 * all required fields of an item and have no other words.
 */
export function pickItems(slot: Slot, context: FillContext, fill: Fill): Candidate[] {
  const [item] = slot.inner
  if (item?.kind !== 'object' || item.inner.length === 0) return []
  const { reading } = context
  const tool = {
    ...context.tool,
    slots: item.inner,
    nameConcepts: slot.nameConcepts,
    textConcepts: slot.textConcepts,
    worksOn: undefined,
    makes: undefined,
  }
  const now = new Date(`${reading.today}T12:00`)
  const counts = item.inner.some(({ kind, required }) => kind === 'number' && required)
  const found = toParts(context, counts).map((ends) => {
    const fitting = ends.flatMap(({ start, end }) => {
      const part = readClause(reading.text.slice(start, end).replace(/[\s,;:]+$/, ''), now)
      const filled = fill(item.inner, toFillContext(tool, part, []))
      const isWhole = filled.missing.length === 0 && filled.given.size > 0 && filled.doubts.length === 0
      return isWhole ? [{ value: filled.arguments, start, end }] : []
    })
    return [fitting[0], fitting.at(-1)]
  })
  // The words behind an item may be its own, or those of another parameter.
  return [0, 1].flatMap((end) => {
    const items = found.flatMap((ends) => ends[end] ?? [])
    const value = items.map((one) => one.value)
    if (items.length === 0 || !slot.accepts(value)) return []
    const spans = items.flatMap((one, index) =>
      withoutMoney(index === 0 ? widen(one, reading.text) : one, context),
    )
    return [{ slot, value, spans, score: 1.5 + 1.5 * items.length }]
  })
}

// The currency of the prices may fill a parameter of its own.
function withoutMoney({ start, end }: Span, { reading, tool }: FillContext): Span[] {
  if (!tool.slots.some(({ kind, words }) => kind === 'currency' || words.includes('currency')))
    return [{ start, end }]
  const found = [
    ...reading.masked.slice(start, end).matchAll(/(?:\b(?:at|for|of|to|by|in)\s+)?[$€£¥]|(?<=\d\s*)\p{L}+/gu),
  ]
  const cuts = found.filter(([word]) => isCurrency(/\S+$/.exec(word)?.[0] ?? ''))
  const ends = [...cuts.map(({ index }) => start + index), end]
  const starts = [start, ...cuts.map((cut) => start + cut.index + cut[0].length)]
  return starts.map((from, index) => ({ start: from, end: ends[index] ?? from }))
}

// Limits the work of a hostile clause.
const mostParts = 40

// The possible ends of each part, longest first: it ends at a comma or "and", or before a preposition.
function toParts({ reading }: FillContext, counts: boolean): Span[][] {
  const { masked } = reading
  const cuts = [...masked.matchAll(/[,;\n]|\band\b|\bplus\b|(?<=\w):\s/gi)].filter(
    ({ index }) => !/\d$/.test(masked.slice(0, index)) || !/^,\d/.test(masked.slice(index)),
  )
  const stops = [...cuts.map(({ index }) => index), masked.length]
  const starts = [0, ...cuts.map((cut) => cut.index + cut[0].length)]
  return starts.slice(0, mostParts).flatMap((start, index) => {
    const end = stops[index] ?? start
    const [gap = ''] = /^\s*/.exec(masked.slice(start, end)) ?? []
    const numbers = reading.numbers.filter((one) => one.start >= start && one.end <= end)
    const froms = counts ? numbers.map((one) => one.start) : [start + gap.length]
    const ends = froms.flatMap((from) => {
      const inner = [
        ...masked.slice(from, end).matchAll(/\s+(?:to|for|from|at|on|by|with|in|until|before|of)\s/gi),
      ].slice(0, 6)
      return [
        { start: from, end },
        ...inner.reverse().map(({ index: at }) => ({ start: from, end: from + at })),
      ]
    })
    return masked.slice(froms[0] ?? end, end).trim() === '' ? [] : [ends.slice(0, 12)]
  })
}
