import type { Area, Canvas } from '../canvas.js'
import { type Random, seededRandom } from '../random.js'
import { improveMatches, type Level, type Raster, repaintHole, shrink, toLevel } from './patch-match.js'
import type { Region } from './region.js'

/** The maximum length of each side of the raster for a hole, in pixels. Larger surroundings are scaled down first. */
const workingSide = 224

/**
 * Fills a region with patches from its surroundings. Returns false if the surroundings are too small. Does not change
 * pixels outside the region.
 */
export function fillRegion(canvas: Canvas, region: Region, seed: number): boolean {
  const crop = around(region)
  const scale = Math.max(1, Math.ceil(Math.max(crop.right - crop.left, crop.bottom - crop.top) / workingSide))
  const levels = toLevels(shrink({ ...canvas, image: canvas.data, hole: region.inside }, crop, scale))
  const random = seededRandom(seed)
  let done: Level | undefined
  for (const level of levels) {
    startLevel(level, done, random)
    // The smallest level starts with a guess of the background. More passes would lose it.
    for (let pass = 0; pass < (done ? 3 : 1); pass++) {
      improveMatches(level, random)
      repaintHole(level)
    }
    done = level
  }
  if (done) copyBack(canvas, region, { level: done, crop, scale })
  return done !== undefined
}

/** The rectangle of the region with some of its surroundings. */
function around({ bounds, width, height }: Region): Area {
  const margin = Math.max(48, 0.75 * Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top))
  return {
    left: Math.max(0, Math.floor(bounds.left - margin)),
    top: Math.max(0, Math.floor(bounds.top - margin)),
    right: Math.min(width, Math.ceil(bounds.right + margin)),
    bottom: Math.min(height, Math.ceil(bounds.bottom + margin)),
  }
}

/** Returns the raster at repeatedly halved sizes, from small to large, as long as the surroundings are large enough. */
function toLevels(finest: Raster): Level[] {
  const levels: Level[] = []
  for (let raster = finest; Math.min(raster.width, raster.height) >= 14; ) {
    const level = toLevel(raster)
    if (level.sources.length < 20) break
    levels.unshift(level)
    raster = shrink(raster, { left: 0, top: 0, right: raster.width, bottom: raster.height }, 2)
  }
  return levels
}

/**
 * Creates the initial matches: the matches of the previous level or, if there is none, random matches with an
 * interpolated background.
 */
function startLevel(level: Level, coarser: Level | undefined, random: Random): void {
  const { width, sources, isSource, match } = level
  for (const target of level.targets) {
    const x = target % width
    const y = (target - x) / width
    const before = coarser?.match[(y >> 1) * coarser.width + (x >> 1)] ?? -1
    const guess =
      coarser && before >= 0
        ? (Math.floor(before / coarser.width) * 2 + (y & 1)) * width + (before % coarser.width) * 2 + (x & 1)
        : -1
    match[target] = isSource[guess] ? guess : (sources[Math.floor(random() * sources.length)] ?? 0)
  }
  if (coarser) copyMatches(level)
  else bridgeHole(level)
}

function copyMatches({ image, hole, match }: Level): void {
  for (let pixel = 0; pixel < hole.length; pixel++) {
    if (hole[pixel]) copyPixel(image, match[pixel] ?? pixel, pixel)
  }
}

function copyPixel(image: Float32Array, from: number, to: number): void {
  for (let c = 0; c < 3; c++) image[to * 3 + c] = image[from * 3 + c] ?? 0
}

/** Fills each missing part of a row with a gradient between the colours at the part's ends. */
function bridgeHole(level: Level): void {
  const { width, height, hole } = level
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!hole[y * width + x]) continue
      let end = x
      while (end < width && hole[y * width + end]) end++
      bridge(level, y * width + x - 1, { steps: end - x, open: [x === 0, end === width] })
      x = end
    }
  }
}

interface Gap {
  readonly steps: number
  /** Whether there is no known pixel to the left, and whether there is none to the right. */
  readonly open: readonly [boolean, boolean]
}

function bridge({ image }: Level, left: number, { steps, open }: Gap): void {
  const right = left + steps + 1
  const [from, to] = [open[0] ? right : left, open[1] ? left : right]
  for (let i = 1; i <= steps; i++) {
    const part = i / (steps + 1)
    for (let c = 0; c < 3; c++) {
      const [a, b] = [image[from * 3 + c] ?? 0.5, image[to * 3 + c] ?? 0.5]
      image[(left + i) * 3 + c] = a + (b - a) * part
    }
  }
}

/** A filled level, the area of the canvas that it covers, and its scale. */
interface Found {
  readonly level: Level
  readonly crop: Area
  readonly scale: number
}

/** Applies the matches at full size, so that the filling is as sharp as its source. */
function copyBack(canvas: Canvas, region: Region, found: Found): void {
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
  /** Gets red, green, blue and the total weight. */
  readonly sum: Float64Array
}

/** Sums the colours of the four nearest matches for a pixel, weighted by distance. */
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
    // If there is no match to copy from, uses the colour of the small image.
    const [data, from] = sharp ? [canvas.data, y * width + x] : [level.image, here]
    for (let c = 0; c < 3; c++)
      sum[c] = (sum[c] ?? 0) + weight * ((data[from * 3 + c] ?? 0) + (correction[here * 3 + c] ?? 0))
    sum[3] = (sum[3] ?? 0) + weight
  }
}

/** Larger differences in colour are edges of things, not seams. */
const mostCorrected = 0.09

/**
 * Returns a correction for each pixel of a filled hole, to adjust the hole's tone to its surroundings. Spreads the
 * difference at the edge smoothly over the inside. The result has three numbers per pixel, at the size of the level.
 */
function seamCorrection(level: Level): Float32Array {
  const { width, height, hole } = level
  const correction = new Float32Array(width * height * 3)
  const missing: number[] = []
  for (let pixel = 0; pixel < hole.length; pixel++) {
    if (hole[pixel]) missing.push(pixel)
    else setStep(level, pixel, correction)
  }
  for (let round = 0; round < 80; round++) {
    // Alternates the direction, so that a difference reaches the other side in one pass.
    for (let k = 0; k < missing.length; k++) {
      relax(level, missing[round % 2 ? missing.length - 1 - k : k] ?? 0, correction)
    }
  }
  return correction
}

/**
 * Returns the difference between a known pixel next to the hole and the filling, if the filling were continued to that
 * pixel.
 */
function setStep({ width, image, hole, match }: Level, pixel: number, correction: Float32Array): void {
  const beside = [1, -1, width, -width].filter((step) => hole[pixel + step])
  for (const step of beside) {
    const from = (match[pixel + step] ?? 0) - step
    for (let c = 0; c < 3; c++) {
      const difference = (image[pixel * 3 + c] ?? 0) - (image[from * 3 + c] ?? 0)
      const bounded = Math.max(-mostCorrected, Math.min(mostCorrected, difference))
      correction[pixel * 3 + c] = (correction[pixel * 3 + c] ?? 0) + bounded / beside.length
    }
  }
}

function relax({ width, height }: Level, pixel: number, correction: Float32Array): void {
  const x = pixel % width
  const left = x > 0 ? pixel - 1 : pixel
  const right = x < width - 1 ? pixel + 1 : pixel
  const above = pixel >= width ? pixel - width : pixel
  const below = pixel < width * (height - 1) ? pixel + width : pixel
  for (let c = 0; c < 3; c++) {
    const sum =
      (correction[left * 3 + c] ?? 0) +
      (correction[right * 3 + c] ?? 0) +
      (correction[above * 3 + c] ?? 0) +
      (correction[below * 3 + c] ?? 0)
    correction[pixel * 3 + c] = sum / 4
  }
}
