import { expect, test } from 'vitest'
import { blankCanvas, type Canvas, shade, wholeOf } from '../canvas.js'
import { fillRegion } from './inpaint.js'
import type { Region } from './region.js'

const side = 120

test('fills a hole in a pattern with the pattern', () => {
  const pattern = (x: number, y: number): number =>
    (Math.floor(x / 6) + Math.floor(y / 6)) % 2 === 0 ? 0.9 : 0.1
  const canvas = painted(pattern)
  const hole = square(45, 75)
  shade(canvas, hole.bounds, (ink) => Object.assign(ink, { r: 0.5, g: 0.5, b: 0.5 }))
  expect(fillRegion(canvas, hole, 1)).toBe(true)
  // Half of it would be right by chance.
  const right = inside(canvas, hole).filter(([x, y, value]) => Math.abs(value - pattern(x, y)) < 0.25)
  expect(right.length / hole.count).toBeGreaterThan(0.9)
})

test('fills a hole in a gradient without a step', () => {
  const tone = (x: number, y: number): number => 0.2 + (0.4 * x) / side + (0.2 * y) / side
  const canvas = painted(tone)
  const hole = square(40, 80)
  fillRegion(canvas, hole, 1)
  const wrong = inside(canvas, hole).map(([x, y, value]) => Math.abs(value - tone(x, y)))
  expect(Math.max(...wrong)).toBeLessThan(0.08)
})

test('keeps the pixels outside the hole', () => {
  const canvas = painted((x, y) => ((x * 7 + y * 13) % 29) / 29)
  const before = canvas.data.slice()
  const hole = square(30, 60)
  fillRegion(canvas, hole, 1)
  const changed = [...before.keys()].filter((i) => before[i] !== canvas.data[i])
  expect(changed.every((i) => hole.inside[Math.floor(i / 3)])).toBe(true)
})

test('cannot fill a region without surroundings', () => {
  const canvas = painted(() => 0.5)
  expect(fillRegion(canvas, square(0, side), 1)).toBe(false)
  expect(canvas.data).toEqual(painted(() => 0.5).data)
})

function painted(value: (x: number, y: number) => number): Canvas {
  const canvas = blankCanvas(side, side)
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    ink.r = value(x, y)
    ink.g = value(x, y)
    ink.b = value(x, y)
  })
  return canvas
}

function square(from: number, to: number): Region {
  const within = (value: number): boolean => value >= from && value < to
  const marked = Uint8Array.from({ length: side * side }, (_, i) =>
    within(i % side) && within(Math.floor(i / side)) ? 1 : 0,
  )
  const bounds = { left: from, top: from, right: to, bottom: to }
  return { width: side, height: side, inside: marked, bounds, count: (to - from) * (to - from) }
}

function inside({ data }: Canvas, region: Region): [x: number, y: number, value: number][] {
  return [...region.inside.keys()]
    .filter((i) => region.inside[i])
    .map((i) => [i % side, Math.floor(i / side), data[i * 3] ?? 0])
}
