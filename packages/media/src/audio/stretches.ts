import { ByteReader } from '../inputs/byte-reader.js'
import type { Recording } from './pieces.js'

/** Parts of a recording's bytes, taken in order; one may begin again with the end of the one before. */
export interface Stretches {
  take(begin: number, end: number): Promise<Blob>
  close(): Promise<void>
}

/** Those of a file stay on disk until they are sent; others are read from the store's stream, one after the other. */
export async function openStretches(recording: Recording): Promise<Stretches> {
  const file = await recording.file?.()
  if (file) return { take: async (begin, end) => file.slice(begin, end), close: async () => {} }
  return fromStream(new ByteReader(await recording.open()))
}

function fromStream(reader: ByteReader): Stretches {
  let before = { end: 0, stretch: new Blob() }
  return {
    async take(begin, end) {
      const again = Math.max(0, before.end - begin)
      const passed = Math.max(0, begin - before.end)
      // A copy, so that the rest of the one before can go.
      const shared = again > 0 ? await before.stretch.slice(-again).arrayBuffer() : new ArrayBuffer()
      await reader.skip(passed)
      const stretch = new Blob([shared, ...(await readParts(reader, end - begin - again))])
      before = { end, stretch }
      return stretch
    },
    close: () => reader.close(),
  }
}

/** In parts: as one array all of it would be there twice, until it is a Blob. */
async function readParts(reader: ByteReader, count: number): Promise<Blob[]> {
  const parts: Blob[] = []
  const window = new Uint8Array(Math.min(count, partBytes))
  for (let left = count; left > 0; ) {
    const bytes = await reader.fill(window.subarray(0, left))
    if (bytes === 0) break
    parts.push(new Blob([window.subarray(0, bytes)]))
    left -= bytes
  }
  return parts
}

const partBytes = 256 * 1024
