/** All bytes of a stream, or the bytes themselves. */
export async function readBytes(data: Uint8Array | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  if (data instanceof Uint8Array) return data
  return new Uint8Array(await new Response(data as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer())
}

/**
 * The bytes of a stream as they come; each part is good until the next is asked for. Where a stream fills a buffer of
 * ours, it is the same one again and again: as many as a large file takes would pile up until they are collected.
 */
export async function* eachPart(data: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = tryByob(data)
  if (!reader) return yield* data
  try {
    for (let buffer = new ArrayBuffer(64 * 1024); ; ) {
      const { value } = await reader.read(new Uint8Array(buffer))
      if (!value?.length) return
      yield value
      buffer = value.buffer
    }
  } finally {
    // Not waited for: what never ends may not end its reading either.
    reader.cancel().catch(() => {})
  }
}

function tryByob(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}
