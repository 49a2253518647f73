import { viewOf } from './bytes.js'

/** The eight bytes that every PNG starts with. */
export const pngSignature: Uint8Array = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

export interface PngChunk {
  /** The type, such as `IHDR`, `IDAT` or `tEXt`. */
  readonly type: string
  readonly body: Uint8Array
  /** The entire chunk, including its length, type and checksum. */
  readonly whole: Uint8Array
}

/** Maximum number of chunks to read, because a malicious file may contain millions of empty ones. */
const maxChunks = 100_000

/**
 * Returns the chunks of a PNG up to `IEND`, or up to the position where the file is cut off. Does not verify checksums.
 */
export function pngChunks(bytes: Uint8Array): PngChunk[] {
  const view = viewOf(bytes)
  const chunks: PngChunk[] = []
  for (let at = pngSignature.length; at + 12 <= bytes.length && chunks.length < maxChunks; ) {
    const end = at + 12 + view.getUint32(at)
    if (end > bytes.length) break
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    chunks.push({ type, body: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) })
    if (type === 'IEND') break
    at = end
  }
  return chunks
}

export interface PngHeader {
  readonly width: number
  readonly height: number
  /** Bits per sample. */
  readonly depth: number
  readonly colorType: number
  /** Samples per pixel. An image with a palette has one. */
  readonly channels: number
  readonly isInterlaced: boolean
}

/** The colour type whose samples are indexes into a palette. */
export const paletteType = 3

/** Samples per pixel for each colour type: grey, colour, palette, grey with alpha, colour with alpha. */
const channelsByType: Readonly<Record<number, number>> = { 0: 1, 2: 3, [paletteType]: 1, 4: 2, 6: 4 }

/** Reads the header from a PNG's first chunk. Undefined if the header is damaged or the image has no pixels. */
export function pngHeader(chunk: PngChunk | undefined): PngHeader | undefined {
  if (chunk?.type !== 'IHDR' || chunk.body.length !== 13) return undefined
  const view = viewOf(chunk.body)
  const [width, height] = [view.getUint32(0), view.getUint32(4)]
  const [depth, colorType] = [view.getUint8(8), view.getUint8(9)]
  const channels = channelsByType[colorType]
  if (width === 0 || height === 0 || !channels) return undefined
  return { width, height, depth, colorType, channels, isInterlaced: view.getUint8(12) === 1 }
}

/** A decoded PNG in the form that fast-png returns. */
interface DecodedPng {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly depth: number
  readonly data: ArrayLike<number>
  /** The single transparent colour from a `tRNS` chunk. */
  readonly transparency?: ArrayLike<number>
}

/**
 * Writes a decoded PNG to `pixels` as red, green, blue and alpha bytes. For an image with a palette, pass the palette's
 * samples for each pixel as `colors`.
 */
export function writePixels(
  pixels: Uint8Array | Uint8ClampedArray,
  decoded: DecodedPng,
  colors?: ArrayLike<number>,
): void {
  const { width, height, channels, depth, transparency } = decoded
  const samples: Samples = colors
    ? { samples: colors, channels: colors.length / (width * height), scale: 1 }
    : { samples: unpackSamples(decoded), channels, scale: 255 / (2 ** depth - 1), transparency }
  writeSamples(pixels, samples)
}

interface Samples {
  readonly samples: ArrayLike<number>
  readonly channels: number
  readonly scale: number
  readonly transparency?: ArrayLike<number> | undefined
}

function writeSamples(
  pixels: Uint8Array | Uint8ClampedArray,
  { samples, channels, scale, transparency }: Samples,
): void {
  const colors = channels < 3 ? 1 : 3
  const hidden = transparency && Array.from(transparency)
  for (let from = 0, to = 0; to < pixels.length; from += channels) {
    for (let c = 0; c < 3; c++) pixels[to++] = (samples[from + (colors === 1 ? 0 : c)] ?? 0) * scale
    const isHidden = hidden?.every((value, c) => samples[from + c] === value)
    pixels[to++] = isHidden ? 0 : channels > colors ? (samples[from + colors] ?? 0) * scale : 255
  }
}

/** Unpacks samples of fewer than 8 bits to one number each. Each row starts at a byte boundary. */
function unpackSamples({ width, height, depth, data }: DecodedPng): ArrayLike<number> {
  if (depth >= 8) return data
  const samples = new Uint8Array(width * height)
  const perByte = 8 / depth
  const row = Math.ceil(width / perByte)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const byte = data[y * row + Math.floor(x / perByte)] ?? 0
      samples[y * width + x] = (byte >> (8 - depth * ((x % perByte) + 1))) & (2 ** depth - 1)
    }
  return samples
}
