import { type Area, type Canvas, shade, wholeOf } from '../canvas.js'
import { luma } from '../color.js'
import type { Noun } from '../nouns/part.js'
import type { Side } from '../prompt/request.js'
import { between, type Random } from '../random.js'
import { shrink } from './shrink.js'

/** What needs a place: its size in pixels and where it belongs. */
export interface Guest {
  readonly wide: number
  readonly tall: number
  readonly home: Noun['home']
  readonly side?: Side
}

interface Room {
  /** Areas that are better left alone. */
  readonly taken: readonly Area[]
  readonly random: Random
}

/** Finds the calmest place for a thing: high for what flies, low for what stands or floats. */
export function freePlace(canvas: Canvas, guest: Guest, { taken, random }: Room): Area {
  const unrest = unrestOf(canvas)
  let best = someArea(canvas, guest, random)
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 80; attempt++) {
    const area = someArea(canvas, guest, random)
    const overlaps = taken.filter((other) => isOverlap(area, other)).length
    const cost = unrest(area) + overlaps + misfit(canvas, guest, area)
    if (cost < least) [best, least] = [area, cost]
  }
  return best
}

/** Any area of the guest's size where it may be, as far as that fits on the canvas. */
function someArea({ width, height }: Canvas, { wide, tall, home, side }: Guest, random: Random): Area {
  const [from, to] = (side && columns[side]) ?? [0.03, 0.97]
  const [low, high] = (side && rows[side]) ?? (home === 'sky' ? [0.03, 0.3] : [0.68, 0.95])
  const x = from * width + Math.max(0, (to - from) * width - wide) * random()
  // What flies hangs from its row, the rest stands on it.
  const y = height * between(random, low, high) - (home === 'sky' ? 0 : tall)
  const left = Math.max(0, Math.min(width - wide, x))
  const top = Math.max(0, Math.min(height * 0.98 - tall, y))
  return { left, top, right: left + wide, bottom: top + tall }
}

const columns: Partial<Record<Side, readonly [number, number]>> = {
  left: [0.03, 0.3],
  middle: [0.4, 0.6],
  right: [0.7, 0.97],
}

const rows: Partial<Record<Side, readonly [number, number]>> = { top: [0.03, 0.06], bottom: [0.92, 0.97] }

/** Boats like to stand on blue, the rest of the low ones on anything else. */
function misfit(canvas: Canvas, { home, tall }: Guest, area: Area): number {
  if (home === 'sky') return 0
  let blue = 0
  let count = 0
  shade(canvas, { ...area, top: area.bottom - tall * 0.15 }, ({ r, b }) => {
    blue += b - r
    count++
  })
  return (home === 'water' ? -1 : 1) * 0.5 * (blue / Math.max(1, count))
}

function isOverlap(a: Area, b: Area): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/** A measure of how much goes on in an area: the mean step in brightness between neighbouring cells. */
function unrestOf(canvas: Canvas): (area: Area) => number {
  const scale = Math.ceil(Math.max(canvas.width, canvas.height) / 96)
  const hole = new Uint8Array(canvas.width * canvas.height)
  const { width, height, image } = shrink({ ...canvas, image: canvas.data, hole }, wholeOf(canvas), scale)
  const levels = Float32Array.from({ length: width * height }, (_, i) =>
    luma({ r: image[i * 3] ?? 0, g: image[i * 3 + 1] ?? 0, b: image[i * 3 + 2] ?? 0 }),
  )
  const at = (x: number, y: number): number => levels[y * width + x] ?? 0
  return (area) => {
    const [left, top] = [Math.floor(area.left / scale), Math.floor(area.top / scale)]
    const [right, bottom] = [
      Math.min(width - 1, area.right / scale),
      Math.min(height - 1, area.bottom / scale),
    ]
    let sum = 0
    let count = 1
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        sum += Math.abs(at(x, y) - at(x + 1, y)) + Math.abs(at(x, y) - at(x, y + 1))
        count++
      }
    }
    return (sum / count) * 10
  }
}
