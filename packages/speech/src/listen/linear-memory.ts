/** The memory of a WebAssembly program. A view is made for each use: the old ones are lost whenever it grows. */
export class LinearMemory {
  constructor(readonly memory: WebAssembly.Memory) {}

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.memory.buffer)
  }

  readInt(at: number): number {
    return this.#view.getInt32(at, true)
  }

  writeInt(at: number, value: number): void {
    this.#view.setInt32(at, value, true)
  }

  readText(at: number, length: number): string {
    return new TextDecoder().decode(this.bytes.subarray(at, at + length))
  }

  /** A text that ends with a zero, as C keeps them. */
  readTextToZero(at: number): string {
    return this.readText(at, this.bytes.indexOf(0, at) - at)
  }

  get #view(): DataView {
    return new DataView(this.memory.buffer)
  }
}
