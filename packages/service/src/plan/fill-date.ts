import { daysAfter } from './dates.js'
import type { Found } from './quotes.js'
import type { Picked, Scene } from './scene.js'
import { free, pickListed, widen } from './scene.js'
import type { Slot } from './slots.js'

/** Chooses a date; the last day of a stay may be said by its length: "for 3 nights starting on Friday". */
export function pickDate(slot: Slot, scene: Scene): Picked | undefined {
  const dates = free(scene, scene.reading.dates)
  const [first] = dates
  if (first) return pickListed(first, dates, scene.reading.text)
  return isEnd(slot) ? pickByLength(scene) : undefined
}

/** A day and a time of day, or one of them, as one instant. */
export function pickMoment(_: Slot, scene: Scene): Picked | undefined {
  const [date] = free(scene, scene.reading.dates)
  const [time] = free(scene, scene.reading.times)
  if (!date && !time) return undefined
  const day = date?.value ?? scene.reading.today
  const spans = [date, time].flatMap((one) => (one ? [widen(one, scene.reading.text)] : []))
  return { value: new Date(`${day}T${time?.value ?? '00:00'}:00`).toISOString(), spans }
}

const secondsOfDay = 86_400

function isEnd({ words }: Slot): boolean {
  return /\b(?:end|until|to|return|out|last|departure|checkout)\b/.test(words)
}

function pickByLength(scene: Scene): Picked | undefined {
  const start: Found<string> | undefined = scene.reading.dates[0]
  const stay = free(scene, scene.reading.durations).find(({ value }) => value % secondsOfDay === 0)
  if (!start || !stay) return undefined
  const value = daysAfter(start.value, stay.value / secondsOfDay)
  return { value, spans: [widen(stay, scene.reading.text)] }
}
