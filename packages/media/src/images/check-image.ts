import { CapstanError } from '@capstan/core'
import { ByteReader } from '../inputs/byte-streams.js'
import { asText, contentType, type ImageFacts, recognizeImage } from '../inputs/detect-type.js'
import { bytesOf, type Held, headOf } from '../inputs/stored-bytes.js'

/** The most pixels of an image that is taken in, and of its longer side: a small file may unpack to gigabytes. */
const most = { pixels: 100_000_000, side: 32_768 }

/**
 * What an image is, by its header and content; nothing is unpacked. `said` is the type that came with it.
 * @throws CapstanError `invalid_arguments` for what is no image, cut off, or too large to unpack safely
 */
export async function checkImage(held: Held, field: string, said = ''): Promise<ImageFacts> {
  const fail = (why: string) =>
    new CapstanError('invalid_arguments', `"${field}" ${why}`, { evidence: { field } })
  if (held.blob.size === 0) throw fail('is empty: give the whole image.')
  const facts = await factsOf(held, said)
  if (!facts) throw fail(`is no image but ${await nameOf(await headOf(held))}: give a PNG, JPEG or WebP.`)
  const { mediaType, width = 0, height = 0 } = facts
  if (!(await isWhole(held, mediaType)) || (needsArea.has(mediaType) && width * height === 0))
    throw fail(`is cut off or damaged (${mediaType}): give the whole image.`)
  if (Math.max(width, height) > most.side || width * height > most.pixels)
    throw fail(
      `is ${width}x${height} pixels: at most ${most.side} a side and ${most.pixels / 1e6} megapixels are taken. Give a smaller one.`,
    )
  return facts
}

const needsArea = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** As much as holds the header of any usual image. */
const headerBytes = 1024 * 1024

/** What an image is, by its header: of a large one no more is read, unless that says too little. */
export async function factsOf(held: Held, said: string): Promise<ImageFacts | undefined> {
  const facts = recognizeImage(await headOf(held, headerBytes), said)
  if (facts?.width !== undefined || held.blob.size <= headerBytes) return facts
  // Its many segments would be walked through while everything else waits.
  if (facts && !(await isWhole(held, facts.mediaType))) return facts
  return recognizeImage(await bytesOf(held), said)
}

/** What bytes are, in words. */
export async function nameOf(bytes: Uint8Array): Promise<string> {
  return (await contentType(bytes)) ?? (asText(bytes) === undefined ? 'unknown bytes' : 'a text')
}

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

/** More than an encoder writes: millions of empty ones would take long. */
const mostParts = 100_000

/** More fill bytes than a writer puts before a marker. */
const mostFill = 64 * 1024

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
