import { ByteReader } from '../inputs/byte-reader.js'
import type { Held } from '../inputs/held.js'

/** Whether a PNG, JPEG or WebP reaches its own end; true for what cannot be told. */
export async function isWhole(held: Held, mediaType: string): Promise<boolean> {
  const ends = ways[mediaType]
  if (!ends) return true
  const reader = new ByteReader(held.stream())
  try {
    return await ends(reader, held.blob.size)
  } finally {
    await reader.close()
  }
}

const ways: Readonly<Record<string, (reader: ByteReader, size: number) => Promise<boolean>>> = {
  'image/png': pngEnds,
  'image/jpeg': jpegEnds,
  'image/webp': async (reader, size) => {
    const head = await reader.take(12)
    return head.length === 12 && size >= viewOf(head).getUint32(4, true) + 8
  },
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** More than an encoder writes: millions of empty ones would take long. */
const mostParts = 100_000

async function pngEnds(reader: ByteReader): Promise<boolean> {
  await reader.skip(8)
  const head = new Uint8Array(8)
  for (let chunks = 0; chunks < mostParts; chunks++) {
    if ((await reader.fill(head)) < 8) return false
    const rest = viewOf(head).getUint32(0) + 4
    if ((await reader.skip(rest)) < rest) return false
    if (String.fromCharCode(...head.subarray(4)) === 'IEND') return true
  }
  return false
}

/** The end counts only after the pixels have begun: a small preview in the header has an end of its own. */
async function jpegEnds(reader: ByteReader): Promise<boolean> {
  await reader.skip(2)
  for (let segments = 0; segments < mostParts; segments++) {
    const segment = await readSegment(reader)
    if (!segment) return false
    if (segment.marker === 0xffda) return hasEnd(reader)
    // Some writers leave something between the parts; readers put up with it.
    if (segment.marker < 0xff00) return true
    await reader.skip(segment.length - 2)
  }
  return false
}

/** More fill bytes than a writer puts before a marker. */
const mostFill = 64 * 1024

/** The marker of a segment, behind its fill bytes, and its length; undefined where the file ends before them. */
async function readSegment(reader: ByteReader): Promise<{ marker: number; length: number } | undefined> {
  const head = await reader.take(2)
  if (head[0] === 0xff && head[1] === 0xff) {
    if ((await reader.skipRun(0xff, mostFill)) === mostFill) return undefined
    await reader.fill(head.subarray(1))
  }
  const length = await reader.take(2)
  return length.length < 2
    ? undefined
    : { marker: viewOf(head).getUint16(0), length: viewOf(length).getUint16(0) }
}

async function hasEnd(reader: ByteReader): Promise<boolean> {
  const part = new Uint8Array(64 * 1024)
  for (let last = 0; ; ) {
    const filled = await reader.fill(part)
    if (filled === 0) return false
    for (let at = 0; at < filled; at++) {
      const byte = part[at] ?? 0
      if (last === 0xff && byte === 0xd9) return true
      last = byte
    }
  }
}
