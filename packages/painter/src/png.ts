import { inflateSync } from 'node:zlib'
import {
  type PngHeader,
  paletteType,
  pngChunks,
  pngHeader,
  pngSignature,
  writePixels,
} from '@capstan/formats/png'
import { convertIndexedToRgb, decode, encode } from 'fast-png'
import { PaintError } from './paint-error.js'
import { blankPicture, type Picture, sizeFault } from './picture.js'

/** Encodes an image as a PNG. The same pixels result in the same bytes on every machine. */
export function encodePng({ width, height, pixels }: Picture): Uint8Array {
  const opaque = isOpaque(pixels)
  return encode({
    width,
    height,
    depth: 8,
    channels: opaque ? 3 : 4,
    data: opaque ? withoutAlpha(pixels) : pixels,
  })
}

/**
 * Decodes a PNG: grey, colour or palette, 1 to 16 bits, with or without transparency. Throws `invalid_image` for
 * anything else, with the detected format. `param` is the request field to name in the message.
 */
export function parsePng(bytes: Uint8Array, param: string): Picture {
  const { png, indexed } = checkPng(bytes, param)
  try {
    const decoded = decode(png)
    const picture = blankPicture(decoded.width, decoded.height)
    writePixels(picture.pixels, decoded, indexed ? convertIndexedToRgb(decoded) : undefined)
    return picture
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new PaintError(
      'invalid_image',
      `The PNG in "${param}" is damaged (${reason}). Save it again.`,
      param,
    )
  }
}

function isOpaque(pixels: Uint8ClampedArray): boolean {
  for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 255) return false
  return true
}

function withoutAlpha(pixels: Uint8ClampedArray): Uint8Array {
  const colors = new Uint8Array((pixels.length / 4) * 3)
  for (let from = 0, to = 0; from < pixels.length; from += 4) {
    for (let c = 0; c < 3; c++) colors[to++] = pixels[from + c] ?? 0
  }
  return colors
}

/** A PNG that is safe to decode. It contains only the chunks for its pixels, and the size in its header. */
interface CheckedPng {
  readonly png: Uint8Array
  /** Whether the pixels are indexes into a palette. */
  readonly indexed: boolean
}

/** Checks the structure of a PNG before its pixels are decompressed. Throws `invalid_image` with the problem. */
function checkPng(bytes: Uint8Array, param: string): CheckedPng {
  const fail = (why: string): PaintError =>
    new PaintError('invalid_image', `The PNG in "${param}" cannot be read: ${why}.`, param)
  if (!startsWith(bytes, pngSignature)) throw fail('it does not start like a PNG')
  const chunks = pngChunks(bytes)
  const header = pngHeader(chunks[0])
  const data = chunks.filter(({ type }) => type === 'IDAT')
  if (!header) throw fail('its header is missing or damaged')
  const { width, height, depth, colorType, isInterlaced } = header
  const tooLarge = sizeFault(width, height)
  if (tooLarge) throw fail(tooLarge)
  if (isInterlaced && depth < 8)
    throw fail(`it is interlaced with ${depth} bits per sample; save it without interlacing`)
  if (data.length === 0 || chunks.at(-1)?.type !== 'IEND') throw fail('it is cut off; send the entire file')
  const damage = checkData(Buffer.concat(data.map(({ body }) => body)), header)
  if (damage) throw fail(damage)
  // Keeps only the chunks for pixels, so that damaged or hostile text or a colour profile has no effect.
  const kept = chunks.filter(
    ({ type }) =>
      type === 'IHDR' ||
      type === 'IDAT' ||
      type === 'IEND' ||
      type === 'tRNS' ||
      (type === 'PLTE' && colorType === paletteType),
  )
  const png = Buffer.concat([pngSignature, ...kept.map(({ whole }) => whole)])
  return { png, indexed: colorType === paletteType }
}

/**
 * Checks the compressed pixels. If there are too few or far too many, or they cannot be decompressed, returns the
 * problem.
 */
function checkData(
  packed: Uint8Array,
  { width, height, depth, channels, isInterlaced }: PngHeader,
): string | undefined {
  const row = Math.ceil((width * depth * channels) / 8)
  // Interlacing splits an image into seven, and each of their rows begins with one byte.
  const most = isInterlaced ? row * height + 4 * height + 64 : (row + 1) * height
  try {
    const length = inflateSync(packed, { maxOutputLength: most + 1024 }).length
    return length < (isInterlaced ? row * height : most)
      ? 'some of its pixels are missing; send the entire file'
      : undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ERR_BUFFER_TOO_LARGE') return 'it holds more data than its size allows'
    return code === 'Z_BUF_ERROR' ? 'it is cut off; send the entire file' : 'its pixels cannot be unpacked'
  }
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => bytes[i] === byte)
}
