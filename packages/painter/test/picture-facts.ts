// Measurements of images for tests.
import type { Picture } from '../src/picture.js'

/** A colour in bytes. */
export interface Pixel {
  readonly r: number
  readonly g: number
  readonly b: number
}

/** The colour at a pixel. */
export function pixelAt({ width, pixels }: Picture, x: number, y: number): Pixel {
  const i = (y * width + x) * 4
  return { r: pixels[i] ?? 0, g: pixels[i + 1] ?? 0, b: pixels[i + 2] ?? 0 }
}

/** A saturated red, in sun or shade. */
export function isRed({ r, g, b }: Pixel): boolean {
  return r > 110 && r > 2.1 * g && r > 2.1 * b
}

/** A saturated blue, deeper than any sky. */
export function isBlue({ r, g, b }: Pixel): boolean {
  return b > 110 && b > 2.1 * r && b > 1.5 * g
}

/** The share of the pixels, 0 to 1, for which a test is true. */
export function shareOf(picture: Picture, test: (pixel: Pixel, x: number, y: number) => boolean): number {
  let count = 0
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) if (test(pixelAt(picture, x, y), x, y)) count++
  }
  return count / (picture.width * picture.height)
}

/** The number of connected patches of at least `least` pixels for which a test is true. */
export function patchesOf(picture: Picture, test: (pixel: Pixel) => boolean, least: number): number {
  const { width, height } = picture
  const open = new Set<number>()
  for (let i = 0; i < width * height; i++)
    if (test(pixelAt(picture, i % width, Math.floor(i / width)))) open.add(i)
  let patches = 0
  for (const start of open) {
    const found = [start]
    open.delete(start)
    for (const i of found) {
      for (const next of [i - 1, i + 1, i - width, i + width]) if (open.delete(next)) found.push(next)
    }
    if (found.length >= least) patches++
  }
  return patches
}

/** The brightness of an image on a coarse grid, row by row. */
export function brightness(picture: Picture, cells = 16): number[] {
  return Array.from({ length: cells * cells }, (_, cell) => {
    const x = Math.floor((((cell % cells) + 0.5) * picture.width) / cells)
    const y = Math.floor(((Math.floor(cell / cells) + 0.5) * picture.height) / cells)
    const { r, g, b } = pixelAt(picture, x, y)
    return 0.299 * r + 0.587 * g + 0.114 * b
  })
}

/** The correlation of two series: 1 fully, 0 not at all. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (row: readonly number[]): number => row.reduce((sum, value) => sum + value, 0) / row.length
  const [meanA, meanB] = [mean(a), mean(b)]
  const covariance = mean(a.map((value, i) => (value - meanA) * ((b[i] ?? 0) - meanB)))
  const spread = (row: readonly number[], middle: number): number =>
    Math.sqrt(mean(row.map((value) => (value - middle) * (value - middle))))
  return covariance / (spread(a, meanA) * spread(b, meanB))
}

/** The standard deviation of the brightness: 0 for a blank image. */
export function contrast(picture: Picture): number {
  const levels = brightness(picture, 24)
  const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length
  return Math.sqrt(levels.reduce((sum, level) => sum + (level - mean) * (level - mean), 0) / levels.length)
}

/** An image as another program would make it: without its scene. */
export function withoutScene({ width, height, pixels }: Picture): Picture {
  return { width, height, pixels }
}
