import { CapstanError } from '@capstan/core'
import { viewOf } from '@capstan/formats/bytes'
import { ByteReader } from '../inputs/byte-streams.js'
import { decodeText, detectImage, detectType, type ImageInfo } from '../inputs/detect-type.js'
import { readBytes, readHead, type StoredBytes } from '../inputs/stored-bytes.js'

/** The maximum number of pixels in an image, and along its longer side. A small file may decompress to gigabytes. */
const imageLimits = { pixels: 100_000_000, side: 32_768 }

/**
 * Detects an image by its header and content, without decompressing it. `said` is its declared type.
 * @throws CapstanError `invalid_arguments` if it is not an image, is cut off, or is too large to decompress safely
 */
export async function checkImage(stored: StoredBytes, field: string, said = ''): Promise<ImageInfo> {
  const fail = (why: string) =>
    new CapstanError('invalid_arguments', `"${field}" ${why}`, { evidence: { field } })
  if (stored.blob.size === 0) throw fail('is empty. Pass the entire image.')
  const facts = await readImageInfo(stored, said)
  if (!facts)
    throw fail(
      `is not an image but ${await describeBytes(await readHead(stored))}. Pass a PNG, JPEG or WebP.`,
    )
  const { mediaType, width = 0, height = 0 } = facts
  if (!(await isComplete(stored, mediaType)) || (needsArea.has(mediaType) && width * height === 0))
    throw fail(`is cut off or damaged (${mediaType}). Pass the entire image.`)
  if (Math.max(width, height) > imageLimits.side || width * height > imageLimits.pixels)
    throw fail(
      `is ${width}x${height} pixels. At most ${imageLimits.side} per side and ${imageLimits.pixels / 1e6} megapixels are accepted. Pass a smaller image.`,
    )
  return facts
}

const needsArea = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** How many of the first bytes are enough to read the header of any usual image. */
const headerBytes = 1024 * 1024

/**
 * Reads an image's type and size from its header. If the header is not within the first bytes, reads to the end of the
 * image.
 */
export async function readImageInfo(stored: StoredBytes, said: string): Promise<ImageInfo | undefined> {
  const facts = detectImage(await readHead(stored, headerBytes), said)
  if (facts?.width !== undefined || stored.blob.size <= headerBytes) return facts
  // The image may have so many segments that reading them would block the process.
  if (facts && !(await isComplete(stored, facts.mediaType))) return facts
  return detectImage(await readBytes(stored), said)
}

export async function describeBytes(bytes: Uint8Array): Promise<string> {
  return (await detectType(bytes)) ?? (decodeText(bytes) === undefined ? 'unknown bytes' : 'text')
}

/** Whether a PNG, JPEG or WebP is complete. For other types, returns true without a check. */
export async function isComplete(stored: StoredBytes, mediaType: string): Promise<boolean> {
  const ends = endChecks[mediaType]
  if (!ends) return true
  const reader = new ByteReader(stored.stream())
  try {
    return await ends(reader, stored.blob.size)
  } finally {
    await reader.close()
  }
}

/** Maximum segments to read, because a hostile file may have millions of empty ones. */
const maxSegments = 100_000

/** Maximum fill bytes before a marker. Real files have fewer. */
const maxFillBytes = 64 * 1024

const endChecks: Readonly<Record<string, (reader: ByteReader, size: number) => Promise<boolean>>> = {
  'image/png': hasPngEnd,
  'image/jpeg': hasJpegEnd,
  'image/webp': async (reader, size) => {
    const head = await reader.take(12)
    return head.length === 12 && size >= viewOf(head).getUint32(4, true) + 8
  },
}

async function hasPngEnd(reader: ByteReader): Promise<boolean> {
  await reader.skip(8)
  const head = new Uint8Array(8)
  for (let chunks = 0; chunks < maxSegments; chunks++) {
    if ((await reader.fill(head)) < 8) return false
    const rest = viewOf(head).getUint32(0) + 4
    if ((await reader.skip(rest)) < rest) return false
    if (String.fromCharCode(...head.subarray(4)) === 'IEND') return true
  }
  return false
}

/**
 * Whether a JPEG has an end marker. Searches after the start of the pixels, because a preview in the header also has
 * one.
 */
async function hasJpegEnd(reader: ByteReader): Promise<boolean> {
  await reader.skip(2)
  for (let segments = 0; segments < maxSegments; segments++) {
    const segment = await readSegment(reader)
    if (!segment) return false
    if (segment.marker === 0xffda) return hasEndMarker(reader)
    // Some files have other bytes between the segments, which decoders accept.
    if (segment.marker < 0xff00) return true
    await reader.skip(segment.length - 2)
  }
  return false
}

/** Skips fill bytes and reads a segment's marker and length. Undefined at the end of the file. */
async function readSegment(reader: ByteReader): Promise<{ marker: number; length: number } | undefined> {
  const head = await reader.take(2)
  if (head[0] === 0xff && head[1] === 0xff) {
    if ((await reader.skipRun(0xff, maxFillBytes)) === maxFillBytes) return undefined
    await reader.fill(head.subarray(1))
  }
  const length = await reader.take(2)
  return length.length < 2
    ? undefined
    : { marker: viewOf(head).getUint16(0), length: viewOf(length).getUint16(0) }
}

async function hasEndMarker(reader: ByteReader): Promise<boolean> {
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
