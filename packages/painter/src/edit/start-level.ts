import type { Random } from '../random.js'
import type { Level } from './level.js'

/** First matches: those of the level before, or chance, with the hole bridged by its background. */
export function startLevel(level: Level, coarser: Level | undefined, random: Random): void {
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

/** Each missing stretch of a row runs from the colour at its left end to the one at its right. */
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
  /** Whether it has no known pixel at its left, at its right. */
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
