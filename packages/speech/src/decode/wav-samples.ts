import { SpeechError } from '../speech-error.js'

export interface SampleFormat {
  /** What WAV files call the way of writing a sample: 1 for integers, 3 for floats, 6 for A-law, 7 for mu-law. */
  readonly tag: number
  readonly bits: number
  readonly channelCount: number
}

/** Reads the sample at a place, as a number from -1 to 1. */
export type SampleReader = (view: DataView, at: number) => number

/** How to read samples of this format. Throws an `unsupported_audio` error when there is no way. */
export function toSampleReader({ tag, bits }: SampleFormat): SampleReader {
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
