import { join } from '../join.js'
import { BitWriter } from './bit-writer.js'
import { crc8, crc16, toCrc } from './crc.js'

export interface Block {
  readonly samples: Int16Array
  /** Its place among the blocks of the sound, from 0. */
  readonly index: number
  readonly sampleRate: number
}

/** One block of sound as a FLAC frame: one channel, 16 bits, the best of the five fixed predictors. */
export function toFlacFrame(block: Block): Uint8Array {
  const header = toHeader(block)
  const checked = join([header, Uint8Array.of(toCrc(header, crc8)), toSubframe(block.samples)], Uint8Array)
  const crc = toCrc(checked, crc16)
  return join([checked, Uint8Array.of(crc >> 8, crc & 0xff)], Uint8Array)
}

function toHeader({ samples, index, sampleRate }: Block): Uint8Array {
  const bits = new BitWriter()
  bits.put(0xfff8, 16)
  // The size of the block and the rate stand in 16 bits of their own at the end, whatever they are.
  bits.put(0b0111_1101, 8)
  // One channel, 16 bits.
  bits.put(0b0000_1000, 8)
  for (const byte of toCodedNumber(index)) bits.put(byte, 8)
  bits.put(samples.length - 1, 16)
  bits.put(sampleRate, 16)
  return bits.toBytes()
}

/** As UTF-8 codes a character, up to 31 bits. */
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

/** What each predictor leaves is the difference of what the one before it left; the one that leaves least is taken. */
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

// All predictors are measured over the same samples: those that each of them predicts.
function sizeOf(residual: Int32Array): number {
  return residual.subarray(highestOrder).reduce((sum, value) => sum + Math.abs(value), 0)
}

/** Rice codes, each part of the block with the parameter that suits it. */
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

/** The length of the binary part of each code: about that of the mean; the format has room for 14. */
function toRiceParameter(folded: Int32Array): number {
  const sum = folded.reduce((total, value) => total + value, 0)
  let parameter = 0
  while (parameter < 14 && folded.length * 2 ** (parameter + 1) <= sum) parameter += 1
  return parameter
}
