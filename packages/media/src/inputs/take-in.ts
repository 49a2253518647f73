import { orAborted } from '@capstan/core/wire'
import { ByteReader } from './byte-reader.js'
import { type Held, holdBytes } from './held.js'
import { openSpool, type Spool } from './spool.js'

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
    const head = await orAborted(signal, reader.take(Math.min(mostInMemory, limit) + 1))
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
      const filled = await orAborted(signal, reader.fill(part))
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
