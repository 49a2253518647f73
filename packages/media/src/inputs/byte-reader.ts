/** A stream of bytes, read in amounts of the reader's choice. */
export class ByteReader {
  readonly #read: () => Promise<Uint8Array | undefined>
  readonly #cancel: () => Promise<void>
  #left: Uint8Array = new Uint8Array()

  constructor(stream: ReadableStream<Uint8Array>) {
    const reader = readerOf(stream)
    this.#read = reader.read
    this.#cancel = reader.cancel
  }

  /** So many bytes, fewer only where the stream ends. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(count)
    return bytes.subarray(0, await this.fill(bytes))
  }

  /** Fills the bytes as far as the stream reaches, and says how far. */
  async fill(bytes: Uint8Array): Promise<number> {
    let filled = 0
    while (filled < bytes.length) {
      const part = await this.#next(bytes.length - filled)
      if (!part) break
      bytes.set(part, filled)
      filled += part.length
    }
    return filled
  }

  /** Passes over so many bytes, and says how many there were. */
  async skip(count: number): Promise<number> {
    let skipped = 0
    while (skipped < count) {
      const part = await this.#next(count - skipped)
      if (!part) break
      skipped += part.length
    }
    return skipped
  }

  /** Skips a run of one byte, at most so many, and returns how many there were. */
  async skipRun(byte: number, most: number): Promise<number> {
    let skipped = 0
    while (skipped < most && (await this.#hasMore())) {
      const part = this.#left.subarray(0, most - skipped)
      const other = part.findIndex((one) => one !== byte)
      const length = other === -1 ? part.length : other
      this.#left = this.#left.subarray(length)
      skipped += length
      if (other !== -1) break
    }
    return skipped
  }

  /** Ends the stream, whatever it still holds. */
  async close(): Promise<void> {
    await this.#cancel().catch(() => {})
  }

  async #next(most: number): Promise<Uint8Array | undefined> {
    if (!(await this.#hasMore())) return undefined
    const part = this.#left.subarray(0, most)
    this.#left = this.#left.subarray(part.length)
    return part
  }

  /** Reads on where all that was read is used up; false at the end of the stream. */
  async #hasMore(): Promise<boolean> {
    while (this.#left.length === 0) {
      const bytes = await this.#read()
      if (!bytes) return false
      this.#left = bytes
    }
    return true
  }
}

/** Where a stream can be read into a buffer of ours, it is the same one again and again: an hour is not collected. */
function readerOf(stream: ReadableStream<Uint8Array>) {
  const reader = tryByob(stream)
  if (!reader) {
    const plain = stream.getReader()
    return { read: async () => (await plain.read()).value, cancel: () => plain.cancel() }
  }
  let buffer: ArrayBuffer | undefined = new ArrayBuffer(64 * 1024)
  const read = async () => {
    const { value } = buffer ? await reader.read(new Uint8Array(buffer)) : {}
    buffer = value?.length ? value.buffer : undefined
    return buffer && value
  }
  return { read, cancel: () => reader.cancel() }
}

function tryByob(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}
