import { type Ink, mix, type Rgb } from './color.js'
import { blankPicture, type Picture } from './picture.js'
import { scramble } from './random.js'

/**
 * An image that is being painted. It has three numbers per pixel, from 0 to 1, so that many thin layers show no steps.
 */
export interface Canvas {
  readonly width: number
  readonly height: number
  readonly data: Float32Array
}

/** A rectangle of pixels. Right and bottom are exclusive. */
export interface Area {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Changes the colour of a pixel in place. */
export type Shader = (ink: Ink, x: number, y: number) => void

/** Returns a black canvas. */
export function blankCanvas(width: number, height: number): Canvas {
  return { width, height, data: new Float32Array(width * height * 3) }
}

/** Runs a shader for each pixel of an area that is on the canvas. */
export function shade(canvas: Canvas, area: Area, shader: Shader): void {
  const { width, data } = canvas
  const left = Math.max(0, Math.floor(area.left))
  const right = Math.min(width, Math.ceil(area.right))
  const top = Math.max(0, Math.floor(area.top))
  const bottom = Math.min(canvas.height, Math.ceil(area.bottom))
  const ink: Ink = { r: 0, g: 0, b: 0 }
  for (let y = top; y < bottom; y++) {
    for (let x = left, i = (y * width + left) * 3; x < right; x++, i += 3) {
      ink.r = data[i] ?? 0
      ink.g = data[i + 1] ?? 0
      ink.b = data[i + 2] ?? 0
      shader(ink, x, y)
      data[i] = ink.r
      data[i + 1] = ink.g
      data[i + 2] = ink.b
    }
  }
}

/** Returns the area of the entire canvas. */
export function wholeOf(size: { readonly width: number; readonly height: number }): Area {
  return { left: 0, top: 0, right: size.width, bottom: size.height }
}

/** Returns the colour of a pixel. For a position outside the canvas, returns the colour of the nearest pixel. */
export function colorAt(canvas: Canvas, x: number, y: number): Rgb {
  const column = Math.min(canvas.width - 1, Math.max(0, Math.round(x)))
  const row = Math.min(canvas.height - 1, Math.max(0, Math.round(y)))
  const i = (row * canvas.width + column) * 3
  return { r: canvas.data[i] ?? 0, g: canvas.data[i + 1] ?? 0, b: canvas.data[i + 2] ?? 0 }
}

/** Returns the colour at a point, interpolated from the four pixels around it. */
export function sampleAt(canvas: Canvas, x: number, y: number): Rgb {
  const left = Math.floor(x)
  const top = Math.floor(y)
  const upper = mix(colorAt(canvas, left, top), colorAt(canvas, left + 1, top), x - left)
  const lower = mix(colorAt(canvas, left, top + 1), colorAt(canvas, left + 1, top + 1), x - left)
  return mix(upper, lower, y - top)
}

/** Returns the canvas as an opaque image. */
export function toPicture(canvas: Canvas): Picture {
  const picture = blankPicture(canvas.width, canvas.height)
  for (let pixel = 0; pixel < canvas.width * canvas.height; pixel++) {
    // Adds a little fixed noise before rounding, which prevents banding in a smooth sky.
    const dither = scramble(pixel) / 4294967296 - 0.5
    for (let channel = 0; channel < 3; channel++) {
      picture.pixels[pixel * 4 + channel] = (canvas.data[pixel * 3 + channel] ?? 0) * 255 + dither
    }
    picture.pixels[pixel * 4 + 3] = 255
  }
  return picture
}

/** Converts an image to a canvas. Drops transparency. */
export function toCanvas(picture: Picture): Canvas {
  const canvas = blankCanvas(picture.width, picture.height)
  for (let pixel = 0; pixel < picture.width * picture.height; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      canvas.data[pixel * 3 + channel] = (picture.pixels[pixel * 4 + channel] ?? 0) / 255
    }
  }
  return canvas
}

/** Returns the mean colour of an area. */
export function meanColor(canvas: Canvas, area: Area): Rgb {
  const sum: Ink = { r: 0, g: 0, b: 0 }
  let count = 0
  shade(canvas, area, (ink) => {
    sum.r += ink.r
    sum.g += ink.g
    sum.b += ink.b
    count++
  })
  const n = Math.max(1, count)
  return { r: sum.r / n, g: sum.g / n, b: sum.b / n }
}
