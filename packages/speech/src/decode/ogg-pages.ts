import { crcOf } from '../crc.js'
import { join } from '../wav.js'
import { damagedAudio } from './collect-samples.js'

/**
 * Yields the packets of an Ogg file's first stream, in order. Throws an `invalid_audio` error at the first damaged
 * page.
 */
export function* oggPackets(bytes: Uint8Array): Generator<Uint8Array> {
  let started: Uint8Array[] = []
  let stream: number | undefined
  for (const page of oggPages(bytes)) {
    stream ??= page.stream
    if (page.stream !== stream) continue
    if (!page.continued) started = []
    for (const { content, ends } of page.pieces) {
      started.push(content)
      if (!ends) continue
      yield join(started, Uint8Array)
      started = []
    }
  }
}

/** Throws an `invalid_audio` error at the first damaged page. Decoders tend to skip damaged pages. */
export function checkOggPages(bytes: Uint8Array): void {
  for (const _ of oggPages(bytes));
}

/** Whether bytes start with the marker of an Ogg file. */
export function isOgg(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 4)) === 'OggS'
}

interface Page {
  readonly stream: number
  /** Whether the first piece of the page continues the last piece of the previous page. */
  readonly continued: boolean
  readonly pieces: readonly { readonly content: Uint8Array; readonly ends: boolean }[]
}

const headerSize = 27

function* oggPages(bytes: Uint8Array): Generator<Page> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at < bytes.length) {
    const page = bytes.subarray(at)
    const table = page.subarray(headerSize, headerSize + (page[26] ?? 0))
    const start = headerSize + table.length
    const size = start + table.reduce((sum, length) => sum + length, 0)
    if (page.length < size || page.length < headerSize) throw damagedAudio('It ends in the middle of a page.')
    if (view.getUint32(at) !== capturePattern) throw damagedAudio('One of its pages has a wrong position.')
    if (view.getUint32(at + 22, true) !== checksum(page.subarray(0, size)))
      throw damagedAudio('One of its pages has a wrong checksum.')
    yield {
      stream: view.getUint32(at + 14, true),
      continued: ((page[5] ?? 0) & 1) === 1,
      pieces: toPieces(table, page.subarray(start, size)),
    }
    at += size
  }
}

// "OggS"
const capturePattern = 0x4f_67_67_53

// Lengths are in units of up to 255. Only a unit below 255 ends a packet.
function toPieces(table: Uint8Array, content: Uint8Array): Page['pieces'] {
  const pieces: { content: Uint8Array; ends: boolean }[] = []
  let [from, to] = [0, 0]
  for (const [index, length] of table.entries()) {
    to += length
    const ends = length < 255
    if (!ends && index < table.length - 1) continue
    pieces.push({ content: content.subarray(from, to), ends })
    from = to
  }
  return pieces
}

const crc32 = crcOf(32, 0x04c1_1db7)

/** Returns the checksum of an Ogg page. The checksum field itself counts as zeros. */
function checksum(page: Uint8Array): number {
  return crc32(new Uint8Array(page).fill(0, 22, 26))
}
