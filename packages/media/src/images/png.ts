import { joinBytes } from '@capstan/core/internal'
import type { DecodedPng } from 'fast-png'
import { readUpTo } from '../inputs/byte-streams.js'

/** Pixels as bytes: red, green, blue, alpha. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

/** Decodes a PNG. Returns undefined if it is damaged, or unpacks to more than its header declares. */
export async function readPng(bytes: Uint8Array, { width, height }: ImageSize): Promise<Pixels | undefined> {
  const png = onlyPixelChunks(bytes)
  // At most 8 bytes per pixel, and one more per row of each of the seven passes.
  const most = (width * 8 + 1) * height + 8 * (height + width)
  if (!png || !(await unpacksWithin(most, bytes))) return undefined
  const { decode, convertIndexedToRgb } = await import('fast-png')
  try {
    const decoded = decode(png)
    return decoded.palette
      ? toPixels({
          ...decoded,
          depth: 8,
          data: convertIndexedToRgb(decoded),
          channels: paletteChannels(decoded),
        })
      : toPixels(decoded)
  } catch {
    return undefined
  }
}

interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Keeps only the chunks for pixels: texts and profiles may be hostile. */
function onlyPixelChunks(bytes: Uint8Array): Uint8Array | undefined {
  const chunks = pngChunks(bytes).filter(({ name }) => /^(IHDR|PLTE|tRNS|IDAT|IEND)$/.test(name))
  const parts = [bytes.subarray(0, 8), ...chunks.map(({ start, end }) => bytes.subarray(start, end))]
  // The decoder uses the last header, so there must be only one.
  const isOnce = chunks.filter(({ name }) => name === 'IHDR').length === 1
  return isOnce && chunks[0]?.name === 'IHDR' && chunks.at(-1)?.name === 'IEND' ? joinBytes(parts) : undefined
}

async function unpacksWithin(most: number, bytes: Uint8Array): Promise<boolean> {
  const data = pngChunks(bytes)
    .filter(({ name }) => name === 'IDAT')
    .map(({ start, end }) => bytes.subarray(start + 8, end - 4) as Uint8Array<ArrayBuffer>)
  const unpacked = new Blob(data).stream().pipeThrough(new DecompressionStream('deflate'))
  return (await readUpTo(most, unpacked).catch(() => undefined)) !== undefined
}

function paletteChannels({ palette = [] }: DecodedPng): number {
  return palette[0]?.length ?? 3
}

function toPixels({ width, height, channels, depth, data, transparency }: DecodedPng): Pixels {
  const samples = depth < 8 ? unpackSamples({ width, height, depth, data }) : data
  const rgba = new Uint8Array(width * height * 4)
  const scale = 255 / (2 ** depth - 1)
  const colors = channels < 3 ? 1 : 3
  for (let i = 0, from = 0, to = 0; i < width * height; i++, from += channels) {
    for (let c = 0; c < 3; c++) rgba[to++] = (samples[from + (colors === 1 ? 0 : c)] ?? 0) * scale
    const isHidden = transparency?.every((value, c) => samples[from + c] === value)
    rgba[to++] = isHidden ? 0 : channels > colors ? (samples[from + colors] ?? 0) * scale : 255
  }
  return { width, height, rgba }
}

/** Unpacks samples below 8 bits to one byte each. Each row starts at a byte. */
function unpackSamples({
  width,
  height,
  depth,
  data,
}: Pick<DecodedPng, 'width' | 'height' | 'depth' | 'data'>) {
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

/** Position of a PNG chunk: length, name, data and checksum. */
interface PngChunk {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Limits hostile files with millions of empty chunks. */
const maxChunks = 100_000

/** Lists the chunks of a PNG up to its end, or up to where it is cut off. */
function pngChunks(bytes: Uint8Array): PngChunk[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks: PngChunk[] = []
  for (let start = 8; start + 12 <= bytes.length && chunks.length < maxChunks; ) {
    const end = start + 12 + view.getUint32(start)
    if (end > bytes.length) break
    const name = String.fromCharCode(...bytes.subarray(start + 4, start + 8))
    chunks.push({ name, start, end })
    if (name === 'IEND') break
    start = end
  }
  return chunks
}
