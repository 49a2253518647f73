import type { Area } from '../canvas.js'
import type { Random } from '../random.js'

/**
 * Improves the matches. Tries the matches of neighbours, and random ones at decreasing distances from the current
 * match.
 */
export function improveMatches(level: Level, random: Random): void {
  for (const target of level.targets) level.cost[target] = difference(level, target, level.match[target] ?? 0)
  for (const forward of [true, false]) {
    const step = forward ? 1 : -1
    const count = level.targets.length
    for (let k = 0; k < count; k++) {
      const target = level.targets[forward ? k : count - 1 - k] ?? 0
      tryNeighbour(level, target, step)
      tryNeighbour(level, target, step * level.width)
      searchAround(level, target, random)
    }
  }
}

/** Repaints the hole. Each pixel gets the mean of the colours that the matches around it suggest. */
export function repaintHole(level: Level): void {
  const { width, height, image, hole, match, cost } = level
  for (let pixel = 0; pixel < hole.length; pixel++) {
    if (!hole[pixel]) continue
    const x = pixel % width
    const y = (pixel - x) / width
    let [r, g, b, total] = [0, 0, 0, 0]
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        if (x - dx < 0 || x - dx >= width || y - dy < 0 || y - dy >= height) continue
        const target = pixel - dy * width - dx
        const from = ((match[target] ?? -1) + dy * width + dx) * 3
        if ((match[target] ?? -1) < 0) continue
        const weight = 1 / (0.02 + (cost[target] ?? 0))
        r += (image[from] ?? 0) * weight
        g += (image[from + 1] ?? 0) * weight
        b += (image[from + 2] ?? 0) * weight
        total += weight
      }
    }
    image[pixel * 3] = r / total
    image[pixel * 3 + 1] = g / total
    image[pixel * 3 + 2] = b / total
  }
}

function tryNeighbour(level: Level, target: number, step: number): void {
  const theirs = level.match[target - step] ?? -1
  if (theirs >= 0) tryMatch(level, target, theirs + step)
}

function searchAround(level: Level, target: number, random: Random): void {
  const { width, height, match } = level
  for (let radius = Math.max(width, height) / 2; radius >= 1; radius /= 2) {
    const at = match[target] ?? 0
    const x = (at % width) + Math.round((random() * 2 - 1) * radius)
    const y = Math.floor(at / width) + Math.round((random() * 2 - 1) * radius)
    if (x >= 0 && x < width && y >= 0 && y < height) tryMatch(level, target, y * width + x)
  }
}

function tryMatch(level: Level, target: number, candidate: number): void {
  if (!level.isSource[candidate]) return
  const best = level.cost[target] ?? 0
  const found = difference(level, target, candidate, best)
  if (found >= best) return
  level.match[target] = candidate
  level.cost[target] = found
}

/**
 * Returns the sum of squared differences between the surroundings of two pixels. Stops when the sum exceeds `limit`.
 */
function difference(level: Level, target: number, source: number, limit = Number.POSITIVE_INFINITY): number {
  const { width, height, image } = level
  const x = target % width
  const y = (target - x) / width
  // Landscapes have horizontal layers, so matches at the same height are better.
  const rise = (Math.floor(source / width) - y) / height
  let sum = rise * rise * 6
  for (let dy = Math.max(-reach, -y); dy <= Math.min(reach, height - 1 - y); dy++) {
    for (let dx = Math.max(-reach, -x); dx <= Math.min(reach, width - 1 - x); dx++) {
      const a = (target + dy * width + dx) * 3
      const b = (source + dy * width + dx) * 3
      const dr = (image[a] ?? 0) - (image[b] ?? 0)
      const dg = (image[a + 1] ?? 0) - (image[b + 1] ?? 0)
      const db = (image[a + 2] ?? 0) - (image[b + 2] ?? 0)
      sum += dr * dr + dg * dg + db * db
    }
    if (sum >= limit) return sum
  }
  return sum
}

/** An image with a hole. */
export interface Raster {
  readonly width: number
  readonly height: number
  /** Three numbers per pixel. Inside the hole, they are the current guess. */
  readonly image: Float32Array
  /** 1 for a missing pixel. */
  readonly hole: Uint8Array
}

/** A raster that contains, for each missing pixel, the known pixel that it copies. */
export interface Level extends Raster {
  /** The pixels whose surroundings reach into the hole. */
  readonly targets: Int32Array
  /** The pixels whose surroundings are all known. */
  readonly sources: Int32Array
  readonly isSource: Uint8Array
  /** The source with the most similar surroundings for each target. -1 for other pixels. */
  readonly match: Int32Array
  /** The difference between a target and its source. */
  readonly cost: Float32Array
}

/** The radius of a pixel's surroundings. */
const reach = 3

/** Creates a level for a raster, without matches. */
export function toLevel(raster: Raster): Level {
  const { width, height, hole } = raster
  const nearHole = dilated(raster)
  const isSource = new Uint8Array(hole.length)
  for (let y = reach; y < height - reach; y++) {
    for (let x = reach; x < width - reach; x++) isSource[y * width + x] = nearHole[y * width + x] ? 0 : 1
  }
  return {
    ...raster,
    targets: indicesOf(nearHole),
    sources: indicesOf(isSource),
    isSource,
    match: new Int32Array(hole.length).fill(-1),
    cost: new Float32Array(hole.length),
  }
}

function dilated({ width, height, hole }: Raster): Uint8Array {
  const across = new Uint8Array(hole.length)
  const result = new Uint8Array(hole.length)
  for (let i = 0; i < hole.length; i++) {
    const x = i % width
    for (let d = -Math.min(reach, x); d <= Math.min(reach, width - 1 - x); d++) if (hole[i + d]) across[i] = 1
  }
  for (let i = 0; i < hole.length; i++) {
    const y = Math.floor(i / width)
    for (let d = -Math.min(reach, y); d <= Math.min(reach, height - 1 - y); d++)
      if (across[i + d * width]) result[i] = 1
  }
  return result
}

function indicesOf(flags: Uint8Array): Int32Array {
  const found: number[] = []
  for (let i = 0; i < flags.length; i++) if (flags[i]) found.push(i)
  return Int32Array.from(found)
}

/**
 * Scales an area of a raster down by a factor. Each pixel is the mean of the known pixels, or missing if most of them
 * are missing.
 */
export function shrink(raster: Raster, area: Area, scale: number): Raster {
  const width = Math.ceil((area.right - area.left) / scale)
  const height = Math.ceil((area.bottom - area.top) / scale)
  const image = new Float32Array(width * height * 3)
  const known = new Float32Array(width * height)
  const total = new Float32Array(width * height)
  for (let y = area.top; y < area.bottom; y++) {
    for (let x = area.left; x < area.right; x++) {
      const to = Math.floor((y - area.top) / scale) * width + Math.floor((x - area.left) / scale)
      const from = y * raster.width + x
      total[to] = (total[to] ?? 0) + 1
      if (raster.hole[from]) continue
      known[to] = (known[to] ?? 0) + 1
      for (let c = 0; c < 3; c++)
        image[to * 3 + c] = (image[to * 3 + c] ?? 0) + (raster.image[from * 3 + c] ?? 0)
    }
  }
  for (let i = 0; i < image.length; i++)
    image[i] = (image[i] ?? 0) / Math.max(1, known[Math.floor(i / 3)] ?? 1)
  const hole = Uint8Array.from(known, (count, i) => (count * 2 < (total[i] ?? 0) ? 1 : 0))
  return { width, height, image, hole }
}
