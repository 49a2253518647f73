import { abortable } from '@capstan/core/internal'
import { ByteReader, chunkStream, fileStream, fileSystem, freeBuffer } from './byte-streams.js'
import { headBytes } from './detect-type.js'

/** Bytes in memory or in a file. They can be read any number of times. Disposing them removes a temporary file. */
export interface StoredBytes extends AsyncDisposable {
  readonly blob: Blob
  /** Streams the bytes. Does not allocate a buffer for each chunk of a file, as `blob.stream()` would. */
  stream(): ReadableStream<Uint8Array>
}

export function fromBytes(bytes: Uint8Array): StoredBytes {
  return fromBlob(new Blob([bytes as Uint8Array<ArrayBuffer>]))
}

export function fromBlob(blob: Blob): StoredBytes {
  return { blob, stream: () => streamOf(blob), [Symbol.asyncDispose]: async () => {} }
}

/** Streams a blob. Nothing else uses its chunks, unless `stream` was replaced. */
function streamOf(blob: Blob): ReadableStream<Uint8Array> {
  const parts = blob.stream()
  const isIterable = Symbol.asyncIterator in parts
  const isOwn = blob.stream === Blob.prototype.stream
  return isIterable ? chunkStream({ chunks: parts, isOwn, end: () => {} }) : parts
}

/**
 * Opens a file. Disposing the result calls `remove`.
 * @throws the file system's error, or CapstanError `unsupported` if there is no file system
 */
export async function fromFile(
  path: string,
  remove: () => Promise<void> = async () => {},
): Promise<StoredBytes> {
  const blob = await fileSystem().fs.openAsBlob(path)
  return { blob, stream: () => fileStream(path), [Symbol.asyncDispose]: remove }
}

/** Returns the first bytes. The default is enough to detect a type. */
export async function readHead(
  { blob }: Pick<StoredBytes, 'blob'>,
  count: number = headBytes,
): Promise<Uint8Array> {
  return new Uint8Array(await blob.slice(0, count).arrayBuffer())
}

export async function readBytes({ blob }: Pick<StoredBytes, 'blob'>): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer())
}

/** Maximum bytes to keep in memory. Larger content is written to a file. */
const maxInMemory = 1024 * 1024
const partBytes = 64 * 1024

/**
 * Reads a stream. If it exceeds `limit`, returns undefined without reading the rest. Content larger than 1 MB goes to a
 * temporary file if possible. The file is removed when the result is disposed.
 */
export async function readLimited(
  limit: number,
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): Promise<StoredBytes | undefined> {
  if (!body) return fromBytes(new Uint8Array())
  const reader = new ByteReader(body)
  try {
    const head = await abortable(signal, reader.take(Math.min(maxInMemory, limit) + 1))
    if (head.length > limit) return undefined
    return head.length > maxInMemory ? await spoolRest(head, reader, { limit, signal }) : fromBytes(head)
  } finally {
    // Not awaited, because cancelling a stream that hangs may hang too.
    void reader.close()
  }
}

interface ReadLimits {
  readonly limit: number
  readonly signal: AbortSignal
}

async function spoolRest(
  head: Uint8Array,
  reader: ByteReader,
  { limit, signal }: ReadLimits,
): Promise<StoredBytes | undefined> {
  const spool = await openSpool()
  try {
    await spool.write(head)
    const headLength = head.length
    freeBuffer(head)
    const part = new Uint8Array(partBytes)
    for (let size = headLength; ; ) {
      const filled = await abortable(signal, reader.fill(part))
      size += filled
      if (filled === 0) return await endSpool(spool, signal)
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

/** Ends a spool and returns its bytes. Throws if the caller has aborted in the meantime. */
async function endSpool(spool: Spool, signal: AbortSignal): Promise<StoredBytes> {
  const stored = await spool.end()
  signal.throwIfAborted()
  return stored
}

/** Collects bytes until all of them have arrived. */
interface Spool {
  write(bytes: Uint8Array): Promise<void>
  /** Returns the stored bytes. */
  end(): Promise<StoredBytes>
  remove(): Promise<void>
}

/** Opens a spool in a private temporary file. Uses memory instead if there is no file system or the disk is full. */
export async function openSpool(): Promise<Spool> {
  return (await openFileSpool().catch(() => undefined)) ?? memorySpool()
}

async function openFileSpool(): Promise<Spool | undefined> {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs?.openAsBlob) return undefined
  const folder = process.getBuiltinModule('node:os').tmpdir()
  const path = process.getBuiltinModule('node:path').join(folder, `${crypto.randomUUID()}.part`)
  const file = await fs.promises.open(path, 'wx', 0o600)
  const forget = removeOnExit(path)
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
        // The disk is full, so this continues in memory.
        memory = memorySpool()
        await memory.write((await fs.promises.readFile(path)).subarray(0, size))
        await memory.write(bytes)
        await remove()
      }
    },
    async end() {
      if (memory) return memory.end()
      await file.close()
      return fromFile(path, remove)
    },
    remove,
  }
}

const spoolFiles = new Set<string>()
let hasExitListener = false

/** Removes a file when the process exits, unless the returned function has been called. */
function removeOnExit(path: string): () => void {
  spoolFiles.add(path)
  if (!hasExitListener) process.on('exit', removeSpoolFiles)
  hasExitListener = true
  return () => {
    spoolFiles.delete(path)
  }
}

function removeSpoolFiles(): void {
  const { rmSync } = process.getBuiltinModule('node:fs')
  for (const path of spoolFiles) rmSync(path, { force: true })
}

function memorySpool(): Spool {
  const parts: Blob[] = []
  return {
    write: async (bytes) => {
      parts.push(new Blob([bytes as Uint8Array<ArrayBuffer>]))
    },
    end: async () => fromBlob(new Blob(parts)),
    remove: async () => {},
  }
}
