import { joinBytes } from '@capstan/core/internal'
import { pngChunks, pngSignature, writePixels } from '@capstan/formats/png'
import { readUpTo } from '../inputs/byte-streams.js'

/** Pixels as bytes: red, green, blue, alpha. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

/** Decodes a PNG. Undefined if it is damaged, or larger after decompression than its header declares. */
export async function readPng(bytes: Uint8Array, { width, height }: ImageSize): Promise<Pixels | undefined> {
  const png = onlyPixelChunks(bytes)
  // There are at most 8 bytes per pixel, and one more per row in each of the seven passes.
  const most = (width * 8 + 1) * height + 8 * (height + width)
  if (!png || !(await unpacksWithin(most, bytes))) return undefined
  const { decode, convertIndexedToRgb } = await import('fast-png')
  try {
    const decoded = decode(png)
    const rgba = new Uint8Array(decoded.width * decoded.height * 4)
    writePixels(rgba, decoded, decoded.palette && convertIndexedToRgb(decoded))
    return { width: decoded.width, height: decoded.height, rgba }
  } catch {
    return undefined
  }
}

interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * Removes all chunks except those for pixels, because text and profiles may be hostile. Undefined if the result is not
 * a valid PNG.
 */
function onlyPixelChunks(bytes: Uint8Array): Uint8Array | undefined {
  const chunks = pngChunks(bytes).filter(({ type }) => /^(IHDR|PLTE|tRNS|IDAT|IEND)$/.test(type))
  const parts = [bytes.subarray(0, pngSignature.length), ...chunks.map(({ whole }) => whole)]
  // There must be only one header, because the decoder uses the last one.
  const isOnce = chunks.filter(({ type }) => type === 'IHDR').length === 1
  return isOnce && chunks[0]?.type === 'IHDR' && chunks.at(-1)?.type === 'IEND' ? joinBytes(parts) : undefined
}

async function unpacksWithin(most: number, bytes: Uint8Array): Promise<boolean> {
  const data = pngChunks(bytes)
    .filter(({ type }) => type === 'IDAT')
    .map(({ body }) => body as Uint8Array<ArrayBuffer>)
  const unpacked = new Blob(data).stream().pipeThrough(new DecompressionStream('deflate'))
  return (await readUpTo(most, unpacked).catch(() => undefined)) !== undefined
}
