import { blankCanvas, sampleAt, shade, toCanvas, toPicture, wholeOf } from './canvas.js'
import { type Ink, toward } from './color.js'
import { sceneOf } from './edit/kept-scene.js'
import { paintKept } from './paint-prompt.js'
import type { Picture } from './picture.js'
import { wave } from './ramp.js'
import { hashText, type Noise, seededNoise } from './random.js'

/**
 * Varies an image. An image from the painter gets a new composition. In any other image, the colours are shifted and
 * the content is gently bent, and every second variation is also mirrored.
 */
export function varyPicture({ picture, index = 0 }: { picture: Picture; index?: number }): Picture {
  const scene = sceneOf(picture)
  if (scene) return paintKept({ ...scene, seed: hashText(`variation ${index}`, scene.seed) }, picture)
  const { width, height } = picture
  const source = toCanvas(picture)
  const canvas = blankCanvas(width, height)
  const recolor = toRecolor(index)
  const bend = toBend(seededNoise(hashText('variation', index)), Math.min(width, height))
  const mirrored = index % 2 === 0
  const from = (x: number, y: number): [number, number] => bend(mirrored ? width - 1 - x : x, y)
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    toward(ink, sampleAt(source, ...from(x, y)), 1)
    recolor(ink)
  })
  const result = toPicture(canvas)
  for (let i = 0; i < width * height; i++) {
    const [x, y] = from(i % width, Math.floor(i / width))
    result.pixels[i * 4 + 3] = picture.pixels[(within(y, height) * width + within(x, width)) * 4 + 3] ?? 0
  }
  return result
}

/** Returns a function that rotates colours around the grey axis of YIQ, which keeps their brightness. */
function toRecolor(index: number): (ink: Ink) => void {
  // Alternates the direction and goes a little farther each time, because similar hues look more natural.
  const turn = (index % 2 === 0 ? 1 : -1) * (0.07 + 0.05 * Math.floor(index / 2))
  const cos = wave(turn + 0.25)
  const sin = wave(turn)
  return (ink) => {
    const { r, g, b } = ink
    const y = 0.299 * r + 0.587 * g + 0.114 * b
    const i = 0.596 * r - 0.274 * g - 0.322 * b
    const q = 0.211 * r - 0.523 * g + 0.312 * b
    const turnedI = i * cos - q * sin
    const turnedQ = i * sin + q * cos
    ink.r = y + 0.956 * turnedI + 0.621 * turnedQ
    ink.g = y - 0.272 * turnedI - 0.647 * turnedQ
    ink.b = y - 1.106 * turnedI + 1.703 * turnedQ
  }
}

/** Returns a function for the source position of each pixel. The position is slightly displaced, in slow waves. */
function toBend(noise: Noise, unit: number): (x: number, y: number) => [number, number] {
  const reach = unit * 0.03
  const scale = 3 / unit
  return (x, y) => [
    x + (noise.at(x * scale, y * scale) - 0.5) * reach,
    y + (noise.at(x * scale + 31, y * scale + 17) - 0.5) * reach,
  ]
}

/** Returns the nearest integer from 0 to below `size`. */
function within(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, Math.round(value)))
}
