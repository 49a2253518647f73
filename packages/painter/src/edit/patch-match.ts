import type { Random } from '../random.js'
import { type Level, reach } from './level.js'

/** Looks for better matches: from the neighbours' ones, and at random ever closer around the present one. */
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

/** Repaints the hole: each pixel becomes the mean of what the matches around it would put there. */
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

/** The summed squared difference of two pixels' surroundings; stops counting above `limit`. */
function difference(level: Level, target: number, source: number, limit = Number.POSITIVE_INFINITY): number {
  const { width, height, image } = level
  const x = target % width
  const y = (target - x) / width
  // Landscapes lie in layers: what is found at the same height fits better than what is above or below.
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
