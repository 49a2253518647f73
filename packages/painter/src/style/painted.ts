import { type Canvas, colorAt, shade, wholeOf } from '../canvas.js'
import { dim, type Ink, luma, type Rgb, saturate, toRgb, toward } from '../color.js'
import { clamp, ramp } from '../ramp.js'
import type { Noise } from '../random.js'
import { blurred, smoothedHalf, smoothPatches, takeFromHalf } from './filters.js'

/** Paints thin colour on rough paper: pale washes with darker rims, and an unpainted margin. */
export function toWatercolour(canvas: Canvas, unit: number, noise: Noise): void {
  const { width, height } = canvas
  const small = smoothedHalf(canvas, [unit / 75, unit / 130])
  const levels = Float32Array.from({ length: small.width * small.height }, (_, i) =>
    levelOf(small.data, i * 3),
  )
  const soft = blurred(levels, small, unit / 240)
  const paper = toRgb('#fbf7ee')
  const slow = (valueAt: (u: number, v: number) => number) =>
    interpolated(canvas, unit / 256, (x, y) => valueAt(x / unit, y / unit))
  const bendX = slow((u, v) => (noise.layered(u * 9, v * 9, 2) - 0.5) * unit * 0.022)
  const bendY = slow((u, v) => (noise.layered(u * 9 + 31, v * 9 + 7, 2) - 0.5) * unit * 0.022)
  const washAt = slow((u, v) => noise.layered(u * 2.4 + 11, v * 2.4 + 5, 3))
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const [u, v] = [x / unit, y / unit]
    const [px, py] = [clampTo(x + bendX(x, y), width), clampTo(y + bendY(x, y), height)]
    takeFromHalf(pixel, small, px, py)
    // Paint gathers at the dark side of an edge.
    const i = (py >> 1) * small.width + (px >> 1)
    const rim = clamp(((soft[i] ?? 0) - luma(pixel)) * 3.2)
    saturate(pixel, 1.15)
    const wash = washAt(x, y)
    const grain = noise.at(u * 190, v * 190)
    toward(pixel, paper, clamp(0.2 + 0.42 * (wash - 0.35) + 0.1 * (grain - 0.5) - 0.35 * rim))
    dim(pixel, 1 - 0.22 * rim - 0.05 * (grain - 0.5))
    const border = Math.min(x, width - 1 - x, y, height - 1 - y) / unit
    if (border > 0.075) return
    toward(pixel, paper, ramp(0.05, 0.03, border + 0.045 * (noise.layered(u * 6 + 50, v * 6, 3) - 0.5)))
  })
}

/** Returns a slowly changing value for each pixel. It is computed only at the corners of square cells. */
function interpolated(
  { width, height }: Canvas,
  cell: number,
  valueAt: (x: number, y: number) => number,
): (x: number, y: number) => number {
  const side = Math.max(1, Math.floor(cell))
  const columns = Math.ceil(width / side) + 1
  const corners = Float32Array.from({ length: columns * (Math.ceil(height / side) + 1) }, (_, i) =>
    valueAt((i % columns) * side, Math.floor(i / columns) * side),
  )
  return (x, y) => {
    const column = Math.floor(x / side)
    const row = Math.floor(y / side)
    const u = x / side - column
    const v = y / side - row
    const i = row * columns + column
    const a = corners[i] ?? 0
    const b = corners[i + columns] ?? 0
    const upper = a + ((corners[i + 1] ?? 0) - a) * u
    return upper + (b + ((corners[i + columns + 1] ?? 0) - b) * u - upper) * v
  }
}

/** Paints thick colour, in patches that follow the forms and show the ridges of a brush. */
export function toOil(canvas: Canvas, unit: number, noise: Noise): void {
  const { width, height } = canvas
  const small = smoothedHalf(canvas, [unit / 62, unit / 90])
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const [u, v] = [x / unit, y / unit]
    // Strokes follow a direction that changes slowly over the image.
    const lean = noise.at(u * 2.2, v * 2.2) * 3 - 1.5
    const [along, across] = [u + lean * v * 0.4, v - lean * u * 0.4]
    const hair = noise.at(along * 26, across * 150)
    const stroke = noise.layered(along * 14 + 9, across * 42, 2)
    const shift = (stroke - 0.5) * unit * 0.03
    takeFromHalf(pixel, small, clampTo(x + shift, width), clampTo(y + shift * 0.6, height))
    saturate(pixel, 1.3)
    dim(pixel, 0.86 + 0.2 * hair + 0.14 * stroke)
  })
}

/** Paints square cells in a few colours. */
export function toPixels(canvas: Canvas, unit: number): void {
  const { width, height, data } = canvas
  const cell = Math.max(1, Math.round(unit / 68))
  const means = new Map<number, Ink>()
  const columns = Math.ceil(width / cell)
  const meanOf = (column: number, row: number): Ink => {
    const key = row * columns + column
    const known = means.get(key)
    if (known) return known
    const mean = toCell(cellMean({ width, height, data }, { column, row, cell }), column, row)
    means.set(key, mean)
    return mean
  }
  const colors = Array.from({ length: columns * Math.ceil(height / cell) }, (_, i) =>
    meanOf(i % columns, Math.floor(i / columns)),
  )
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const color = colors[Math.floor(y / cell) * columns + Math.floor(x / cell)]
    if (color) toward(pixel, color, 1)
  })
}

const bayer = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

/** Reduces a colour to a few levels. Between two levels, cells alternate in a pattern. */
function toCell(color: Ink, column: number, row: number): Ink {
  const steps = 6
  const nudge = ((bayer[(row % 4) * 4 + (column % 4)] ?? 0) / 16 - 0.47) * 0.55
  const mean = { ...color }
  saturate(mean, 1.35)
  const stepped = (value: number): number => clamp(Math.floor(value * steps + 0.5 + nudge) / steps)
  return { r: stepped(mean.r), g: stepped(mean.g), b: stepped(mean.b) }
}

interface Cell {
  readonly column: number
  readonly row: number
  readonly cell: number
}

function cellMean({ width, height, data }: Canvas, { column, row, cell }: Cell): Ink {
  const sum: Ink = { r: 0, g: 0, b: 0 }
  let count = 0
  for (let y = row * cell; y < Math.min(height, (row + 1) * cell); y++) {
    for (let x = column * cell; x < Math.min(width, (column + 1) * cell); x++) {
      const i = (y * width + x) * 3
      sum.r += data[i] ?? 0
      sum.g += data[i + 1] ?? 0
      sum.b += data[i + 2] ?? 0
      count++
    }
  }
  dim(sum, 1 / Math.max(1, count))
  return sum
}

/** Prints in five colours. Dots of the next lighter colour make up the tones in between. */
export function toPoster(canvas: Canvas, unit: number): void {
  smoothPatches(canvas, unit / 110)
  const inks = ['#1d1b3a', '#7a1f5c', '#e2413b', '#f6a52b', '#fdf0cf'] as const
  const colors: readonly Rgb[] = inks.map(toRgb)
  const dot = Math.max(3, unit / 90)
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const level = clamp((luma(pixel) - 0.1) * 1.2) * (colors.length - 1)
    const step = Math.min(colors.length - 2, Math.floor(level))
    const [u, v] = [(x + y) / dot, (x - y) / dot]
    const [du, dv] = [u - Math.floor(u) - 0.5, v - Math.floor(v) - 0.5]
    const away = Math.sqrt(du * du + dv * dv)
    toward(pixel, colors[step] ?? pixel, 1)
    // The dots grow until they touch, so that a smooth sky has all levels between two inks.
    toward(pixel, colors[step + 1] ?? pixel, ramp(0.06, -0.06, away - (level - step) * 0.75))
  })
}

/** Paints glass in lead: cells of one colour each, around scattered points. */
export function toMosaic(canvas: Canvas, unit: number, noise: Noise): void {
  const { width, height } = canvas
  const source = { ...canvas, data: canvas.data.slice() }
  const cell = Math.max(4, unit / 34)
  const lead = toRgb('#1c1a22')
  const seedAt = (column: number, row: number): readonly [number, number] => [
    (column + 0.15 + 0.7 * noise.at(column * 3.7 + 0.5, row * 5.3 + 0.5)) * cell,
    (row + 0.15 + 0.7 * noise.at(column * 4.9 + 60.5, row * 3.1 + 9.5)) * cell,
  ]
  const columns = Math.ceil(width / cell) + 4
  const seeds = Array.from({ length: columns * (Math.ceil(height / cell) + 4) }, (_, i) =>
    seedAt((i % columns) - 2, Math.floor(i / columns) - 2),
  )
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const [column, row] = [Math.floor(x / cell) + 2, Math.floor(y / cell) + 2]
    let [first, second, own] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0]
    for (let i = -1; i <= 1; i++) {
      for (let j = -1; j <= 1; j++) {
        const at = (row + i) * columns + column + j
        const seed = seeds[at] ?? [0, 0]
        const [dx, dy] = [seed[0] - x, seed[1] - y]
        const away = dx * dx + dy * dy
        if (away < first) [first, second, own] = [away, first, at]
        else if (away < second) second = away
      }
    }
    const [sx, sy] = seeds[own] ?? [x, y]
    toward(pixel, colorAt(source, clampTo(sx, width), clampTo(sy, height)), 1)
    saturate(pixel, 1.3)
    const edge = Math.sqrt(second) - Math.sqrt(first)
    dim(pixel, 0.92 + 0.2 * ramp(0, cell * 0.6, edge))
    toward(pixel, lead, ramp(cell * 0.16, cell * 0.08, edge))
  })
}

function levelOf(data: Float32Array, i: number): number {
  return 0.299 * (data[i] ?? 0) + 0.587 * (data[i + 1] ?? 0) + 0.114 * (data[i + 2] ?? 0)
}

function clampTo(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, Math.round(value)))
}
