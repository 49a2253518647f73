/** Numbers as bits, the highest bit first. */
export class BitWriter {
  readonly #bytes: number[] = []
  #last = 0
  #filled = 0

  /** Adds the lowest `count` bits of a whole number, 32 at most. */
  put(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      const take = Math.min(8 - this.#filled, left)
      left -= take
      this.#last = (this.#last << take) | ((value >>> left) & ((1 << take) - 1))
      this.#filled += take
      if (this.#filled === 8) this.#nextByte()
    }
  }

  /** As many zeros as the number says, and a one. */
  putUnary(zeros: number): void {
    for (let left = zeros; left > 0; left -= 32) this.put(0, Math.min(left, 32))
    this.put(1, 1)
  }

  /** All bytes so far; the last one is filled up with zeros. */
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
