import { findNumbers } from './numbers.js'
import { type Found, findAll, maskQuotes, toConcept } from './words.js'

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
export const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')

/** Finds dates as `YYYY-MM-DD`. Relative dates are counted from `now`. A weekday means the next such day. */
export function findDates(text: string, now: Date): Found<string>[] {
  const masked = maskQuotes(text)
  if (!maybeDate.test(masked)) return []
  const found = datePatterns.flatMap(([pattern, toDate]) =>
    findAll(masked, pattern, (match) => renderDate(toDate(match, now))),
  )
  return inOneYear(widest(found), masked)
}

// Each pattern needs one of these: this test is far cheaper than all of them.
const maybeDate = /\d|day|night|tomorrow|week|month|year/i

// The longer match wins: "day after tomorrow" contains "tomorrow".
function widest<T>(found: readonly Found<T>[]): Found<T>[] {
  const covers = (outer: Found<T>, { start, end }: Found<T>) =>
    outer.start <= start && outer.end >= end && (outer.start < start || outer.end > end)
  const kept = found.filter((one) => !found.some((other) => covers(other, one)))
  return kept.sort((one, other) => one.start - other.start)
}

// "From 1 October to 31 October 2026": one year is for both.
function inOneYear(dates: Found<string>[], text: string): Found<string>[] {
  return dates.map((one, index) => {
    const next = dates[index + 1]
    const isRange =
      next && /^\s?(?:-|–|to|until|till|through|and)\s?(?:the )?$/i.test(text.slice(one.end, next.start))
    const hasYear = ({ start, end }: Found<string>) => /\d{4}/.test(text.slice(start, end))
    if (!isRange || hasYear(one) || !hasYear(next) || !/\d/.test(text.slice(one.start, one.end))) return one
    const year = Number(next.value.slice(0, 4)) - (one.value.slice(4) > next.value.slice(4) ? 1 : 0)
    return { ...one, value: `${year}${one.value.slice(4)}` }
  })
}

const month = `(${months.map((name) => `${name}|${name.slice(0, 3)}\\b\\.?`).join('|')})`
const ordinal = '(3[01]|[12]\\d|0?[1-9])(?:st|nd|rd|th)?'
const anyOrdinal = '(?:3[01]|[12]\\d|0?[1-9])(?:st|nd|rd|th)?'
const year4 = '(?:,? (\\d{4}))?'
const span = '\\s?(?:-|–|to|until|till|through|and)\\s?(?:the )?'
const counts = 'a one two three four five six seven eight nine ten eleven twelve'.split(' ')
const count = `(\\d{1,4}|${counts.join('|')})`
const datePattern = (pattern: string, toDate: (match: RegExpMatchArray, now: Date) => Date) =>
  [new RegExp(`\\b${pattern}\\b`, 'gi'), toDate] as const

const unit = 'seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|[smh](?![\\w/])'

const datePatterns = [
  datePattern(
    '(\\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])',
    ([, year, month_, day]) => new Date(Number(year), Number(month_) - 1, Number(day)),
  ),
  datePattern('today|tonight', (_, now) => inDays(now, 0)),
  datePattern('tomorrow', (_, now) => inDays(now, 1)),
  datePattern('(?:the )?day after tomorrow', (_, now) => inDays(now, 2)),
  datePattern('yesterday', (_, now) => inDays(now, -1)),
  datePattern(`in ${count} (day|week|month|year)s?`, ([, many, unit], now) => ahead(now, many, unit)),
  datePattern(`${count} (day|week|month|year)s? from (?:now|today)`, ([, many, unit], now) =>
    ahead(now, many, unit),
  ),
  // Month first, the most common meaning of slashes, unless that is not a valid month.
  datePattern('(\\d{1,2})/(\\d{1,2})/(\\d{4})', ([, one, other, year]) => {
    const [monthAt, day] = Number(one) > 12 ? [other, one] : [one, other]
    return new Date(Number(year), Number(monthAt) - 1, Number(day))
  }),
  datePattern(
    '(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})',
    ([, day, month_, year]) => new Date(Number(year), Number(month_) - 1, Number(day)),
  ),
  datePattern(`(?:last|past|previous) (${weekdays.join('|')})`, ([, name = ''], now) => {
    const back = (now.getDay() - weekdays.indexOf(name.toLowerCase()) + 7) % 7
    return inDays(now, -(back || 7))
  }),
  datePattern(`${count} (day|week|month|year)s? ago`, ([, many, unit], now) => ahead(now, many, unit, -1)),
  datePattern(`(?:next |this |coming )?(${weekdays.join('|')})`, ([, name = ''], now) => {
    const ahead = (weekdays.indexOf(name.toLowerCase()) - now.getDay() + 7) % 7
    return inDays(now, ahead || 7)
  }),
  datePattern(`${month} ${ordinal}${year4}`, ([, name, day, year], now) => inYear(now, name, day, year)),
  datePattern(`(?:the )?${ordinal} (?:of )?${month}${year4}`, ([, day, name, year], now) =>
    inYear(now, name, day, year),
  ),
  datePattern(`(?:the )?end of ${month}${year4}`, ([, name, year], now) => {
    const first = inYear(inDays(now, 1 - now.getDate()), name, '1', year)
    return new Date(first.getFullYear(), first.getMonth() + 1, 0)
  }),
  // "From 5 to 9 March", "March 5 to 9": the month is written once.
  datePattern(
    `(?<!-)(?:the )?${ordinal}(?=${span}${anyOrdinal} (?:of )?${month}${year4})`,
    ([, day, name, year], now) => inYear(now, name, day, year),
  ),
  datePattern(
    `(?<=${month} ${anyOrdinal}${span})${ordinal}(?! (?:of )?${month})${year4}`,
    ([, name, day, , year], now) => inYear(now, name, day, year),
  ),
]

function inDays(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
}

function ahead(now: Date, many = '', unit = '', sign = 1): Date {
  const number = counts.includes(many.toLowerCase())
    ? Math.max(1, counts.indexOf(many.toLowerCase()))
    : Number(many)
  const steps = number * sign
  if (/^(?:day|week)/i.test(unit)) return inDays(now, steps * (/^week/i.test(unit) ? 7 : 1))
  const months_ = steps * (/^year/i.test(unit) ? 12 : 1)
  return new Date(now.getFullYear(), now.getMonth() + months_, now.getDate())
}

function inYear(now: Date, name = '', day = '', year?: string): Date {
  const index = months.findIndex((full) => full.startsWith(name.toLowerCase().replace('.', '').slice(0, 3)))
  const date = new Date(Number(year ?? now.getFullYear()), index, Number(day))
  const passed = year === undefined && date < inDays(now, 0)
  return passed ? new Date(date.getFullYear() + 1, index, Number(day)) : date
}

/** Returns the date `days` days after `day`. Both are written as `YYYY-MM-DD`. */
export function daysAfter(day: string, days: number): string {
  const [year = 0, month_ = 1, date = 1] = day.split('-').map(Number)
  return renderDate(new Date(year, month_ - 1, date + days))
}

export function renderDate(date: Date): string {
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(date.getFullYear()).padStart(4, '0')}-${parts.join('-')}`
}

/** Finds times of day as `HH:MM`: `14:30`, `2 pm`, `half past three in the afternoon`, `at 9`, `noon`. */
export function findTimes(text: string): Found<string>[] {
  const masked = maskQuotes(text)
  const found = timePatterns.flatMap(([pattern, read]) =>
    findAll(masked, pattern, (match) => {
      const minutes = read(match)
      return minutes < 24 * 60 ? minutes : undefined
    }),
  )
  const times = widest(found)
  const [part] = /morning/i.test(masked) ? [] : [...masked.matchAll(laterPart)]
  return times.map((one, at) => {
    const isOpen = one.value < 12 * 60 && !/^0|[ap]\.?m|midnight/i.test(masked.slice(one.start, one.end))
    const next = times[at + 1]
    const owner = times.find(({ start, end }) => part && start <= part.index && end > part.index)
    const isRange = next === owner && /^ ?(?:-|–|to|until|till) ?$/.test(masked.slice(one.end, next?.start))
    const isLater = isOpen && part && (!owner || (isRange && one.value + 12 * 60 < owner.value))
    return { ...one, value: render(isLater ? one.value + 12 * 60 : one.value) }
  })
}

const hourOfDay = `(1[0-2]|0?[1-9]|${counts.slice(1).join('|')})`
const half =
  "(?:\\s*(am|pm|a\\.m\\.|p\\.m\\.|o'clock(?: (?:in the )?(?:morning|afternoon|evening))?|in the morning|in the afternoon|in the evening|at night)(?!\\w))"
const timePattern = (pattern: string, read: (match: RegExpMatchArray) => number) =>
  [new RegExp(pattern, 'gi'), read] as const

const parts: Readonly<Record<string, number>> = { half: 30, quarter: 15, five: 5, ten: 10, twenty: 20 }

const timePatterns = [
  timePattern(
    `\\b([01]?\\d|2[0-3]):([0-5]\\d)${half}?(?!\\d|:\\d)`,
    ([, hours, minutes, part]) => inDay(Number(hours), part) + Number(minutes),
  ),
  timePattern(`\\b${hourOfDay}${half}`, ([, hours, part]) => inDay(toHour(hours), part)),
  timePattern(
    `\\b(half|quarter|(?:five|ten|twenty)(?: minutes)?) (past|to) ${hourOfDay}\\b${half}?`,
    ([, size, side, hours, part]) => {
      const minutes = parts[/^\w+/.exec(size?.toLowerCase() ?? '')?.[0] ?? ''] ?? 0
      return inDay(toHour(hours), part) + (/past/i.test(side ?? '') ? minutes : -minutes)
    },
  ),
  timePattern(
    `(?<=\\b(?:at|until|by) )${hourOfDay}(?=\\s*(?:$|[.,!?;]|(?:on|tomorrow|today|tonight|with|sharp|every)\\b))`,
    ([, hours]) => toHour(hours) * 60,
  ),
  timePattern('\\bnoon\\b', () => 12 * 60),
  timePattern('\\bmidnight\\b', () => 0),
] as const

// "Tonight at 8" is not in the morning.
const laterPart = /\b(?:tonight|(?:this|tomorrow|in the) (?:evening|afternoon|night)|for dinner)\b/gi

function toHour(written = ''): number {
  return Number(written) || counts.indexOf(written.toLowerCase())
}

// Returns the minutes since midnight at which an hour starts.
function inDay(hours: number, part: string | undefined): number {
  if (part && /^p|afternoon|evening|night/i.test(part)) return ((hours % 12) + 12) * 60
  return part && /^a|morning/i.test(part) ? (hours % 12) * 60 : hours * 60
}

function render(minutes: number): string {
  const parts = [Math.floor(minutes / 60), minutes % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** Finds durations in text, in seconds: `90 minutes`, `an hour and a half`, `1 hour 30 minutes`. */
export function findDurations(text: string): Found<number>[] {
  const masked = maskQuotes(text)
  const found = [...counted(masked), ...worded(masked)].sort((one, other) => one.start - other.start)
  const joined: Found<number>[] = []
  for (const next of found) {
    const last = joined.at(-1)
    const goesOn = last && /^(?:\s*,)?\s*(?:and\s+)?$/.test(masked.slice(last.end, next.start))
    const isOther = last && unitOf(masked, last) !== unitOf(masked, next)
    if (last && goesOn && isOther)
      joined.splice(-1, 1, { ...last, value: last.value + next.value, end: next.end })
    else joined.push(next)
  }
  return joined
}

// "20 minutes and 35 minutes" are two durations.
function unitOf(masked: string, { start, end }: Found<number>): string {
  return toConcept(/\p{L}+$/u.exec(masked.slice(start, end))?.[0] ?? '')
}

/** Returns the seconds in the unit of a name such as `duration_minutes`. Undefined for a name without a unit. */
export function secondsIn(concepts: Iterable<string>): number | undefined {
  return [...concepts].map((concept) => unitSeconds.get(concept)).find((seconds) => seconds !== undefined)
}

const [minute, hour, day] = [60, 3600, 86_400]
const sizes = { second: 1, sec: 1, minute, min: minute, hour, day, night: day, week: 7 * day }
const unitSeconds = new Map(Object.entries(sizes).map(([unit, seconds]) => [toConcept(unit), seconds]))

const letters: Readonly<Record<string, number>> = { s: 1, m: minute, h: hour, hr: hour, hrs: hour }

function toSeconds(written = ''): number {
  return letters[written.toLowerCase()] ?? unitSeconds.get(toConcept(written)) ?? 0
}

function counted(masked: string): Found<number>[] {
  return findNumbers(masked).flatMap(({ value, start, end }) => {
    const [whole = '', word, half] = unitBehind.exec(masked.slice(end, end + 40)) ?? []
    return word
      ? [{ value: (value + (half ? 0.5 : 0)) * toSeconds(word), start, end: end + whole.length }]
      : []
  })
}

const unitBehind = new RegExp(`^[\\s-]?(${unit})(\\s+and\\s+a\\s+half)?\\b`, 'i')

function worded(masked: string): Found<number>[] {
  const phrase =
    /\b(half an?|(?:a|three) quarters? of an|an?)\s+(second|minute|hour|day|night|week)\b(\s+and\s+a\s+half)?/gi
  return findAll(masked, phrase, ([, much = '', word, half]) => {
    const share = /half/i.test(much) ? 0.5 : /^a q/i.test(much) ? 0.25 : /quarter/i.test(much) ? 0.75 : 1
    return (share + (half ? 0.5 : 0)) * toSeconds(word)
  })
}
