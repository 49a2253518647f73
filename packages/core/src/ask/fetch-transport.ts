import { joinSignals } from '../words/join-signals.js'
import { orAborted } from '../words/or-aborted.js'
import { RequestClock, type Timeouts } from './timeouts.js'
import { type Transport, type TransportResponse, unreachable } from './transport.js'

/** A transport over `fetch`; default: the built-in one. It cannot tell connecting from waiting for the first byte. */
export function fetchTransport(timeouts: Timeouts, send: typeof fetch = fetch): Transport {
  return async ({ url, headers, body, signal }) => {
    const late = new AbortController()
    const clock = new RequestClock(timeouts, (error) => late.abort(error))
    const joined = joinSignals([signal, late.signal])
    const release = () => {
      clock.stop()
      joined.release()
    }
    clock.enter('firstByte')
    try {
      const init = { method: 'POST', redirect: 'manual', headers, body, signal: joined.signal } as const
      // A `fetch` of the user's may not listen to its signal.
      const response = await orAborted(joined.signal, send(url, init))
      clock.enter('idle')
      const { read, ...answer } = toTransportResponse(response, joined.signal, () => clock.enter('idle'))
      return { ...answer, read: (take) => read(take).finally(release) }
    } catch (error) {
      release()
      throw joined.signal.aborted ? joined.signal.reason : unreachable(url, error)
    }
  }
}

/** A `Response` as a transport hands it on; `onPiece` is called as each piece of the body comes. */
export function toTransportResponse(
  response: Response,
  signal: AbortSignal,
  onPiece?: () => void,
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
          const { done, value } = await orAborted(signal, pieces.read())
          if (done || !take(value)) return
          onPiece?.()
        }
      } finally {
        leave()
      }
    },
  }
}
