import { cueOf, type FillContext, toList, widen } from './fill-context.js'
import type { Span } from './read-clause.js'
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
