import { crcOf } from '../crc.js'
import { SpeechError } from '../speech-error.js'
import { join } from '../wav.js'
import { type Encoder, inBlocks } from './encoder.js'

/**
 * Creates a lossless FLAC encoder. The header does not contain the length. Throws if the sample rate does not fit in 16
 * bits.
 */
export function createFlacEncoder(sampleRate: number): Encoder {
  if (sampleRate > highestRate) {
    const message = `FLAC supports up to ${highestRate} samples per second here, not ${sampleRate}. Use wav.`
    throw new SpeechError('unsupported_format', message)
  }
  let index = -1
  return inBlocks(blockSize, {
    header: toStreamHeader(sampleRate),
    encodeBlock(samples) {
      index += 1
      return toFlacFrame({ samples, index, sampleRate })
    },
  })
}

const blockSize = 4096
const highestRate = 65_535

/** Returns the marker and the required metadata block, in which 0 means unknown. */
function toStreamHeader(sampleRate: number): Uint8Array {
  const bits = new BitWriter()
  for (const letter of 'fLaC') bits.put(letter.charCodeAt(0), 8)
  bits.put(0x80, 8)
  bits.put(34, 24)
  bits.put(blockSize, 16)
  bits.put(blockSize, 16)
  // The minimum and maximum size of a frame.
  bits.put(0, 32)
  bits.put(0, 16)
  bits.put(sampleRate, 20)
  // One channel, 16 bits.
  bits.put(0, 3)
  bits.put(15, 5)
  // The number of samples and their MD5 sum.
  bits.put(0, 4)
  for (let word = 0; word < 5; word += 1) bits.put(0, 32)
  return bits.toBytes()
}

interface Block {
  readonly samples: Int16Array
  /** The block's index, counted from 0. */
  readonly index: number
  readonly sampleRate: number
}

/** Encodes a block as a FLAC frame with one channel and 16 bits. Uses the best of the five fixed predictors. */
function toFlacFrame(block: Block): Uint8Array {
  const header = toHeader(block)
  const checked = join([header, Uint8Array.of(crc8(header)), toSubframe(block.samples)], Uint8Array)
  const crc = crc16(checked)
  return join([checked, Uint8Array.of(crc >> 8, crc & 0xff)], Uint8Array)
}

function toHeader({ samples, index, sampleRate }: Block): Uint8Array {
  const bits = new BitWriter()
  bits.put(0xfff8, 16)
  // The block size and the rate are always written as 16 bits at the end.
  bits.put(0b0111_1101, 8)
  // One channel, 16 bits.
  bits.put(0b0000_1000, 8)
  for (const byte of toCodedNumber(index)) bits.put(byte, 8)
  bits.put(samples.length - 1, 16)
  bits.put(sampleRate, 16)
  return bits.toBytes()
}

/** Encodes a number of up to 31 bits like a UTF-8 character. */
function toCodedNumber(value: number): number[] {
  if (value < 0x80) return [value]
  let length = 2
  while (value >= 2 ** (5 * length + 1)) length += 1
  const tail = Array.from(
    { length: length - 1 },
    (_, at) => 0x80 | ((value >>> (6 * (length - 2 - at))) & 0x3f),
  )
  return [((0xff00 >> length) & 0xff) | (value >>> (6 * (length - 1))), ...tail]
}

function toSubframe(samples: Int16Array): Uint8Array {
  const { order, residual } = toPrediction(samples)
  const bits = new BitWriter()
  bits.put(0b0001_0000 | (order << 1), 8)
  for (const sample of samples.subarray(0, order)) bits.put(sample, 16)
  putResidual(bits, residual, order)
  return bits.toBytes()
}

const highestOrder = 4

/**
 * Chooses the predictor with the smallest residual. Each residual contains the differences between neighbouring values
 * of the previous one.
 */
function toPrediction(samples: Int16Array): { order: number; residual: Int32Array } {
  let residual = Int32Array.from(samples)
  let best = { order: 0, residual, size: sizeOf(residual) }
  for (let order = 1; order <= Math.min(highestOrder, samples.length - 1); order += 1) {
    residual = residual.map((value, at) => (at === 0 ? value : value - (residual[at - 1] ?? 0)))
    const size = sizeOf(residual)
    if (size < best.size) best = { order, residual, size }
  }
  return best
}

// Compares the predictors over the samples that all of them predict.
function sizeOf(residual: Int32Array): number {
  return residual.subarray(highestOrder).reduce((sum, value) => sum + Math.abs(value), 0)
}

/** Writes Rice codes, with the best parameter for each partition of the block. */
function putResidual(bits: BitWriter, residual: Int32Array, order: number): void {
  const partitionOrder = residual.length % 16 === 0 && residual.length / 16 > highestOrder ? 4 : 0
  const length = residual.length >> partitionOrder
  bits.put(partitionOrder, 6)
  for (let start = 0; start < residual.length; start += length) {
    // Zero, -1, 1, -2, ... become 0, 1, 2, 3, ...
    const folded = residual
      .subarray(Math.max(start, order), start + length)
      .map((value) => (value << 1) ^ (value >> 31))
    const parameter = toRiceParameter(folded)
    bits.put(parameter, 4)
    for (const value of folded) {
      bits.putUnary(value >>> parameter)
      bits.put(value, parameter)
    }
  }
}

/** Returns how many binary digits each code has, based on the mean of the numbers. The format allows up to 14. */
function toRiceParameter(folded: Int32Array): number {
  const sum = folded.reduce((total, value) => total + value, 0)
  let parameter = 0
  while (parameter < 14 && folded.length * 2 ** (parameter + 1) <= sum) parameter += 1
  return parameter
}

/** Writes numbers as bits, highest bit first. */
class BitWriter {
  readonly #bytes: number[] = []
  #last = 0
  #filled = 0

  /** Appends the lowest `count` bits of an integer. `count` is at most 32. */
  put(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      const take = Math.min(8 - this.#filled, left)
      left -= take
      this.#last = (this.#last << take) | ((value >>> left) & ((1 << take) - 1))
      this.#filled += take
      if (this.#filled === 8) this.#nextByte()
    }
  }

  /** Appends `zeros` zeros followed by a one. */
  putUnary(zeros: number): void {
    for (let left = zeros; left > 0; left -= 32) this.put(0, Math.min(left, 32))
    this.put(1, 1)
  }

  /** Returns all bytes. The last one is padded with zeros. */
  toBytes(): Uint8Array {
    if (this.#filled > 0) this.put(0, 8 - this.#filled)
    return Uint8Array.from(this.#bytes)
  }

  #nextByte(): void {
    this.#bytes.push(this.#last)
    this.#last = 0
    this.#filled = 0
  }
}

/** The checksums of a FLAC frame: `crc8` for its header, and `crc16` for the entire frame. */
const crc8 = crcOf(8, 0x07)
const crc16 = crcOf(16, 0x8005)
