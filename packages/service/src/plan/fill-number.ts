import { boundLead, boundOf } from './bounds.js'
import { secondsIn } from './durations.js'
import { isMoney, isPriceOfOne, moneyNames, withMoney } from './money.js'
import type { FoundNumber } from './numbers.js'
import type { Span } from './read-clause.js'
import type { Picked, Scene } from './scene.js'
import { free, standsAlone, widen } from './scene.js'
import type { Slot } from './slots.js'
import { toConcept, toConcepts } from './words.js'

/** Chooses the number a slot means: one whose neighbours name the slot; without such a cue the first, if required. */
export function pickNumber(slot: Slot, scene: Scene): Picked | undefined {
  const duration = pickDuration(slot, scene)
  if (duration) return duration
  const candidates = free(scene, scene.reading.numbers)
    .filter((number) => standsAlone(number, scene.reading))
    .map((number) => ({ number, cue: cueBetween(slot, number, scene) }))
    .filter(({ number }) => fits(slot, number.value))
  const best = candidates.reduce<(typeof candidates)[number] | undefined>(
    (top, one) => (one.cue > (top?.cue ?? 0) ? one : top),
    undefined,
  )
  const chosen =
    best ??
    (slot.required
      ? candidates.find(({ number, cue }) => cue === 0 && !namesOtherSlot(slot, number, scene))
      : undefined)
  if (!chosen) return undefined
  const { number } = chosen
  const spans = [withBound(number, scene), unitAfter(slot, number, scene), withMoney(number, scene)]
  return { value: number.value, spans }
}

// "An hour and a half" for a slot in minutes is 90.
function pickDuration(slot: Slot, scene: Scene): Picked | undefined {
  const unit = secondsIn([...slot.nameConcepts, ...slot.textConcepts])
  if (unit === undefined) return undefined
  const found = free(scene, scene.reading.durations).find(({ value }) => fits(slot, value / unit))
  return found && { value: found.value / unit, spans: [widen(found, scene.reading.text)] }
}

// How far a number's neighbours are looked for, in characters.
const reach = 40

function cueBetween(slot: Slot, number: FoundNumber, { reading, tool }: Scene): number {
  const { start, end } = number
  const bound = boundOf(number, reading.masked)
  const side = /\b(?:max|maximum|highest|most|upper|until)\b/.test(slot.words)
    ? 'max'
    : /\b(?:min|minimum|lowest|least|lower)\b/.test(slot.words) && !/minutes?/.test(slot.words)
      ? 'min'
      : undefined
  if (bound && side) return bound === side ? 4 : -1
  const after = concepts(reading.masked.slice(end, end + reach), 2)
  const before = concepts(reading.masked.slice(Math.max(0, start - reach), start), -2)
  if ([...after, ...before].some((concept) => slot.nameConcepts.has(concept))) return 3
  const counts = /^(?:n|count|number|quantity|limit|how many|amount)$/.test(slot.words)
  if (counts && tool.nameConcepts.has(after[0] ?? '')) return 3
  const isPrice = isMoney(number, reading.text)
  if ((isPrice || isPriceOfOne(number, reading.masked)) && moneyNames.test(slot.words)) return 3
  if (isPrice && tool.slots.some((other) => other.kind === 'number' && moneyNames.test(other.words)))
    return -1
  // "The last 10 shipped orders": what is counted stands a word further on.
  const counted = concepts(reading.masked.slice(end, end + reach), 3)
  if (counts && counted.some((concept) => tool.nameConcepts.has(concept))) return 2
  if (after.some((concept) => slot.textConcepts.has(concept))) return 2
  if (/^\s*%/.test(reading.text.slice(end)) && /percent|rate/.test(slot.words)) return 2
  return 0
}

function withBound(number: FoundNumber, { reading }: Scene): Span {
  const span = widen(number, reading.text)
  const lead = boundLead(reading.text.slice(Math.max(0, number.start - reach), number.start))
  return { start: Math.min(span.start, number.start - lead.length), end: span.end }
}

// A number that names another slot by its neighbours is left to that one.
function namesOtherSlot(slot: Slot, number: FoundNumber, scene: Scene): boolean {
  const others = scene.tool.slots.filter((other) => other.kind === 'number' && other.name !== slot.name)
  return others.some((other) => cueBetween(other, number, scene) > 0)
}

function concepts(text: string, count: number): string[] {
  const all = (text.split(/[,.;:!?]/).at(count > 0 ? 0 : -1) ?? '').match(/[\p{L}]+/gu) ?? []
  const near = count > 0 ? all.slice(0, count) : all.slice(count)
  return near.flatMap((word) => [...toConcepts(word)])
}

// The unit or the noun counted belongs to the number: "5 results", "40 percent".
function unitAfter(slot: Slot, { end }: FoundNumber, { reading }: Scene): Span {
  const rest = reading.masked.slice(end, end + reach)
  const [counted = '', noun = ''] = /^\s+(\p{L}+)/u.exec(rest) ?? []
  if (slot.nameConcepts.has(toConcept(noun)) || slot.textConcepts.has(toConcept(noun)))
    return { start: end, end: end + counted.length }
  const [unit = ''] = /^\s*(?:%|percent\b|degrees?\b|(?:seconds?|minutes?|hours?|days?)\b)?/i.exec(rest) ?? []
  return { start: end, end: end + unit.length }
}

function fits({ schema }: Slot, value: number): boolean {
  if (schema.type === 'integer' && !Number.isInteger(value)) return false
  return !(Number(schema.minimum) > value) && !(Number(schema.maximum) < value)
}
