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

/** The times of day of a text as `HH:MM`. */
export function findTimes(text: string): Found<string>[] {
  const matches = [...maskQuotes(text).matchAll(timeOfDay)]
  return matches.map((match) => {
    const [written, hour = '', minute = '00', half = ''] = match
    return {
      value: renderTime(written, hour, minute, half),
      start: match.index,
      end: match.index + written.length,
    }
  })
}

const month = `(${months.map((name) => `${name}|${name.slice(0, 3)}\\b\\.?`).join('|')})`
const ordinal = '(3[01]|[12]\\d|0?[1-9])(?:st|nd|rd|th)?'
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
  form('in (\\d{1,4}) days?', ([, days], now) => inDays(now, Number(days))),
  form('in (\\d{1,3}) weeks?', ([, weeks], now) => inDays(now, Number(weeks) * 7)),
  form(`(?:next |this |coming )?(${weekdays.join('|')})`, ([, name = ''], now) => {
    const ahead = (weekdays.indexOf(name.toLowerCase()) - now.getDay() + 7) % 7
    return inDays(now, ahead || 7)
  }),
  form(`${month} ${ordinal}(?:,? (\\d{4}))?`, ([, name, day, year], now) => inYear(now, name, day, year)),
  form(`(?:the )?${ordinal} (?:of )?${month}(?:,? (\\d{4}))?`, ([, day, name, year], now) =>
    inYear(now, name, day, year),
  ),
]

const timeOfDay =
  /\b(?:([01]?\d|2[0-3]):([0-5]\d)\s*(am|pm)?|(1[0-2]|0?[1-9])\s*(am|pm|o'clock)|noon|midnight)\b/gi

function inDays(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
}

function inYear(now: Date, name = '', day = '', year?: string): Date {
  const index = months.findIndex((full) => full.startsWith(name.toLowerCase().replace('.', '').slice(0, 3)))
  const date = new Date(Number(year ?? now.getFullYear()), index, Number(day))
  const passed = year === undefined && date < inDays(now, 0)
  return passed ? new Date(date.getFullYear() + 1, index, Number(day)) : date
}

/** A day of the local calendar as `YYYY-MM-DD`. */
export function renderDate(date: Date): string {
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(date.getFullYear()).padStart(4, '0')}-${parts.join('-')}`
}

function renderTime(written: string, hour: string, minute: string, half: string): string {
  const word = written.toLowerCase()
  if (word === 'noon') return '12:00'
  if (word === 'midnight') return '00:00'
  const number = Number(hour || Number.parseInt(word, 10))
  const suffix = half || word.replace(/[^apm]/g, '')
  const hours = suffix.startsWith('p') ? (number % 12) + 12 : suffix.startsWith('a') ? number % 12 : number
  return `${String(hours).padStart(2, '0')}:${minute}`
}

function holds(outer: Found<unknown>, inner: Found<unknown>): boolean {
  return (
    outer !== inner &&
    outer.start <= inner.start &&
    outer.end >= inner.end &&
    outer.end - outer.start > inner.end - inner.start
  )
}
