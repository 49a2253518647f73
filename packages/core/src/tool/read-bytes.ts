/** All bytes of a stream, or the bytes themselves. */
export async function readBytes(data: Uint8Array | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  if (data instanceof Uint8Array) return data
  return new Uint8Array(await new Response(data as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer())
}
