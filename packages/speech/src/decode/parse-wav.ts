import { type FmtChunk, readFmt, type SampleReader, sampleReader } from '@capstan/formats/wav'
import { SpeechError } from '../speech-error.js'
import { type AudioBlock, damagedAudio } from './collect-samples.js'

const blockSize = 65_536

/**
 * Yields the samples of a WAV file, block by block. Throws an `invalid_audio` error if the file is truncated or
 * malformed.
 */
export function* parseWav(bytes: Uint8Array): Generator<AudioBlock> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const format = parseFormat(view, findChunk(view, 'fmt '))
  const read = toSampleReader(format)
  const data = findChunk(view, 'data')
  const { channels: count, sampleRate } = format
  const sampleSize = format.bitsPerSample / 8
  const frameSize = count * sampleSize
  const frames = Math.floor(data.size / frameSize)
  for (let first = 0; first < frames; first += blockSize) {
    const length = Math.min(blockSize, frames - first)
    const channels = Array.from({ length: count }, (_, channel) => {
      const start = data.start + first * frameSize + channel * sampleSize
      return Float32Array.from({ length }, (_, index) => read(view, start + index * frameSize))
    })
    yield { channels, sampleRate }
  }
}

interface Chunk {
  readonly start: number
  readonly size: number
}

// Programs that do not know the final length write this value.
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
      throw damagedAudio(`It declares ${size} bytes of "${name.trim()}", but contains ${rest}.`)
    }
    at = start + size + (size % 2)
  }
  throw damagedAudio(`It has no chunk "${name.trim()}".`)
}

function textAt(view: DataView, at: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4))
}

function parseFormat({ buffer, byteOffset }: DataView, { start, size }: Chunk): FmtChunk {
  const format = readFmt(new Uint8Array(buffer, byteOffset + start, size))
  if (!format) throw damagedAudio('Its format chunk is too short.')
  if (format.channels < 1 || format.channels > 8)
    throw damagedAudio(`It declares ${format.channels} channels.`)
  return format
}

/**
 * Returns a function that reads this sample format. Throws an `unsupported_audio` error if the format is not supported.
 */
function toSampleReader({ tag, bitsPerSample }: FmtChunk): SampleReader {
  const read = sampleReader({ tag, bitsPerSample }) ?? readers[`${tag}/${bitsPerSample}`]
  if (read) return read
  const message = `The WAV file has samples of ${bitsPerSample} bits in the format ${tag}. Send integers of 8, 16, 24 or 32 bits, floats of 32 or 64, A-law or mu-law.`
  throw new SpeechError('unsupported_audio', message)
}

const readers: Readonly<Record<string, SampleReader>> = {
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
