import { abortable, joinSignals } from '../async.js'
import { fromUtf8 } from '../bytes.js'
import type { Transport, TransportResponse } from '../types/model.js'
import { startClock, type Timeouts, unreachable } from './transport.js'

/**
 * Creates a transport over `fetch`, by default the built-in one. `fetch` cannot distinguish connecting from waiting for
 * the first byte.
 */
export function fetchTransport(timeouts: Timeouts, send: typeof fetch = fetch): Transport {
  return async ({ url, headers, body, signal }) => {
    // The body is a string because a custom `fetch` may read it.
    const text = fromUtf8(body)
    const init = { method: 'POST', redirect: 'manual', headers, body: text } as const
    return receiveResponse((stop) => send(url, { ...init, signal: stop }), {
      timeouts,
      signal,
      toError: (thrown) => unreachable(url, thrown),
    })
  }
}

export interface ReceiveOptions {
  readonly timeouts: Timeouts
  readonly signal: AbortSignal
  /** Converts an error that `send` itself threw. */
  toError(thrown: unknown): unknown
}

/**
 * Sends a request and returns the response in the form that a transport returns. All timeouts except `connect` apply.
 */
export async function receiveResponse(
  send: (signal: AbortSignal) => Promise<Response>,
  { timeouts, signal, toError }: ReceiveOptions,
): Promise<TransportResponse> {
  const joined = joinSignals([signal])
  const clock = startClock(timeouts, joined.abort)
  const release = () => {
    clock.stop()
    joined.release()
  }
  clock.enter('firstByte')
  let pending: Promise<Response> | undefined
  try {
    pending = send(joined.signal)
    const response = await abortable(joined.signal, pending)
    clock.enter('idle')
    const { read, ...rest } = toTransportResponse(response, joined.signal, () => clock.enter('idle'))
    return { ...rest, read: (take) => read(take).finally(release) }
  } catch (error) {
    release()
    // A custom `fetch` may ignore its signal, so a response that arrives later is cancelled.
    pending?.then(({ body }) => body?.cancel()).catch(() => {})
    throw joined.signal.aborted ? joined.signal.reason : toError(error)
  }
}

/** Converts a `Response` to the form that a transport returns. `onChunk` is called for each chunk of the body. */
export function toTransportResponse(
  response: Response,
  signal: AbortSignal,
  onChunk: () => void,
): TransportResponse {
  const reader = response.body?.getReader()
  const close = () => {
    reader?.cancel().catch(() => {})
  }
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    headers: () => [...response.headers].flat(),
    leave: close,
    async read(take) {
      try {
        while (reader) {
          const { done, value } = await abortable(signal, reader.read())
          if (done || !take(value)) return
          onChunk()
        }
      } catch (error) {
        // The body may reject with its own error before the abort reason arrives.
        throw signal.aborted ? signal.reason : error
      } finally {
        close()
      }
    },
  }
}
