import type { Level } from './level.js'

/** Steps in colour larger than this are edges of things rather than seams. */
const mostCorrected = 0.09

/**
 * What to add to each pixel of a filled hole (three numbers a pixel, at the level's size) so that its tone
 * meets the tone around it: the step at the hole's edge, spread smoothly over the inside.
 */
export function seamCorrection(level: Level): Float32Array {
  const { width, height, hole } = level
  const correction = new Float32Array(width * height * 3)
  const missing: number[] = []
  for (let pixel = 0; pixel < hole.length; pixel++) {
    if (hole[pixel]) missing.push(pixel)
    else setStep(level, pixel, correction)
  }
  for (let round = 0; round < 80; round++) {
    // Up and down in turn, so that a step reaches the other side in one round.
    for (let k = 0; k < missing.length; k++) {
      relax(level, missing[round % 2 ? missing.length - 1 - k : k] ?? 0, correction)
    }
  }
  return correction
}

/** At a known pixel beside the hole: how much it differs from what the filling would continue with there. */
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
