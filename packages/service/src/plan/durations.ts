import { findNumbers } from './numbers.js'
import type { Found } from './quotes.js'
import { maskQuotes } from './quotes.js'
import { toConcept } from './words.js'

/** The lengths of time in a text, in seconds: `90 minutes`, `an hour and a half`, `1 hour 30 minutes`. */
export function findDurations(text: string): Found<number>[] {
  const masked = maskQuotes(text)
  const found = [...counted(masked), ...worded(masked)].sort((one, other) => one.start - other.start)
  const joined: Found<number>[] = []
  for (const next of found) {
    const last = joined.at(-1)
    const goesOn = last && /^(?:\s*,)?\s*(?:and\s+)?$/.test(masked.slice(last.end, next.start))
    if (last && goesOn) joined.splice(-1, 1, { ...last, value: last.value + next.value, end: next.end })
    else joined.push(next)
  }
  return joined
}

/** The seconds that a concept of a name such as `duration_minutes` counts in; nothing when it counts something else. */
export function secondsIn(concepts: Iterable<string>): number | undefined {
  for (const concept of concepts) {
    const seconds = unitSeconds.get(concept)
    if (seconds !== undefined) return seconds
  }
  return undefined
}

const unitSeconds = new Map(
  (
    [
      ['second', 1],
      ['sec', 1],
      ['minute', 60],
      ['min', 60],
      ['hour', 3600],
      ['day', 86_400],
      ['night', 86_400],
      ['week', 604_800],
    ] as const
  ).map(([unit, seconds]) => [toConcept(unit), seconds]),
)

const unit = 'seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|[smh](?!\\w)'
const letters: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  hr: 'hour',
  hrs: 'hour',
}

function toSeconds(written = ''): number {
  const word = letters[written.toLowerCase()] ?? written
  return unitSeconds.get(toConcept(word)) ?? 0
}

function counted(masked: string): Found<number>[] {
  const behind = new RegExp(`^[\\s-]?(${unit})(\\s+and\\s+a\\s+half)?\\b`, 'i')
  return findNumbers(masked).flatMap(({ value, start, end }) => {
    const [whole = '', word, half] = behind.exec(masked.slice(end, end + 40)) ?? []
    return word
      ? [{ value: (value + (half ? 0.5 : 0)) * toSeconds(word), start, end: end + whole.length }]
      : []
  })
}

function worded(masked: string): Found<number>[] {
  const phrase =
    /\b(half an?|a quarter of an|an?)\s+(second|minute|hour|day|night|week)\b(\s+and\s+a\s+half)?/gi
  return [...masked.matchAll(phrase)].map(([whole, much = '', word, half], at, all) => {
    const share = /half/i.test(much) ? 0.5 : /quarter/i.test(much) ? 0.25 : 1
    const start = all[at]?.index ?? 0
    return { value: (share + (half ? 0.5 : 0)) * toSeconds(word), start, end: start + whole.length }
  })
}
