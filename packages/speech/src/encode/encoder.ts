import { join } from '../wav.js'

/** Sound in, bytes out, piece by piece. Nothing of what was given is kept for longer than it takes to fill a frame. */
export interface Encoder {
  /** The next samples; returns the bytes that are ready, which may be none. */
  readonly encode: (samples: Int16Array) => Uint8Array
  /** The bytes still missing, once; call nothing after it. */
  readonly finish: () => Uint8Array
}

interface BlockEncoder {
  /** Bytes in front of everything else, also when no block follows. Default: none. */
  readonly header?: Uint8Array
  readonly encodeBlock: (block: Int16Array) => Uint8Array
  /** What stands behind the last block. Default: nothing. */
  readonly finish?: () => Uint8Array
}

/** Cuts samples into blocks of one size, the last one shorter, whatever the size of the pieces they come in. */
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
