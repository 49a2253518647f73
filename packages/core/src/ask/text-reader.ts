/** Reads UTF-8 that is cut anywhere. Bytes that are none become U+FFFD, and are remembered. */
export class TextReader {
  readonly #decoder = new TextDecoder()
  readonly #checker = new TextDecoder('utf-8', { fatal: true })
  /** Whether some bytes were no UTF-8: a U+FFFD that a server wrote as such is none of them. */
  isGarbled = false

  read(bytes: Uint8Array): string {
    this.#check(bytes)
    return this.#decoder.decode(bytes, { stream: true })
  }

  /** What is left at the end: half a character, if anything. */
  end(): string {
    this.#check()
    return this.#decoder.decode()
  }

  #check(bytes?: Uint8Array): void {
    if (this.isGarbled) return
    try {
      this.#checker.decode(bytes, { stream: bytes !== undefined })
    } catch {
      this.isGarbled = true
    }
  }
}
