import type { Filled } from './filled.js'
import type { Span } from './read-clause.js'
import { readClause } from './read-clause.js'
import type { Picked, Scene } from './scene.js'
import { toScene } from './scene.js'
import type { Slot } from './slots.js'

/** Fills a list of objects: each part of "3 chairs at 45 dollars and 1 desk at 120" that has all an item needs. */
export function pickItems(
  { inner: [item] }: Slot,
  scene: Scene,
  fill: (slots: readonly Slot[], scene: Scene) => Filled,
): Picked | undefined {
  if (item?.kind !== 'object' || item.inner.length === 0) return undefined
  const tool = { ...scene.tool, slots: item.inner }
  const now = new Date(`${scene.reading.today}T12:00`)
  const counts = item.inner.some(({ kind, required }) => kind === 'number' && required)
  const found = toParts(scene, counts).flatMap(({ start, end }) => {
    const part = readClause(scene.reading.text.slice(start, end), now)
    const filled = fill(item.inner, toScene(tool, part, []))
    return filled.missing.length === 0 && filled.given.size > 0
      ? [{ value: filled.arguments, start, end }]
      : []
  })
  return found.length > 0 ? { value: found.map(({ value }) => value), spans: found } : undefined
}

// More than anyone lists in a sentence; bounds the work of a hostile clause.
const mostParts = 40

// The clause cut at commas and "and", without what other slots took; counted things begin with their number.
function toParts({ reading, taken }: Scene, counts: boolean): Span[] {
  const cuts = [...reading.masked.matchAll(/[,;\n]|\band\b|\bplus\b|(?<=\w):\s/gi)]
  const ends = [...cuts.map(({ index }) => index), reading.text.length]
  const starts = [0, ...cuts.map((cut) => cut.index + cut[0].length)]
  const parts = starts.slice(0, mostParts).map((start, index) => ({ start, end: ends[index] ?? start }))
  return parts.flatMap(({ start, end }) => {
    const used = taken.filter((span) => span.start < end && span.end > start)
    const isFree = (one: Span) => !used.some((span) => one.start < span.end && span.start < one.end)
    const number = reading.numbers.find((one) => one.start >= start && one.end <= end && isFree(one))
    if (counts) return number ? [{ start: number.start, end }] : []
    const from = Math.min(end, Math.max(start, ...used.map((span) => span.end)))
    return reading.text.slice(from, end).trim() === '' ? [] : [{ start: from, end }]
  })
}
