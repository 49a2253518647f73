import { abortable, joinSignals } from '../async.js'
import { fromUtf8 } from '../bytes.js'
import {
  RequestClock,
  type Timeouts,
  type Transport,
  type TransportResponse,
  unreachable,
} from './transport.js'

/** A transport over `fetch`; default: the built-in one. It cannot tell connecting from waiting for the first byte. */
export function fetchTransport(timeouts: Timeouts, send: typeof fetch = fetch): Transport {
  return async ({ url, headers, body, signal }) => {
    // A text: whoever gives a `fetch` of their own may want to read it.
    const text = fromUtf8(body)
    const init = { method: 'POST', redirect: 'manual', headers, body: text } as const
    return answerOf((stop) => send(url, { ...init, signal: stop }), {
      timeouts,
      signal,
      toError: (thrown) => unreachable(url, thrown),
    })
  }
}

export interface Asking {
  readonly timeouts: Timeouts
  readonly signal: AbortSignal
  /** The error for what `send` threw of itself. */
  toError(thrown: unknown): unknown
}

/** The answer that `send` brings, as a transport hands it on, within the bounds: all but `connect`. */
export async function answerOf(
  send: (signal: AbortSignal) => Promise<Response>,
  { timeouts, signal, toError }: Asking,
): Promise<TransportResponse> {
  const late = new AbortController()
  const clock = new RequestClock(timeouts, (error) => late.abort(error))
  const joined = joinSignals([signal, late.signal])
  const release = () => {
    clock.stop()
    joined.release()
  }
  clock.enter('firstByte')
  let sent: Promise<Response> | undefined
  try {
    sent = send(joined.signal)
    const response = await abortable(joined.signal, sent)
    clock.enter('idle')
    const { read, ...answer } = toTransportResponse(response, joined.signal, () => clock.enter('idle'))
    return { ...answer, read: (take) => read(take).finally(release) }
  } catch (error) {
    release()
    // A `fetch` of the user's may not listen to its signal: what it brings later is let go.
    sent?.then(({ body }) => body?.cancel()).catch(() => {})
    throw joined.signal.aborted ? joined.signal.reason : toError(error)
  }
}

/** A `Response` as a transport hands it on; `onPiece` is called as each piece of the body comes. */
export function toTransportResponse(
  response: Response,
  signal: AbortSignal = new AbortController().signal,
  onPiece: () => void = () => {},
): TransportResponse {
  const pieces = response.body?.getReader()
  const leave = () => {
    pieces?.cancel().catch(() => {})
  }
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    leave,
    async read(take) {
      try {
        while (pieces) {
          const { done, value } = await abortable(signal, pieces.read())
          if (done || !take(value)) return
          onPiece()
        }
      } catch (error) {
        // The body may tell of an abort first, in words of its own.
        throw signal.aborted ? signal.reason : error
      } finally {
        leave()
      }
    },
  }
}
