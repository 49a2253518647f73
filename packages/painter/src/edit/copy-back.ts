import type { Area, Canvas } from '../canvas.js'
import type { Level } from './level.js'
import type { Region } from './region.js'
import { seamCorrection } from './seam.js'

/** A filled level, and which part of the canvas it is at which scale. */
export interface Found {
  readonly level: Level
  readonly crop: Area
  readonly scale: number
}

/** Carries the matches over to the full size, so that the filling is as sharp as what it is taken from. */
export function copyBack(canvas: Canvas, region: Region, found: Found): void {
  const { bounds, inside, width } = region
  const sum = new Float64Array(4)
  const correction = seamCorrection(found.level)
  for (let y = bounds.top; y < bounds.bottom; y++) {
    for (let x = bounds.left; x < bounds.right; x++) {
      const pixel = y * width + x
      if (!inside[pixel]) continue
      gather(canvas, region, { ...found, correction, x, y, sum })
      for (let c = 0; c < 3; c++) canvas.data[pixel * 3 + c] = (sum[c] ?? 0) / (sum[3] ?? 1)
    }
  }
}

interface Spot extends Found {
  readonly x: number
  readonly y: number
  readonly correction: Float32Array
  /** Receives red, green, blue and the total weight. */
  readonly sum: Float64Array
}

/** Sums what the four nearest matches would put at a pixel, each by its nearness. */
function gather(canvas: Canvas, { inside, width, height }: Region, at: Spot): void {
  const { level, crop, scale, sum, correction } = at
  const u = (at.x - crop.left + 0.5) / scale - 0.5
  const v = (at.y - crop.top + 0.5) / scale - 0.5
  sum.fill(0)
  for (let corner = 0; corner < 4; corner++) {
    const column = Math.max(0, Math.min(level.width - 1, Math.floor(u) + (corner & 1)))
    const row = Math.max(0, Math.min(level.height - 1, Math.floor(v) + (corner >> 1)))
    const weight = Math.max(1e-4, (1 - Math.abs(u - column)) * (1 - Math.abs(v - row)))
    const here = row * level.width + column
    const match = level.match[here] ?? -1
    const x = at.x + ((match % level.width) - column) * scale
    const y = at.y + (Math.floor(match / level.width) - row) * scale
    const sharp = match >= 0 && x >= 0 && x < width && y >= 0 && y < height && !inside[y * width + x]
    // Where there is no match to copy, the small picture's own colour does.
    const [data, from] = sharp ? [canvas.data, y * width + x] : [level.image, here]
    for (let c = 0; c < 3; c++)
      sum[c] = (sum[c] ?? 0) + weight * ((data[from * 3 + c] ?? 0) + (correction[here * 3 + c] ?? 0))
    sum[3] = (sum[3] ?? 0) + weight
  }
}
