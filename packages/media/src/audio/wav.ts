import { ByteReader } from '../inputs/byte-streams.js'
import type { Held } from '../inputs/stored-bytes.js'
import {
  type Frame,
  type Piece,
  type PieceSize,
  type Pieces,
  type PlannedPiece,
  planPieces,
  type Recording,
} from './plan-chunks.js'

/** What the header of a WAV says. */
interface WavFormat {
  /** The chunk `fmt ` as it is, to be written again. */
  readonly fmt: Uint8Array
  readonly encoding: 'integer' | 'float' | 'other'
  readonly bitsPerSample: number
  /** Samples that sound at one time are a block; cuts fall between blocks. */
  readonly bytesPerBlock: number
  readonly bytesPerSecond: number
  /** Where the sound begins, and how many bytes of it are there, whatever the header says. */
  readonly soundAt: number
  readonly soundBytes: number
}

/** Reads up to where the sound begins; undefined for what is no WAV, or has no sound. `size` is that of the file. */
export async function readWavFormat(reader: ByteReader, size: number): Promise<WavFormat | undefined> {
  const riff = await reader.take(12)
  if (!/^(RIFF|RF64)$/.test(nameAt(riff, 0)) || nameAt(riff, 8) !== 'WAVE') return undefined
  let fmt: Uint8Array = new Uint8Array()
  for (let at = 12, chunks = 0; chunks < mostChunks; chunks++) {
    const head = await reader.take(8)
    if (head.length < 8) return undefined
    const [name, length] = [nameAt(head, 0), viewOf(head).getUint32(4, true)]
    if (name === 'data') return toFormat(fmt, { soundAt: at + 8, said: length, there: size - at - 8 })
    const padded = length + (length % 2)
    if (name === 'fmt ' && length <= greatestFmt) fmt = (await reader.take(padded)).subarray(0, length)
    else if ((await reader.skip(padded)) < padded) return undefined
    at += 8 + padded
  }
  return undefined
}

/** More than a writer puts before the sound: millions of empty ones would take long. */
const mostChunks = 100_000

/** How long a WAV sounds, in milliseconds; undefined for bytes that are no WAV. */
export async function wavDuration(held: Held): Promise<number | undefined> {
  const reader = new ByteReader(held.stream())
  const format = await readWavFormat(reader, held.blob.size)
  await reader.close()
  return format && Math.round((format.soundBytes / format.bytesPerSecond) * 1000)
}

/** What stands before the sound of a WAV of this format. */
export function toWavHeader({ fmt }: WavFormat, soundBytes: number): Uint8Array {
  const header = new Uint8Array(28 + fmt.length)
  const view = viewOf(header)
  const put = (at: number, name: string) => header.set(new TextEncoder().encode(name), at)
  put(0, 'RIFF')
  view.setUint32(4, header.length - 8 + soundBytes, true)
  put(8, 'WAVEfmt ')
  view.setUint32(16, fmt.length, true)
  header.set(fmt, 20)
  put(20 + fmt.length, 'data')
  view.setUint32(24 + fmt.length, soundBytes, true)
  return header
}

/** Real ones have 16, 18 or 40 bytes, compressed ones a few more. */
const greatestFmt = 1024

interface Sound {
  readonly soundAt: number
  readonly said: number
  readonly there: number
}

function toFormat(fmt: Uint8Array, { soundAt, said, there }: Sound): WavFormat | undefined {
  if (fmt.length < 16 || there <= 0) return undefined
  const view = viewOf(fmt)
  const tag = view.getUint16(0, true)
  const sub = tag === extensible && fmt.length >= 26 ? view.getUint16(24, true) : tag
  const encoding = sub === 1 ? 'integer' : sub === 3 ? 'float' : 'other'
  const bytesPerBlock = view.getUint16(12, true)
  const rate = view.getUint32(4, true)
  // Writers lie about the bytes of a second more often than about rate and block.
  const bytesPerSecond = encoding === 'other' ? view.getUint32(8, true) : rate * bytesPerBlock
  // Beyond what any sound has, a second would be millions of pieces, or none.
  if (bytesPerBlock === 0 || bytesPerSecond < 250 || bytesPerSecond > 2 ** 28) return undefined
  // A stream's header gives a length that is not known yet: 0, or the greatest there is.
  const soundBytes = said === 0 ? there : Math.min(said, there)
  const bitsPerSample = view.getUint16(14, true)
  return { fmt, encoding, bitsPerSample, bytesPerBlock, bytesPerSecond, soundAt, soundBytes }
}

const extensible = 0xfffe

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** A WAV in pieces, read twice and never held as a whole: for its pauses, then for its sound. Undefined for no WAV. */
export async function wavPieces(recording: Recording, size: PieceSize): Promise<Pieces | undefined> {
  const reader = new ByteReader(await recording.open())
  try {
    const format = await readWavFormat(reader, recording.artifact.bytes)
    if (!format) return undefined
    const frames = await readFrames(reader, format)
    const maxBytes = size.maxBytes - toWavHeader(format, 0).length
    const plan = planPieces(frames, { ...size, maxBytes, quietShare: 0.2 })
    const seconds = format.soundBytes / format.bytesPerSecond
    return { of: plan.length, seconds, each: () => cut(recording, format, plan) }
  } finally {
    await reader.close()
  }
}

const frameSeconds = 0.05

/** As many bytes as a frame has, the last one excepted. */
function frameBytes({ bytesPerSecond, bytesPerBlock }: WavFormat): number {
  return Math.max(1, Math.round((bytesPerSecond * frameSeconds) / bytesPerBlock)) * bytesPerBlock
}

/** Read many at a time: a recording of few bytes a second has millions of them. */
async function readFrames(reader: ByteReader, format: WavFormat): Promise<Frame[]> {
  const frames: Frame[] = []
  const most = frameBytes(format)
  const window = new Uint8Array(most * Math.ceil(windowBytes / most))
  for (let left = format.soundBytes; left > 0; ) {
    const filled = await reader.fill(window.subarray(0, left))
    if (filled === 0) break
    for (let at = 0; at < filled; at += most) {
      const frame = window.subarray(at, Math.min(at + most, filled))
      const seconds = frame.length / format.bytesPerSecond
      frames.push({ bytes: frame.length, seconds, loudness: loudnessOf(frame, format) })
    }
    left -= filled
  }
  return frames
}

const windowBytes = 64 * 1024

async function* cut(
  recording: Recording,
  format: WavFormat,
  plan: readonly PlannedPiece[],
): AsyncGenerator<Piece> {
  const { soundAt, soundBytes, bytesPerSecond } = format
  const frame = frameBytes(format)
  const stretches = await openStretches(recording)
  try {
    for (const [i, { from, to, overlaps }] of plan.entries()) {
      const begin = from * frame
      const end = Math.min(to * frame, soundBytes)
      const sound = await stretches.take(soundAt + begin, soundAt + end)
      const header = toWavHeader(format, sound.size) as Uint8Array<ArrayBuffer>
      const name = `${recording.artifact.id}-${i + 1}.wav`
      const file = new File([header, sound], name, { type: 'audio/wav' })
      yield {
        number: i + 1,
        file,
        overlaps,
        at: begin / bytesPerSecond,
        seconds: sound.size / bytesPerSecond,
      }
    }
  } finally {
    await stretches.close()
  }
}

/** How loud a stretch of samples is, from 0 to about 1; undefined for encodings that are not read. */
function loudnessOf(bytes: Uint8Array, format: WavFormat): number | undefined {
  const read = reader(format)
  if (!read) return undefined
  const width = format.bitsPerSample / 8
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = Math.floor(bytes.length / width)
  const step = Math.max(1, Math.floor(count / enough))
  let sum = 0
  let seen = 0
  for (let i = 0; i < count; i += step, seen++) sum += read(view, i * width) ** 2
  return seen === 0 ? 0 : Math.sqrt(sum / seen)
}

/** Samples that are looked at in one stretch: more of them tell the same. */
const enough = 256

type ReadSample = (view: DataView, at: number) => number

function reader({ encoding, bitsPerSample }: WavFormat): ReadSample | undefined {
  return readers[`${encoding}${bitsPerSample}`]
}

const readers: Readonly<Record<string, ReadSample>> = {
  integer8: (view, at) => (view.getUint8(at) - 128) / 2 ** 7,
  integer16: (view, at) => view.getInt16(at, true) / 2 ** 15,
  integer24: (view, at) => view.getInt16(at + 1, true) / 2 ** 15,
  integer32: (view, at) => view.getInt32(at, true) / 2 ** 31,
  float32: (view, at) => view.getFloat32(at, true),
  float64: (view, at) => view.getFloat64(at, true),
}

/** Parts of a recording's bytes, taken in order; one may begin again with the end of the one before. */
interface Stretches {
  take(begin: number, end: number): Promise<Blob>
  close(): Promise<void>
}

/** Those of a file stay on disk until they are sent; others are read from the store's stream, one after the other. */
async function openStretches(recording: Recording): Promise<Stretches> {
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
