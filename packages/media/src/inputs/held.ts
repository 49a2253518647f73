import { headBytes } from './content-type.js'
import { fileStream } from './file-stream.js'
import { fileSystem } from './file-system.js'
import { partStream } from './part-stream.js'

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
