import { SpeechError } from '../speech-error.js'
import { BitWriter } from './bit-writer.js'
import type { Encoder } from './encoder.js'
import { toFlacFrame } from './flac-frame.js'
import { inBlocks } from './in-blocks.js'

/** An encoder to FLAC, without loss. Its header leaves the length open. Throws for a rate that 16 bits cannot say. */
export function createFlacEncoder(sampleRate: number): Encoder {
  if (sampleRate > highestRate) {
    const message = `FLAC is written here for up to ${highestRate} samples per second, not ${sampleRate}: use wav.`
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

/** The marker and the one block of metadata there must be; 0 stands for what is not known yet. */
function toStreamHeader(sampleRate: number): Uint8Array {
  const bits = new BitWriter()
  for (const letter of 'fLaC') bits.put(letter.charCodeAt(0), 8)
  bits.put(0x80, 8)
  bits.put(34, 24)
  bits.put(blockSize, 16)
  bits.put(blockSize, 16)
  // Least and greatest size of a frame.
  bits.put(0, 32)
  bits.put(0, 16)
  bits.put(sampleRate, 20)
  // One channel, 16 bits.
  bits.put(0, 3)
  bits.put(15, 5)
  // The number of samples, and their MD5 sum.
  bits.put(0, 4)
  for (let word = 0; word < 5; word += 1) bits.put(0, 32)
  return bits.toBytes()
}
