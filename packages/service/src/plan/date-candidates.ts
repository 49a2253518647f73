import { type Candidate, listed, roleOf, sideOf } from './candidate.js'
import { daysAfter } from './dates.js'
import { cueOf, type FillContext, widen } from './fill-context.js'
import type { Slot } from './slots.js'
import type { Found } from './spans.js'

/** Returns the dates for a slot, as its pattern or description writes them. */
export function toDates(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const isPast = isOfPast(slot, reading.masked)
  const found = reading.dates.map((one) => {
    const written = reading.masked.slice(one.start, one.end)
    const shift = isPast && one.value > reading.today && weekday.test(written) ? -7 : 0
    const isSince =
      /\b(?:since|as of|after)\s+(?:the\s+)?$/i.test(reading.masked.slice(0, one.start)) &&
      /since|after|from/.test(`${slot.words} ${slot.description}`)
    const [year = 0, ...rest] = one.value.split('-')
    if (isSince && one.value > reading.today && !/\d{4}/.test(written) && /\d/.test(written))
      return { ...one, value: [Number(year) - 1, ...rest].join('-') }
    return { ...one, value: shift === 0 ? one.value : daysAfter(one.value, shift) }
  })
  const candidates = listed(slot, found, context, 1.5, renderDateFor)
  const [first] = reading.dates
  const stay = reading.durations.find(({ value }) => value % secondsOfDay === 0)
  if (!first || !stay || sideOf(slot) !== 'to') return candidates
  const value = renderDateFor(daysAfter(first.value, stay.value / secondsOfDay), slot)
  return [...candidates, { slot, value, spans: [widen(stay, reading.text)], score: 1.5 }]
}

const secondsOfDay = 86_400
const weekday = /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)$/i

// The day of work that is done, of an accident: a bare "Monday" is the last one.
function isOfPast({ words, description }: Slot, masked: string): boolean {
  return (
    /\b(?:not in the future|in the past|past|happened|occurred|incident|worked|performed|done|taken|received|measured|paid|spent)\b/.test(
      `${words} ${description}`,
    ) ||
    /(?:^|\b(?:i|we|he|she|they|it)\s+)(?:\p{L}{3,}ed|was|were|did|had|ran|took|paid|spent|went|made|saw)\b|\b(?:was|were|happened|arrived)\b/iu.test(
      masked,
    )
  )
}

// The spelling that the pattern or the description asks for.
function renderDateFor(value: string, { description, accepts }: Slot): string {
  const [year = '', month = '', day = ''] = value.split('-')
  const forms: readonly [RegExp, string][] = [
    [/yyyy-mm-dd|iso/, value],
    [/dd\/mm\/yyyy/, `${day}/${month}/${year}`],
    [/mm\/dd\/yyyy/, `${month}/${day}/${year}`],
    [/dd\.mm\.yyyy/, `${day}.${month}.${year}`],
    [/dd-mm-yyyy/, `${day}-${month}-${year}`],
    [/yyyymmdd/, `${year}${month}${day}`],
  ]
  const asked = forms.find(([name]) => name.test(description))?.[1]
  return (
    [asked, value, ...forms.map(([, form]) => form)].find((form) => form !== undefined && accepts(form)) ??
    value
  )
}

/** Returns the times of day for a slot. */
export function toTimes(slot: Slot, context: FillContext): Candidate[] {
  return listed(slot, context.reading.times, context, 1.5, (value, { description, accepts }) => {
    const [hours = 0, minutes = 0] = value.split(':').map(Number)
    const half = `${hours % 12 || 12}:${String(minutes).padStart(2, '0')} ${hours < 12 ? 'AM' : 'PM'}`
    const forms = /\bam\/pm\b|12-hour|h:mm a/.test(description) ? [half, value] : [value, `${value}:00`, half]
    return forms.find(accepts) ?? value
  })
}

/** Returns the instants for a slot: a day and a time of day together. */
export function toMoments(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const written = listed(slot, findInstants(reading.masked), context, 4)
  if (written.length > 0) return written
  return reading.times.flatMap((time) => {
    const near = [...reading.dates].sort(
      (one, other) => Math.abs(one.start - time.start) - Math.abs(other.start - time.start),
    )
    return near.slice(0, 2).flatMap((date, rank) => {
      const value = renderMoment(date.value, time.value, slot)
      const cue = cueOf(slot, date.start < time.start ? date : time, reading)
      const spans = [widen(date, reading.text), widen(time, reading.text)]
      const score =
        2.5 - rank + cue.weight + roleOf(slot, date.start < time.start ? date : time, reading.masked)
      return slot.accepts(value) ? [{ slot, value, spans, score }] : []
    })
  })
}

function findInstants(masked: string): Found<string>[] {
  return [...masked.matchAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g)].map(
    ({ 0: value, index }) => ({ value, start: index, end: index + value.length }),
  )
}

function renderMoment(date: string, time: string, { description, accepts, schema }: Slot): string {
  const [shown = ''] =
    /\d{4}-\d\d-\d\d[t ]\d\d:\d\d[\d:.]*(?:z|[+-]\d\d:?\d\d)?|yyyy-mm-dd[t ]hh:mm(?::ss)?z?/.exec(
      description,
    ) ?? []
  const whole = new Date(`${date}T${time}:00`).toISOString()
  const gap = shown.includes(' ') ? ' ' : 'T'
  const seconds = /:\d\d:\d\d|:ss/.test(shown) ? ':00' : ''
  const asked =
    shown === ''
      ? schema.pattern
        ? `${date}T${time}`
        : whole
      : `${date}${gap}${time}${seconds}${/z$/.test(shown) ? 'Z' : ''}`
  return (
    [asked, whole, `${date}T${time}:00Z`, `${date}T${time}:00`, `${date}T${time}`, `${date} ${time}`].find(
      accepts,
    ) ?? whole
  )
}
