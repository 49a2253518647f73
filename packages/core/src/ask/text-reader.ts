import { joinBytes } from '../words/join-bytes.js'

/** Reads UTF-8 that is cut anywhere. Bytes that are none become U+FFFD, and are remembered. */
export class TextReader {
  /** The beginning of a character whose end has not come. */
  #half: Uint8Array = new Uint8Array()
  #hasBegun = false
  /** Whether some bytes were no UTF-8: a U+FFFD that a server wrote as such is none of them. */
  isGarbled = false

  read(bytes: Uint8Array): string {
    const all = this.#half.length === 0 ? bytes : joinBytes([this.#half, bytes])
    const end = all.length - lengthOfHalf(all)
    // Copied: a Buffer's own `slice` would share the sender's memory.
    this.#half = end === all.length ? this.#half.subarray(0, 0) : new Uint8Array(all.subarray(end))
    const text = this.#decode(all.subarray(0, end))
    if (this.#hasBegun || text === '') return text
    this.#hasBegun = true
    return text.startsWith('\ufeff') ? text.slice(1) : text
  }

  /** What is left at the end: half a character, if anything. */
  end(): string {
    return this.#decode(this.#half)
  }

  #decode(bytes: Uint8Array): string {
    if (this.isGarbled) return lenient.decode(bytes)
    try {
      return strict.decode(bytes)
    } catch {
      this.isGarbled = true
      return lenient.decode(bytes)
    }
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** How many bytes at the end begin a character that is longer than they are. */
function lengthOfHalf(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return lengthOf(byte) > length ? length : 0
  }
  return 0
}

/** Of the character that a byte begins. */
function lengthOf(first: number): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
}
