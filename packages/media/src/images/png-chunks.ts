/** A part of a PNG, by its place: length, name, data and checksum. */
export interface PngChunk {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** More than an encoder writes: millions of empty ones would fill memory. */
const most = 100_000

/** The chunks of a PNG up to its end, or to where it is cut off; a damaged one may have no end. */
export function pngChunks(bytes: Uint8Array): PngChunk[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks: PngChunk[] = []
  for (let start = 8; start + 12 <= bytes.length && chunks.length < most; ) {
    const end = start + 12 + view.getUint32(start)
    if (end > bytes.length) break
    const name = String.fromCharCode(...bytes.subarray(start + 4, start + 8))
    chunks.push({ name, start, end })
    if (name === 'IEND') break
    start = end
  }
  return chunks
}
