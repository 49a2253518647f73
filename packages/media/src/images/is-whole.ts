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
const mostChunks = 100_000

async function pngEnds(reader: ByteReader): Promise<boolean> {
  await reader.skip(8)
  const head = new Uint8Array(8)
  for (let chunks = 0; chunks < mostChunks; chunks++) {
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
  for (let head = await reader.take(4); head.length === 4; ) {
    const marker = viewOf(head).getUint16(0)
    if (marker === 0xffda) return hasEnd(reader)
    // Some writers leave something between the parts; readers put up with it.
    if (marker < 0xff00) return true
    if (marker === 0xffff) {
      head = Uint8Array.from([...head.subarray(1), ...(await reader.take(1))])
      continue
    }
    await reader.skip(viewOf(head).getUint16(2) - 2)
    head = await reader.take(4)
  }
  return false
}

async function hasEnd(reader: ByteReader): Promise<boolean> {
  const part = new Uint8Array(64 * 1024)
  for (let last = 0; ; ) {
    const filled = await reader.fill(part)
    if (filled === 0) return false
    const bytes = part.subarray(0, filled)
    if (last === 0xff && bytes[0] === 0xd9) return true
    for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 1))
      if (bytes[at + 1] === 0xd9) return true
    last = bytes[filled - 1] ?? 0
  }
}
