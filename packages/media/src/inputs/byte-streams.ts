import type { OnReadOpts, Socket } from 'node:net'
import { CapstanError } from '@capstan/core'
import { pullStream } from '@capstan/core/internal'

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

/** Where the parts of a stream are from. */
interface Parts {
  readonly parts: AsyncIterable<Uint8Array>
  /** Whether they are nobody's but ours: then each is let go once it is copied. */
  readonly isOwn: boolean
  /** Ends what they come from, when no more are wanted. */
  end(): void
}

/** Parts as they come, read into what the reader brings, where it brings something. */
export function partStream({ parts, isOwn, end }: Parts): ReadableStream<Uint8Array> {
  const each = parts[Symbol.asyncIterator]()
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
      if (left.length === 0 && isOwn) letGo(whole)
      return length
    },
    close: async () => end(),
  })
}

let nowhere: MessagePort | undefined

/**
 * Gives the memory of bytes back at once; they are gone. Otherwise it waits for the collector, which looks for buffers
 * when tens of megabytes of them have piled up. Bytes that share their memory stay.
 */
export function letGo(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return
  nowhere ??= closedPort()
  nowhere.postMessage(undefined, [buffer])
}

/** What is sent through it arrives nowhere. */
function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.close()
  return port1
}

/**
 * The bytes of a file, read into what the reader brings, where it brings something.
 * @throws CapstanError `unsupported` where there is no file system
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
 * Node's file system, asked for by name, so that bundles for places without files need no `node:` import.
 * @throws CapstanError `unsupported` where there is none
 */
export function fileSystem() {
  const builtin = globalThis.process?.getBuiltinModule
  const fs = builtin?.('node:fs')
  if (!builtin || !fs) {
    const message = 'There is no file system here. Give bytes, a Blob or an artifact id instead of a path.'
    throw new CapstanError('unsupported', message)
  }
  return { fs, path: builtin('node:path'), url: builtin('node:url'), stream: builtin('node:stream') }
}

/** How a request over node:http reads its connection. */
interface ReadBuffer {
  readonly onread: OnReadOpts
  /** Whether it did: what stands in for a connection, as in tests, does not. */
  isUsed(): boolean
}

const readBytes = 64 * 1024

/**
 * A connection is read into one buffer, of which the parser copies what it keeps. Otherwise each read takes a buffer
 * of its own, and those of a large answer pile up until they are collected.
 */
export function readBuffer(): ReadBuffer {
  let used = false
  return {
    onread: {
      buffer: new Uint8Array(readBytes),
      // With a buffer of one's own a connection does not say `data`, which the parser waits for.
      callback(this: Socket, length: number, buffer: Uint8Array) {
        used = true
        this.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, length))
        return true
      },
    },
    isUsed: () => used,
  }
}

/** All bytes of a stream, or undefined when there are more than the limit: then the rest is never taken in. */
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
      // Not waited for: what never ends may not end its reading either.
      reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(value as Uint8Array<ArrayBuffer>)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
