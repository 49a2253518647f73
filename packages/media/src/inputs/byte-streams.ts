import type { OnReadOpts, Socket } from 'node:net'
import { CapstanError } from '@capstan/core'
import { pullStream } from '@capstan/core/internal'

/** Reads a byte stream in chosen amounts. */
export class ByteReader {
  readonly #read: () => Promise<Uint8Array | undefined>
  readonly #cancel: () => Promise<void>
  #left: Uint8Array = new Uint8Array()

  constructor(stream: ReadableStream<Uint8Array>) {
    const reader = readerOf(stream)
    this.#read = reader.read
    this.#cancel = reader.cancel
  }

  /** Returns `count` bytes, or fewer if the stream ends first. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(count)
    return bytes.subarray(0, await this.fill(bytes))
  }

  /** Fills a buffer, or a part of it if the stream ends first. Returns the number of bytes. */
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

  /**
   * Copies the next bytes into a buffer as soon as there are any. Returns the number of bytes, which is 0 at the end.
   */
  async read(bytes: Uint8Array): Promise<number> {
    const part = await this.#next(bytes.length)
    if (part) bytes.set(part)
    return part?.length ?? 0
  }

  /** Skips `count` bytes, or fewer if the stream ends first. Returns the number of bytes. */
  async skip(count: number): Promise<number> {
    let skipped = 0
    while (skipped < count) {
      const part = await this.#next(count - skipped)
      if (!part) break
      skipped += part.length
    }
    return skipped
  }

  /** Skips bytes with this value, up to a limit. Returns how many were skipped. */
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

  /** Cancels the stream. Never rejects. */
  async close(): Promise<void> {
    await this.#cancel().catch(() => {})
  }

  async #next(most: number): Promise<Uint8Array | undefined> {
    if (!(await this.#hasMore())) return undefined
    const part = this.#left.subarray(0, most)
    this.#left = this.#left.subarray(part.length)
    return part
  }

  /** If the buffer is empty, reads more. Returns false at the end of the stream. */
  async #hasMore(): Promise<boolean> {
    while (this.#left.length === 0) {
      const bytes = await this.#read()
      if (!bytes) return false
      this.#left = bytes
    }
    return true
  }
}

/** If the stream supports it, reuses one buffer for all reads, so that long streams create no garbage. */
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

/** The source of a stream's chunks. */
interface ChunkSource {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Whether nothing else uses the chunks. If so, each chunk is freed after it has been copied. */
  readonly isOwn: boolean
  /** Ends the source. Called when no more chunks are needed. */
  end(): void
}

/** Streams chunks. If the reader has its own buffer, copies them into it. */
export function chunkStream({ chunks, isOwn, end }: ChunkSource): ReadableStream<Uint8Array> {
  const each = chunks[Symbol.asyncIterator]()
  let whole: Uint8Array = new Uint8Array()
  let left = whole
  return pullStream({
    async read(into) {
      while (left.length === 0) {
        const { done, value } = await each.next()
        if (done) return 0
        whole = value
        left = value
      }
      const length = Math.min(left.length, into.length)
      into.set(left.subarray(0, length))
      left = left.subarray(length)
      if (left.length === 0 && isOwn) freeBuffer(whole)
      return length
    },
    close: async () => end(),
  })
}

let discardPort: MessagePort | undefined

/**
 * Frees the memory of bytes immediately, because the garbage collector would wait for tens of megabytes. The bytes
 * cannot be used afterwards. Does nothing if they are part of a larger buffer, or if the runtime cannot transfer
 * memory.
 */
export function freeBuffer(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return
  discardPort ??= closedPort()
  try {
    discardPort.postMessage(undefined, [buffer])
  } catch {
    // workerd cannot transfer memory, so the memory is freed later.
  }
}

/** Returns a closed port. It discards all messages. */
function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.close()
  return port1
}

/**
 * Streams a file. If the reader has its own buffer, copies the bytes into it.
 * @throws CapstanError `unsupported` if there is no file system
 */
export function fileStream(path: string): ReadableStream<Uint8Array> {
  const { fs } = fileSystem()
  let opened: ReturnType<typeof fs.promises.open> | undefined
  return pullStream({
    async read(into) {
      opened ??= fs.promises.open(path)
      const { bytesRead } = await (await opened).read(into, 0, into.byteLength)
      return bytesRead
    },
    close: async () => (await opened)?.close(),
  })
}

/**
 * Returns Node's file system without a `node:` import, so that bundles also work in other runtimes.
 * @throws CapstanError `unsupported` if there is no file system
 */
export function fileSystem() {
  const builtin = globalThis.process?.getBuiltinModule
  const fs = builtin?.('node:fs')
  if (!builtin || !fs) {
    const message = 'This runtime has no file system. Pass bytes, a Blob or an artifact id instead of a path.'
    throw new CapstanError('unsupported', message)
  }
  return { fs, path: builtin('node:path'), url: builtin('node:url'), stream: builtin('node:stream') }
}

/** Options to read a node:http connection into one buffer. */
interface ReadBuffer {
  readonly onread: OnReadOpts
  /** Whether the buffer has been used. A connection that was replaced, for example in a test, does not use it. */
  isUsed(): boolean
}

const readBytes = 64 * 1024

/**
 * Returns options to read a connection into one buffer, from which the parser copies. Without these options, each read
 * would allocate a buffer, and a large response would need many.
 */
export function readBuffer(): ReadBuffer {
  let used = false
  return {
    onread: {
      buffer: new Uint8Array(readBytes),
      // A connection that has its own buffer does not emit `data`, which the parser needs.
      callback(this: Socket, length: number, buffer: Uint8Array) {
        used = true
        this.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, length))
        return true
      },
    },
    isUsed: () => used,
  }
}

/** Returns a stream's bytes. If there are more than `limit`, returns undefined without reading the rest. */
export async function readUpTo(
  limit: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for (const reader = body?.getReader(); reader; ) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.byteLength
    if (length > limit) {
      // Not awaited, because cancelling a stream that hangs may hang too.
      reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(value as Uint8Array<ArrayBuffer>)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
