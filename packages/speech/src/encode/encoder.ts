import { join } from '../wav.js'

/** Encodes sound to bytes, piece by piece. Buffers at most one frame. */
export interface Encoder {
  /** Takes the next samples and returns the finished bytes, which may be empty. */
  readonly encode: (samples: Int16Array) => Uint8Array
  /** Returns the remaining bytes. Call it once, as the last method. */
  readonly finish: () => Uint8Array
}

interface BlockEncoder {
  /** Bytes before all others, also when no block follows. Default: none. */
  readonly header?: Uint8Array
  readonly encodeBlock: (block: Int16Array) => Uint8Array
  /** Bytes after the last block. Default: none. */
  readonly finish?: () => Uint8Array
}

/** Cuts samples into blocks of one size, except the last, whatever the size of the input pieces. */
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
