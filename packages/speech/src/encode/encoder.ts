import { join } from '../wav.js'

/** Encodes samples piece by piece. Buffers at most one frame. */
export interface Encoder {
  /** Encodes the next samples. Returns the bytes that are ready so far, possibly none. */
  readonly encode: (samples: Int16Array) => Uint8Array
  /** Returns the remaining bytes. Call it once, after all samples. */
  readonly finish: () => Uint8Array
}

interface BlockEncoder {
  /** Bytes to write before the first block, even if there are no blocks. Default: none. */
  readonly header?: Uint8Array
  readonly encodeBlock: (block: Int16Array) => Uint8Array
  /** Returns bytes to write after the last block. Default: none. */
  readonly finish?: () => Uint8Array
}

/** Splits samples into blocks of a fixed size, regardless of how the input was split. The last block may be shorter. */
export function inBlocks(size: number, { header = none, encodeBlock, finish }: BlockEncoder): Encoder {
  let rest = new Int16Array()
  let head = header
  const takeHead = () => {
    const bytes = head
    head = none
    return bytes
  }
  return {
    encode(samples) {
      const all = join([rest, samples], Int16Array)
      const whole = all.length - (all.length % size)
      rest = all.slice(whole)
      const parts = [takeHead()]
      for (let at = 0; at < whole; at += size) parts.push(encodeBlock(all.subarray(at, at + size)))
      return join(parts, Uint8Array)
    },
    finish() {
      const last = rest.length > 0 ? encodeBlock(rest) : none
      return join([takeHead(), last, finish?.() ?? none], Uint8Array)
    },
  }
}

const none = new Uint8Array()
