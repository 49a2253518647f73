import type { Found } from './quotes.js'
import { maskQuotes } from './quotes.js'

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')

/** The dates of a text as `YYYY-MM-DD`, relative ones counted from `now`; a weekday is the next one to come. */
export function findDates(text: string, now: Date): Found<string>[] {
  const found = forms.flatMap(([pattern, toDate]) =>
    [...maskQuotes(text).matchAll(pattern)].map((match) => {
      const value = renderDate(toDate(match, now))
      return { value, start: match.index, end: match.index + match[0].length }
    }),
  )
  // The longer reading wins: "day after tomorrow" holds "tomorrow".
  const widest = found.filter((one) => !found.some((other) => holds(other, one)))
  return widest.sort((one, other) => one.start - other.start)
}

const month = `(${months.map((name) => `${name}|${name.slice(0, 3)}\\b\\.?`).join('|')})`
const ordinal = '(3[01]|[12]\\d|0?[1-9])(?:st|nd|rd|th)?'
const anyOrdinal = '(?:3[01]|[12]\\d|0?[1-9])(?:st|nd|rd|th)?'
const year4 = '(?:,? (\\d{4}))?'
const span = '\\s?(?:-|–|to|until|till|through|and)\\s?(?:the )?'
const counts = 'a one two three four five six seven eight nine ten eleven twelve'.split(' ')
const count = `(\\d{1,4}|${counts.join('|')})`
const form = (pattern: string, toDate: (match: RegExpMatchArray, now: Date) => Date) =>
  [new RegExp(`\\b${pattern}\\b`, 'gi'), toDate] as const

const forms = [
  form(
    '(\\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])',
    ([, year, month_, day]) => new Date(Number(year), Number(month_) - 1, Number(day)),
  ),
  form('today|tonight', (_, now) => inDays(now, 0)),
  form('tomorrow', (_, now) => inDays(now, 1)),
  form('(?:the )?day after tomorrow', (_, now) => inDays(now, 2)),
  form('yesterday', (_, now) => inDays(now, -1)),
  form(`in ${count} (day|week|month|year)s?`, ([, many, unit], now) => ahead(now, many, unit)),
  form(`${count} (day|week|month|year)s? from (?:now|today)`, ([, many, unit], now) =>
    ahead(now, many, unit),
  ),
  form('(\\d{1,2})/(\\d{1,2})/(\\d{4})', ([, one, other, year]) =>
    bySlashes(Number(one), Number(other), year),
  ),
  form(
    '(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})',
    ([, day, month_, year]) => new Date(Number(year), Number(month_) - 1, Number(day)),
  ),
  form(`(?:next |this |coming )?(${weekdays.join('|')})`, ([, name = ''], now) => {
    const ahead = (weekdays.indexOf(name.toLowerCase()) - now.getDay() + 7) % 7
    return inDays(now, ahead || 7)
  }),
  form(`${month} ${ordinal}${year4}`, ([, name, day, year], now) => inYear(now, name, day, year)),
  form(`(?:the )?${ordinal} (?:of )?${month}${year4}`, ([, day, name, year], now) =>
    inYear(now, name, day, year),
  ),
  // "From 5 to 9 March", "March 5 to 9": the month is said once.
  form(`(?:the )?${ordinal}(?=${span}${anyOrdinal} (?:of )?${month}${year4})`, ([, day, name, year], now) =>
    inYear(now, name, day, year),
  ),
  form(
    `(?<=${month} ${anyOrdinal}${span})${ordinal}(?! (?:of )?${month})${year4}`,
    ([, name, day, , year], now) => inYear(now, name, day, year),
  ),
]

function inDays(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
}

function ahead(now: Date, many = '', unit = ''): Date {
  const steps = counts.includes(many.toLowerCase())
    ? Math.max(1, counts.indexOf(many.toLowerCase()))
    : Number(many)
  if (/^(?:day|week)/i.test(unit)) return inDays(now, steps * (/^week/i.test(unit) ? 7 : 1))
  const months_ = steps * (/^year/i.test(unit) ? 12 : 1)
  return new Date(now.getFullYear(), now.getMonth() + months_, now.getDate())
}

// Month first, as those who write slashes mostly mean it, unless that is no month.
function bySlashes(one: number, other: number, year = ''): Date {
  const [monthAt, day] = one > 12 ? [other, one] : [one, other]
  return new Date(Number(year), monthAt - 1, day)
}

function inYear(now: Date, name = '', day = '', year?: string): Date {
  const index = months.findIndex((full) => full.startsWith(name.toLowerCase().replace('.', '').slice(0, 3)))
  const date = new Date(Number(year ?? now.getFullYear()), index, Number(day))
  const passed = year === undefined && date < inDays(now, 0)
  return passed ? new Date(date.getFullYear() + 1, index, Number(day)) : date
}

/** The day that lies `days` after one written as `YYYY-MM-DD`. */
export function daysAfter(day: string, days: number): string {
  const [year = 0, month_ = 1, date = 1] = day.split('-').map(Number)
  return renderDate(new Date(year, month_ - 1, date + days))
}

/** A day of the local calendar as `YYYY-MM-DD`. */
export function renderDate(date: Date): string {
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(date.getFullYear()).padStart(4, '0')}-${parts.join('-')}`
}

function holds(outer: Found<unknown>, inner: Found<unknown>): boolean {
  return (
    outer !== inner &&
    outer.start <= inner.start &&
    outer.end >= inner.end &&
    outer.end - outer.start > inner.end - inner.start
  )
}
