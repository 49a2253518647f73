import { inflateSync } from 'node:zlib'
import { type PngChunk, paletteType, pngChunks, pngHeader } from '@capstan/formats/png'

/** A decoded image. `rgba` contains four bytes per pixel, row by row. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

/** The maximum number of pixels in a PNG. Larger images are not decoded. */
const maxPixels = 16_000_000

/**
 * Decodes a PNG. Undefined if the PNG is damaged, too large or interlaced, or does not have 8 bits per channel. Nearly
 * all PNGs have 8 bits per channel and are not interlaced.
 */
export function readPng(bytes: Uint8Array): Picture | undefined {
  const chunks = pngChunks(bytes)
  const header = pngHeader(chunks[0])
  if (header?.depth !== 8 || header.isInterlaced) return undefined
  const { width, height, channels, colorType } = header
  if (width * height > maxPixels) return undefined
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ body }) => body))
  const stride = width * channels + 1
  try {
    const lines = inflateSync(packed, { maxOutputLength: stride * height })
    if (lines.length !== stride * height) return undefined
    const palette = colorType === paletteType ? toPalette(chunks) : undefined
    return { width, height, rgba: toRgba(unfilter(lines, stride, channels), channels, palette) }
  } catch {
    return undefined
  }
}

/** Reverses the PNG line filters. Returns the pixels' bytes without the filter byte that starts each line. */
function unfilter(lines: Buffer, stride: number, step: number): Uint8Array {
  const size = stride - 1
  const pixels = new Uint8Array((lines.length / stride) * size)
  for (let row = 0; row * stride < lines.length; row++) {
    const filter = lines[row * stride] ?? 0
    const start = row * size
    for (let at = 0; at < size; at++) {
      const left = at < step ? 0 : (pixels[start + at - step] ?? 0)
      const up = row === 0 ? 0 : (pixels[start + at - size] ?? 0)
      const corner = row === 0 || at < step ? 0 : (pixels[start + at - size - step] ?? 0)
      const given = lines[row * stride + 1 + at] ?? 0
      pixels[start + at] = given + predict(filter, { left, up, corner })
    }
  }
  return pixels
}

interface Neighbours {
  readonly left: number
  readonly up: number
  readonly corner: number
}

function predict(filter: number, { left, up, corner }: Neighbours): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const estimate = left + up - corner
  const [toLeft, toUp, toCorner] = [left, up, corner].map((one) => Math.abs(estimate - one)) as [
    number,
    number,
    number,
  ]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

/** Returns the palette as four bytes (RGBA) per colour. Undefined if the image has no palette. */
function toPalette(chunks: readonly PngChunk[]): Uint8Array | undefined {
  const colours = chunks.find(({ type }) => type === 'PLTE')?.body
  const alpha = chunks.find(({ type }) => type === 'tRNS')?.body
  if (!colours) return undefined
  const count = Math.floor(colours.length / 3)
  return Uint8Array.from({ length: count * 4 }, (_, at) => {
    const [entry, channel] = [at >> 2, at & 3]
    return channel === 3 ? (alpha?.[entry] ?? 255) : (colours[entry * 3 + channel] ?? 0)
  })
}

function toRgba(pixels: Uint8Array, channels: number, palette: Uint8Array | undefined): Uint8Array {
  const count = pixels.length / channels
  const rgba = new Uint8Array(count * 4).fill(255)
  const isGrey = channels < 3 && !palette
  for (let pixel = 0; pixel < count; pixel++) {
    const from = pixel * channels
    const to = pixel * 4
    if (palette) {
      const entry = (pixels[from] ?? 0) * 4
      rgba.set(palette.subarray(entry, entry + 4), to)
      continue
    }
    for (let colour = 0; colour < 3; colour++) rgba[to + colour] = pixels[from + (isGrey ? 0 : colour)] ?? 0
    if (channels % 2 === 0) rgba[to + 3] = pixels[from + channels - 1] ?? 255
  }
  return rgba
}

/**
 * The number of levels of red, green and blue in the fixed palette of 252 colours. Green has the most, because eyes are
 * most sensitive to green.
 */
const steps = [6, 7, 6] as const

/** Renders an image as sixels, scaled down to fit `most`. The background shows through transparent pixels. */
export function toSixel(
  { width, height, rgba }: Picture,
  most: { readonly width: number; readonly height: number },
): string {
  const scale = Math.min(1, most.width / width, most.height / height)
  const columns = Math.max(1, Math.floor(width * scale))
  const rows = Math.max(1, Math.floor(height * scale))
  const colourAt = (x: number, y: number): number => {
    const from = (Math.floor(y / scale) * width + Math.floor(x / scale)) * 4
    return (rgba[from + 3] ?? 0) < 128 ? -1 : toColour(rgba, from)
  }
  const bands: string[] = []
  const used = new Set<number>()
  for (let top = 0; top < rows; top += 6) {
    const layers = new Map<number, Uint8Array>()
    for (let x = 0; x < columns; x++)
      for (let y = 0; y < Math.min(6, rows - top); y++) {
        const colour = colourAt(x, top + y)
        if (colour === -1) continue
        const layer = layers.get(colour) ?? new Uint8Array(columns)
        layers.set(colour, layer)
        layer[x] = (layer[x] ?? 0) | (1 << y)
        used.add(colour)
      }
    bands.push([...layers].map(([colour, layer]) => `#${colour}${toRuns(layer)}`).join('$'))
  }
  const palette = [...used].map((colour) => `#${colour};2;${toPercents(colour).join(';')}`).join('')
  return `\x1bP0;1q"1;1;${columns};${rows}${palette}${bands.join('-')}\x1b\\`
}

function toColour(rgba: Uint8Array, from: number): number {
  const [red, green, blue] = steps.map((count, channel) =>
    Math.round(((rgba[from + channel] ?? 0) / 255) * (count - 1)),
  ) as [number, number, number]
  return (red * steps[1] + green) * steps[2] + blue
}

function toPercents(colour: number): readonly number[] {
  const parts = [
    Math.floor(colour / (steps[1] * steps[2])),
    Math.floor(colour / steps[2]) % steps[1],
    colour % steps[2],
  ]
  return parts.map((part, channel) => Math.round((part / ((steps[channel] ?? 2) - 1)) * 100))
}

/**
 * Encodes one colour's six-pixel columns. Four or more equal columns in a row are written as a count and one column.
 */
function toRuns(layer: Uint8Array): string {
  let text = ''
  for (let at = 0; at < layer.length; ) {
    let end = at + 1
    while (end < layer.length && layer[end] === layer[at]) end++
    const sign = String.fromCharCode(63 + (layer[at] ?? 0))
    text += end - at > 3 ? `!${end - at}${sign}` : sign.repeat(end - at)
    at = end
  }
  return text
}
