import { viewOf } from '@capstan/formats/bytes'
import { readFmt, sampleReader, wavHeader } from '@capstan/formats/wav'
import { ByteReader } from '../inputs/byte-streams.js'
import type { StoredBytes } from '../inputs/stored-bytes.js'
import {
  type Chunk,
  type ChunkSize,
  type Chunks,
  type Frame,
  type PlannedChunk,
  planChunks,
  type Recording,
} from './plan-chunks.js'

/** The format of a WAV's audio, and its position in the file. */
interface WavFormat {
  /** The unchanged `fmt ` chunk. The header of each part contains a copy of it. */
  readonly fmt: Uint8Array
  /** 1 for integers, 3 for floats. */
  readonly tag: number
  readonly bitsPerSample: number
  /** The number of bytes in one sample of all channels. A recording is only split between such blocks. */
  readonly bytesPerBlock: number
  readonly bytesPerSecond: number
  /**
   * The offset of the audio within the file. `soundBytes` is its actual size, which may differ from the size in the
   * header.
   */
  readonly soundAt: number
  readonly soundBytes: number
}

/**
 * Reads a WAV's header, up to the start of the audio. Undefined if the file is not a WAV or contains no audio. `size`
 * is the size of the file in bytes.
 */
export async function readWavFormat(reader: ByteReader, size: number): Promise<WavFormat | undefined> {
  const riff = await reader.take(12)
  if (!/^(RIFF|RF64)$/.test(nameAt(riff, 0)) || nameAt(riff, 8) !== 'WAVE') return undefined
  let fmt: Uint8Array = new Uint8Array()
  for (let at = 12, chunks = 0; chunks < maxRiffChunks; chunks++) {
    const head = await reader.take(8)
    if (head.length < 8) return undefined
    const [name, length] = [nameAt(head, 0), viewOf(head).getUint32(4, true)]
    if (name === 'data')
      return toFormat(fmt, { soundAt: at + 8, declaredBytes: length, availableBytes: size - at - 8 })
    const padded = length + (length % 2)
    if (name === 'fmt ' && length <= maxFmtBytes) fmt = (await reader.take(padded)).subarray(0, length)
    else if ((await reader.skip(padded)) < padded) return undefined
    at += 8 + padded
  }
  return undefined
}

/** Maximum chunks to read, because a hostile file may have millions of empty ones. */
const maxRiffChunks = 100_000

/** Returns the duration of a WAV in milliseconds, or undefined if it is not a WAV. */
export async function wavDuration(stored: StoredBytes): Promise<number | undefined> {
  const reader = new ByteReader(stored.stream())
  const format = await readWavFormat(reader, stored.blob.size)
  await reader.close()
  return format && Math.round((format.soundBytes / format.bytesPerSecond) * 1000)
}

/** Maximum bytes of a `fmt ` chunk. Real chunks have 16, 18 or 40 bytes, or a few more for compressed formats. */
const maxFmtBytes = 1024

interface DataChunk {
  readonly soundAt: number
  readonly declaredBytes: number
  readonly availableBytes: number
}

function toFormat(
  fmt: Uint8Array,
  { soundAt, declaredBytes, availableBytes }: DataChunk,
): WavFormat | undefined {
  const read = readFmt(fmt)
  if (!read || availableBytes <= 0) return undefined
  const { tag, bitsPerSample, sampleRate, bytesPerBlock } = read
  // In headers, the bytes per second are wrong more often than the rate and the block size.
  const bytesPerSecond = tag === 1 || tag === 3 ? sampleRate * bytesPerBlock : read.bytesPerSecond
  // Outside these bounds, which are wider than any real format, there would be millions of chunks, or none.
  if (bytesPerBlock === 0 || bytesPerSecond < 250 || bytesPerSecond > 2 ** 28) return undefined
  // Headers of streams declare an unknown length as 0 or as the maximum value.
  const soundBytes = declaredBytes === 0 ? availableBytes : Math.min(declaredBytes, availableBytes)
  return { fmt, tag, bitsPerSample, bytesPerBlock, bytesPerSecond, soundAt, soundBytes }
}

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

/**
 * Splits a WAV into chunks. Streams it twice: first to find pauses, then to copy the audio. Undefined if it is not a
 * WAV.
 */
export async function wavChunks(recording: Recording, size: ChunkSize): Promise<Chunks | undefined> {
  const reader = new ByteReader(await recording.open())
  try {
    const format = await readWavFormat(reader, recording.artifact.size)
    if (!format) return undefined
    const frames = await readFrames(reader, format)
    const maxBytes = size.maxBytes - wavHeader(format.fmt, 0).length
    const plan = planChunks(frames, { ...size, maxBytes, quietShare: 0.2 })
    const seconds = format.soundBytes / format.bytesPerSecond
    return { of: plan.length, seconds, each: () => cutChunks(recording, format, plan) }
  } finally {
    await reader.close()
  }
}

const frameSeconds = 0.05

/** Returns the size of a frame in bytes. The last frame may be smaller. */
function frameBytes({ bytesPerSecond, bytesPerBlock }: WavFormat): number {
  return Math.max(1, Math.round((bytesPerSecond * frameSeconds) / bytesPerBlock)) * bytesPerBlock
}

/** Reads many frames at a time, because a recording with few bytes per second has millions of them. */
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
      frames.push({ bytes: frame.length, seconds, loudness: measureLoudness(frame, format) })
    }
    left -= filled
  }
  return frames
}

const windowBytes = 64 * 1024

async function* cutChunks(
  recording: Recording,
  format: WavFormat,
  plan: readonly PlannedChunk[],
): AsyncGenerator<Chunk> {
  const { soundAt, soundBytes, bytesPerSecond } = format
  const frame = frameBytes(format)
  const stretches = await openByteRanges(recording)
  try {
    for (const [i, { from, to, overlaps }] of plan.entries()) {
      const begin = from * frame
      const end = Math.min(to * frame, soundBytes)
      const sound = await stretches.take(soundAt + begin, soundAt + end)
      const header = wavHeader(format.fmt, sound.size) as Uint8Array<ArrayBuffer>
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

/** Returns the loudness of samples, from 0 to roughly 1. Undefined for an unsupported encoding. */
function measureLoudness(bytes: Uint8Array, format: WavFormat): number | undefined {
  const read = sampleReader(format)
  if (!read) return undefined
  const width = format.bitsPerSample / 8
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = Math.floor(bytes.length / width)
  const step = Math.max(1, Math.floor(count / sampleCount))
  let sum = 0
  let seen = 0
  for (let i = 0; i < count; i += step, seen++) sum += read(view, i * width) ** 2
  return seen === 0 ? 0 : Math.sqrt(sum / seen)
}

/** The approximate number of samples to measure per frame. Measuring more does not change the result. */
const sampleCount = 256

/** Ranges of a recording's bytes, read in order. A range may overlap the previous one. */
interface ByteRanges {
  take(begin: number, end: number): Promise<Blob>
  close(): Promise<void>
}

/**
 * Opens a recording to read ranges of it. Ranges of a file stay on disk until they are sent. Other recordings are read
 * from their stream.
 */
async function openByteRanges(recording: Recording): Promise<ByteRanges> {
  const file = await recording.file?.()
  if (file) return { take: async (begin, end) => file.slice(begin, end), close: async () => {} }
  return fromStream(new ByteReader(await recording.open()))
}

function fromStream(reader: ByteReader): ByteRanges {
  let before = { end: 0, stretch: new Blob() }
  return {
    async take(begin, end) {
      const again = Math.max(0, before.end - begin)
      const passed = Math.max(0, begin - before.end)
      // Copies the bytes, so that the rest of the previous range can be freed.
      const shared = again > 0 ? await before.stretch.slice(-again).arrayBuffer() : new ArrayBuffer()
      await reader.skip(passed)
      const stretch = new Blob([shared, ...(await readParts(reader, end - begin - again))])
      before = { end, stretch }
      return stretch
    },
    close: () => reader.close(),
  }
}

/** Reads bytes in parts. A single array would be in memory twice while it is converted to a Blob. */
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
