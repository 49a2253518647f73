type Fetch = typeof globalThis.fetch

/** A fetch whose answers break off when one message in them, an event or a whole body, is longer than `maxBytes`. */
export function boundedFetch(fetch: Fetch, maxBytes: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const body = response.body.pipeThrough(meter(maxBytes, isStream))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

/** Counts the bytes of a body, of a stream of events from the end of the last one. */
function meter(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let last = 0
  return new TransformStream({
    transform(chunk, out) {
      for (const byte of chunk) {
        // A line feed is no part of another character, and a carriage return only ever comes with one here.
        const endsEvent = isStream && byte === lineFeed && last === lineFeed
        bytes = endsEvent ? 0 : bytes + 1
        if (byte !== carriageReturn) last = byte
      }
      if (bytes > maxBytes) throw new Error(`A message of the server is longer than ${maxBytes} bytes.`)
      out.enqueue(chunk)
    },
  })
}

const lineFeed = 10
const carriageReturn = 13
