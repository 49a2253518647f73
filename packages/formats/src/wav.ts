import { viewOf } from './bytes.js'

/** The contents of a WAV's `fmt ` chunk, which describes its samples. */
export interface FmtChunk {
  /** The format of the samples: 1 for integers, 3 for floats, 6 for A-law, 7 for mu-law. */
  readonly tag: number
  readonly channels: number
  /** Samples per second, per channel. */
  readonly sampleRate: number
  readonly bytesPerSecond: number
  /** The size of one sample of all channels, in bytes. */
  readonly bytesPerBlock: number
  readonly bitsPerSample: number
}

/** A tag that indicates that the actual tag follows the other fields. */
const extensible = 0xfffe

/** Parses the body of a `fmt ` chunk. Undefined if it has fewer than 16 bytes. */
export function readFmt(fmt: Uint8Array): FmtChunk | undefined {
  if (fmt.length < 16) return undefined
  const view = viewOf(fmt)
  const tag = view.getUint16(0, true)
  return {
    tag: tag === extensible && fmt.length >= 26 ? view.getUint16(24, true) : tag,
    channels: view.getUint16(2, true),
    sampleRate: view.getUint32(4, true),
    bytesPerSecond: view.getUint32(8, true),
    bytesPerBlock: view.getUint16(12, true),
    bitsPerSample: view.getUint16(14, true),
  }
}

/** Returns the body of a `fmt ` chunk for integer PCM with one channel. */
export function pcmFmt(sampleRate: number, bitsPerSample: number): Uint8Array {
  const fmt = new Uint8Array(16)
  const view = viewOf(fmt)
  const bytesPerBlock = bitsPerSample / 8
  view.setUint16(0, 1, true)
  view.setUint16(2, 1, true)
  view.setUint32(4, sampleRate, true)
  view.setUint32(8, bytesPerBlock * sampleRate, true)
  view.setUint16(12, bytesPerBlock, true)
  view.setUint16(14, bitsPerSample, true)
  return fmt
}

const greatest = 2 ** 32 - 1

/**
 * Returns a WAV header with this `fmt ` chunk, up to the audio data. Without `soundBytes`, the header is for a stream
 * of unknown length.
 */
export function wavHeader(fmt: Uint8Array, soundBytes = greatest): Uint8Array {
  const header = new Uint8Array(28 + fmt.length)
  const view = viewOf(header)
  const put = (at: number, name: string) => header.set(new TextEncoder().encode(name), at)
  put(0, 'RIFF')
  view.setUint32(4, Math.min(header.length - 8 + soundBytes, greatest), true)
  put(8, 'WAVEfmt ')
  view.setUint32(16, fmt.length, true)
  header.set(fmt, 20)
  put(20 + fmt.length, 'data')
  view.setUint32(24 + fmt.length, soundBytes, true)
  return header
}

/** Reads the sample at a byte offset, as a number from -1 to 1. */
export type SampleReader = (view: DataView, at: number) => number

/**
 * Returns a function that reads integer samples of 8 to 32 bits, or float samples of 32 or 64 bits. Undefined for any
 * other format.
 */
export function sampleReader({
  tag,
  bitsPerSample,
}: Pick<FmtChunk, 'tag' | 'bitsPerSample'>): SampleReader | undefined {
  return readers[`${tag}/${bitsPerSample}`]
}

const readers: Readonly<Record<string, SampleReader>> = {
  '1/8': (view, at) => (view.getUint8(at) - 128) / 128,
  '1/16': (view, at) => view.getInt16(at, true) / 2 ** 15,
  '1/24': (view, at) => (view.getUint16(at, true) + 2 ** 16 * view.getInt8(at + 2)) / 2 ** 23,
  '1/32': (view, at) => view.getInt32(at, true) / 2 ** 31,
  '3/32': (view, at) => view.getFloat32(at, true),
  '3/64': (view, at) => view.getFloat64(at, true),
}
