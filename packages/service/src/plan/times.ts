import type { Found } from './quotes.js'
import { maskQuotes } from './quotes.js'

/** The times of day of a text as `HH:MM`: `14:30`, `2 pm`, `half past three in the afternoon`, `at 9`, `noon`. */
export function findTimes(text: string): Found<string>[] {
  const masked = maskQuotes(text)
  const found = forms.flatMap(([pattern, read]) =>
    [...masked.matchAll(pattern)].flatMap((match) => {
      const minutes = read(match)
      const end = match.index + match[0].length
      return minutes < 24 * 60 ? [{ value: render(minutes), start: match.index, end }] : []
    }),
  )
  const widest = found.filter((one) => !found.some((other) => covers(other, one)))
  return widest.sort((one, other) => one.start - other.start)
}

const hourWords = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const hour = `(1[0-2]|0?[1-9]|${hourWords.join('|')})`
const half =
  "(?:\\s*(am|pm|a\\.m\\.|p\\.m\\.|o'clock(?: (?:in the )?(?:morning|afternoon|evening))?|in the morning|in the afternoon|in the evening|at night)(?!\\w))"
const form = (pattern: string, read: (match: RegExpMatchArray) => number) =>
  [new RegExp(pattern, 'gi'), read] as const

const forms = [
  form(
    `\\b([01]?\\d|2[0-3]):([0-5]\\d)${half}?(?!\\d|:\\d)`,
    ([, hours, minutes, part]) => inDay(Number(hours), part) + Number(minutes),
  ),
  form(`\\b${hour}${half}`, ([, hours, part]) => inDay(toHour(hours), part)),
  form(
    `\\b(half|quarter|(?:five|ten|twenty)(?: minutes)?) (past|to) ${hour}\\b${half}?`,
    ([, size, side, hours, part]) => {
      const minutes = parts[/^\w+/.exec(size?.toLowerCase() ?? '')?.[0] ?? ''] ?? 0
      return inDay(toHour(hours), part) + (/past/i.test(side ?? '') ? minutes : -minutes)
    },
  ),
  form(
    `(?<=\\b(?:at|until|by) )${hour}(?=\\s*(?:$|[.,!?;]|(?:on|tomorrow|today|tonight|with|sharp|every)\\b))`,
    ([, hours]) => inDay(toHour(hours), undefined),
  ),
  form('\\bnoon\\b', () => 12 * 60),
  form('\\bmidnight\\b', () => 0),
] as const

const parts: Readonly<Record<string, number>> = { half: 30, quarter: 15, five: 5, ten: 10, twenty: 20 }

function toHour(written = ''): number {
  const index = hourWords.indexOf(written.toLowerCase())
  return index < 0 ? Number(written) : index + 1
}

// The minutes since midnight at which an hour begins.
function inDay(hours: number, part: string | undefined): number {
  if (part && /^p|afternoon|evening|night/i.test(part)) return ((hours % 12) + 12) * 60
  return part && /^a|morning/i.test(part) ? (hours % 12) * 60 : hours * 60
}

function render(minutes: number): string {
  const parts = [Math.floor(minutes / 60), minutes % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

function covers(outer: Found<string>, inner: Found<string>): boolean {
  const length = (one: Found<string>) => one.end - one.start
  return outer.start <= inner.start && outer.end >= inner.end && length(outer) > length(inner)
}
