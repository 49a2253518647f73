import type { FoundNumber } from './numbers.js'
import type { Span } from './read-clause.js'
import type { Picked, Scene } from './scene.js'
import { free, standsAlone, widen } from './scene.js'
import type { Slot } from './slots.js'
import { toConcept, toConcepts } from './words.js'

/** Chooses the number a slot means: one whose neighbours name the slot; without such a cue the first, if required. */
export function pickNumber(slot: Slot, scene: Scene): Picked | undefined {
  const candidates = free(scene, scene.reading.numbers)
    .filter((number) => standsAlone(number, scene.reading))
    .map((number) => ({ number, cue: cueBetween(slot, number, scene), value: inUnitOf(slot, number, scene) }))
    .filter(({ value }) => fits(slot, value))
  const best = candidates.reduce<(typeof candidates)[number] | undefined>(
    (top, one) => (one.cue > (top?.cue ?? 0) ? one : top),
    undefined,
  )
  const chosen =
    best ??
    (slot.required ? candidates.find(({ number }) => !namesOtherSlot(slot, number, scene)) : undefined)
  if (!chosen) return undefined
  const spans = [widen(chosen.number, scene.reading.text), unitAfter(slot, chosen.number, scene)]
  return { value: chosen.value, spans }
}

const secondsOf = new Map([
  [toConcept('second'), 1],
  [toConcept('minute'), 60],
  [toConcept('hour'), 3600],
  [toConcept('day'), 86_400],
])

// How far a number's neighbours are looked for, in characters.
const reach = 40

function cueBetween(slot: Slot, { start, end }: FoundNumber, { reading, tool }: Scene): number {
  const after = concepts(reading.masked.slice(end, end + reach), 2)
  const before = concepts(reading.masked.slice(Math.max(0, start - reach), start), -2)
  if ([...after, ...before].some((concept) => slot.nameConcepts.has(concept))) return 3
  if (
    /^(?:n|count|number|quantity|limit|how many|amount)$/.test(slot.words) &&
    tool.nameConcepts.has(after[0] ?? '')
  )
    return 3
  if (after.some((concept) => secondsOf.has(concept) && timeUnitOf(slot))) return 2
  if (after.some((concept) => slot.textConcepts.has(concept))) return 2
  if (/^\s*%/.test(reading.text.slice(end)) && /percent|rate/.test(slot.words)) return 2
  return /[$€£]\s*$/.test(reading.text.slice(0, start)) &&
    /amount|price|cost|budget|money|value/.test(slot.words)
    ? 2
    : 0
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
  const rest = reading.masked.slice(end)
  const [counted = '', noun = ''] = /^\s+(\p{L}+)/u.exec(rest) ?? []
  if (slot.nameConcepts.has(toConcept(noun)) || slot.textConcepts.has(toConcept(noun)))
    return { start: end, end: end + counted.length }
  const [unit = ''] = /^\s*(?:%|percent\b|degrees?\b|(?:seconds?|minutes?|hours?|days?)\b)?/i.exec(rest) ?? []
  return { start: end, end: end + unit.length }
}

// "2 hours" for a slot in minutes is 120.
function inUnitOf(slot: Slot, { value, end }: FoundNumber, { reading }: Scene): number {
  const own = timeUnitOf(slot)
  const [, word = ''] = /^\s*(\w+)/.exec(reading.masked.slice(end)) ?? []
  const given = secondsOf.get(toConcept(word))
  return own && given ? (value * given) / own : value
}

function timeUnitOf(slot: Slot): number | undefined {
  const unit = [...slot.nameConcepts, ...slot.textConcepts].find((concept) => secondsOf.has(concept))
  return unit === undefined ? undefined : secondsOf.get(unit)
}

function fits({ schema }: Slot, value: number): boolean {
  if (schema.type === 'integer' && !Number.isInteger(value)) return false
  return !(Number(schema.minimum) > value) && !(Number(schema.maximum) < value)
}
