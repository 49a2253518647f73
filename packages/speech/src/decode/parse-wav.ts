import { SpeechError } from '../speech-error.js'
import { type AudioBlock, damagedAudio } from './collect-samples.js'

const blockSize = 65_536

/**
 * Yields the samples of a WAV file, block by block. Throws an `invalid_audio` error when it is truncated or
 * malformed.
 */
export function* parseWav(bytes: Uint8Array): Generator<AudioBlock> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const format = parseFormat(view, findChunk(view, 'fmt '))
  const read = toSampleReader(format)
  const data = findChunk(view, 'data')
  const { channelCount, sampleRate } = format
  const frameSize = channelCount * (format.bits / 8)
  const frames = Math.floor(data.size / frameSize)
  for (let first = 0; first < frames; first += blockSize) {
    const length = Math.min(blockSize, frames - first)
    const channels = Array.from({ length: channelCount }, (_, channel) => {
      const start = data.start + first * frameSize + (channel * format.bits) / 8
      return Float32Array.from({ length }, (_, index) => read(view, start + index * frameSize))
    })
    yield { channels, sampleRate }
  }
}

interface Chunk {
  readonly start: number
  readonly size: number
}

// Written by programs that do not know the final length.
const unknownSize = 0x7fff_f000

function findChunk(view: DataView, name: string): Chunk {
  let at = 12
  while (at + 8 <= view.byteLength) {
    const start = at + 8
    const size = view.getUint32(at + 4, true)
    const rest = view.byteLength - start
    if (textAt(view, at) === name) {
      if (size <= rest) return { start, size }
      if (name === 'data' && size >= unknownSize) return { start, size: rest }
      throw damagedAudio(`It announces ${size} bytes of "${name.trim()}" and has ${rest}.`)
    }
    at = start + size + (size % 2)
  }
  throw damagedAudio(`It has no chunk "${name.trim()}".`)
}

function textAt(view: DataView, at: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4))
}

const extensible = 0xfffe

function parseFormat(view: DataView, { start, size }: Chunk): SampleFormat & { sampleRate: number } {
  if (size < 16) throw damagedAudio('Its format chunk is too short.')
  const number = (at: number) => view.getUint16(start + at, true)
  const tag = number(0) === extensible && size >= 26 ? number(24) : number(0)
  const channelCount = number(2)
  if (channelCount < 1 || channelCount > 8)
    throw damagedAudio(`It says that it has ${channelCount} channels.`)
  return { tag, channelCount, sampleRate: view.getUint32(start + 4, true), bits: number(14) }
}

interface SampleFormat {
  /** WAV format codes: 1 for integers, 3 for floats, 6 for A-law, 7 for mu-law. */
  readonly tag: number
  readonly bits: number
  readonly channelCount: number
}

/** Reads the sample at an offset, as a number from -1 to 1. */
type SampleReader = (view: DataView, at: number) => number

/** Returns the reader for a sample format. Throws an `unsupported_audio` error for an unsupported one. */
function toSampleReader({ tag, bits }: SampleFormat): SampleReader {
  const read = readers[`${tag}/${bits}`]
  if (read) return read
  const message = `The WAV file has samples of ${bits} bits in the format ${tag}. Send integers of 8, 16, 24 or 32 bits, floats of 32 or 64, A-law or mu-law.`
  throw new SpeechError('unsupported_audio', message)
}

const readers: Readonly<Record<string, SampleReader>> = {
  '1/8': (view, at) => (view.getUint8(at) - 128) / 128,
  '1/16': (view, at) => view.getInt16(at, true) / 2 ** 15,
  '1/24': (view, at) => (view.getUint16(at, true) + 2 ** 16 * view.getInt8(at + 2)) / 2 ** 23,
  '1/32': (view, at) => view.getInt32(at, true) / 2 ** 31,
  '3/32': (view, at) => view.getFloat32(at, true),
  '3/64': (view, at) => view.getFloat64(at, true),
  '6/8': (view, at) => fromALaw(view.getUint8(at)),
  '7/8': (view, at) => fromMuLaw(view.getUint8(at)),
}

function fromALaw(byte: number): number {
  const code = byte ^ 0x55
  const [exponent, mantissa] = [(code >> 4) & 7, code & 15]
  const size = exponent === 0 ? 2 * mantissa + 1 : (2 * mantissa + 33) << (exponent - 1)
  return (code & 128 ? size : -size) / 4096
}

function fromMuLaw(byte: number): number {
  const code = byte ^ 0xff
  const [exponent, mantissa] = [(code >> 4) & 7, code & 15]
  const size = ((2 * mantissa + 33) << exponent) - 33
  return (code & 128 ? -size : size) / 8192
}
