import { abortable } from '@capstan/core/internal'
import { ByteReader, fileStream, fileSystem, partStream } from './byte-streams.js'
import { headBytes } from './detect-type.js'

/** Bytes in memory or in a file, read as often as needed; a file that is nobody's else goes with its scope. */
export interface Held extends AsyncDisposable {
  readonly blob: Blob
  /** Of a file without a buffer for each part, as the stream of its blob would have. */
  stream(): ReadableStream<Uint8Array>
}

export function holdBytes(bytes: Uint8Array): Held {
  return holdBlob(new Blob([bytes as Uint8Array<ArrayBuffer>]))
}

export function holdBlob(blob: Blob): Held {
  return { blob, stream: () => streamOf(blob), [Symbol.asyncDispose]: async () => {} }
}

/** Each part that a blob gives is a copy made for who reads it, unless somebody wrote a way of their own. */
function streamOf(blob: Blob): ReadableStream<Uint8Array> {
  const parts = blob.stream()
  const isIterable = Symbol.asyncIterator in parts
  const isOwn = blob.stream === Blob.prototype.stream
  return isIterable ? partStream({ parts, isOwn, end: () => {} }) : parts
}

/** @throws what the file system says, CapstanError `unsupported` where there is none */
export async function holdFile(path: string, remove: () => Promise<void> = async () => {}): Promise<Held> {
  const blob = await fileSystem().fs.openAsBlob(path)
  return { blob, stream: () => fileStream(path), [Symbol.asyncDispose]: remove }
}

/** The first bytes: as many as tell a type, unless another number is given. */
export async function headOf({ blob }: Pick<Held, 'blob'>, count: number = headBytes): Promise<Uint8Array> {
  return new Uint8Array(await blob.slice(0, count).arrayBuffer())
}

export async function bytesOf({ blob }: Pick<Held, 'blob'>): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer())
}

/** Above it bytes wait in a file. */
const mostInMemory = 1024 * 1024
const partBytes = 64 * 1024

/**
 * The bytes of a stream, or undefined when there are more than the limit: then the rest is never taken in. More than a
 * megabyte waits in a temporary file, where there are files, which goes with the scope of what is resolved to.
 */
export async function takeIn(
  limit: number,
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): Promise<Held | undefined> {
  if (!body) return holdBytes(new Uint8Array())
  const reader = new ByteReader(body)
  try {
    const head = await abortable(signal, reader.take(Math.min(mostInMemory, limit) + 1))
    if (head.length > limit) return undefined
    return head.length > mostInMemory ? await takeRest(head, reader, { limit, signal }) : holdBytes(head)
  } finally {
    // Not waited for: what never ends may not end its reading either.
    void reader.close()
  }
}

interface Bounds {
  readonly limit: number
  readonly signal: AbortSignal
}

async function takeRest(
  head: Uint8Array,
  reader: ByteReader,
  { limit, signal }: Bounds,
): Promise<Held | undefined> {
  const spool = await openSpool()
  try {
    await spool.write(head)
    const part = new Uint8Array(partBytes)
    for (let size = head.length; ; ) {
      const filled = await abortable(signal, reader.fill(part))
      size += filled
      if (filled === 0) return await ended(spool, signal)
      if (size > limit) break
      await spool.write(part.subarray(0, filled))
    }
  } catch (error) {
    await spool.remove()
    throw error
  }
  await spool.remove()
  return undefined
}

/** Who gave up meanwhile takes nothing away. */
async function ended(spool: Spool, signal: AbortSignal): Promise<Held> {
  const held = await spool.end()
  signal.throwIfAborted()
  return held
}

/** Where bytes wait until all of them are there. */
interface Spool {
  write(bytes: Uint8Array): Promise<void>
  /** What was written. */
  end(): Promise<Held>
  /** Takes it away. */
  remove(): Promise<void>
}

/** A temporary file, for nobody but us to read; memory where none can be made, or the disk is full. */
export async function openSpool(): Promise<Spool> {
  return (await openFileSpool().catch(() => undefined)) ?? memorySpool()
}

async function openFileSpool(): Promise<Spool | undefined> {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs?.openAsBlob) return undefined
  const folder = process.getBuiltinModule('node:os').tmpdir()
  const path = process.getBuiltinModule('node:path').join(folder, `${crypto.randomUUID()}.part`)
  const file = await fs.promises.open(path, 'wx', 0o600)
  const forget = untilExit(path)
  const remove = async () => {
    await file.close()
    await fs.promises.rm(path, { force: true })
    forget()
  }
  let size = 0
  let memory: Spool | undefined
  return {
    async write(bytes) {
      if (memory) return memory.write(bytes)
      try {
        await file.writeFile(bytes)
        size += bytes.length
      } catch {
        // The disk is full: they go where they went before there was a file.
        memory = memorySpool()
        await memory.write((await fs.promises.readFile(path)).subarray(0, size))
        await memory.write(bytes)
        await remove()
      }
    },
    async end() {
      if (memory) return memory.end()
      await file.close()
      return holdFile(path, remove)
    },
    remove,
  }
}

const left = new Set<string>()
let isWatched = false

/** Has a file removed when the process exits before the function that is returned was called. */
function untilExit(path: string): () => void {
  left.add(path)
  if (!isWatched) process.on('exit', removeLeft)
  isWatched = true
  return () => {
    left.delete(path)
  }
}

function removeLeft(): void {
  const { rmSync } = process.getBuiltinModule('node:fs')
  for (const path of left) rmSync(path, { force: true })
}

function memorySpool(): Spool {
  const parts: Blob[] = []
  return {
    write: async (bytes) => {
      parts.push(new Blob([bytes as Uint8Array<ArrayBuffer>]))
    },
    end: async () => holdBlob(new Blob(parts)),
    remove: async () => {},
  }
}
