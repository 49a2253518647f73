import { abortable, joinSignals } from '../async.js'
import { fromUtf8 } from '../bytes.js'
import { badResponse, CapstanError, messageOf } from '../errors.js'

import type { Transport, TransportResponse } from '../types/model.js'

export type { Transport, TransportRequest, TransportResponse } from '../types/model.js'

/** Default maximum of a response: 64 MiB. */
export const defaultMaxBytes = 64 * 2 ** 20

/** Creates the error for a request without a response. */
export function unreachable(url: string, error: unknown): CapstanError {
  const { origin } = new URL(url)
  const reason = rootCause(error)
  const message = `No response from ${origin} (${reason}). Check baseURL and the server.`
  return new CapstanError('network', message, {
    retryable: true,
    evidence: { origin, why: reason },
    cause: error,
  })
}

/** Time limits of one request in milliseconds. `Infinity` removes a limit. */
export interface Timeouts {
  /**
   * Time until the request can be written: waiting for the agent, the connection and its TLS handshake. Default 10 s.
   * Not applied with `fetch`, which cannot tell.
   */
  readonly connect: number
  /**
   * Time from then until the first byte of the response. Default 300 s: some servers send nothing while the model
   * thinks.
   */
  readonly firstByte: number
  /** Time between two pieces of the response. Default 120 s. */
  readonly idle: number
  /** Time for the whole request. Default 600 s. */
  readonly total: number
}

const defaults: Timeouts = { connect: 10_000, firstByte: 300_000, idle: 120_000, total: 600_000 }

/**
 * Fills in the default timeouts. A number limits the whole request.
 * @throws CapstanError `invalid_request` for a value that is not a positive number
 */
export function toTimeouts(given: number | Partial<Timeouts> = {}): Timeouts {
  const timeouts = { ...defaults }
  for (const [phase, ms] of Object.entries(typeof given === 'object' ? given : { total: given })) {
    if (ms === undefined) continue
    if (!isPhase(phase)) throw invalidTimeout(phase, 'is not a known timeout')
    if (typeof ms !== 'number' || !(ms > 0)) throw invalidTimeout(phase, 'is not a positive number')
    timeouts[phase] = ms
  }
  return timeouts
}

function isPhase(name: string): name is keyof Timeouts {
  return Object.hasOwn(defaults, name)
}

function invalidTimeout(phase: string, reason: string): CapstanError {
  const message = `timeoutMs.${phase} ${reason}. Set connect, firstByte, idle or total in milliseconds, or Infinity.`
  return new CapstanError('invalid_request', message, { evidence: { phase } })
}

/** The time limits of one request. */
export interface RequestClock {
  /** Starts a phase and ends the previous one. */
  enter(phase: Exclude<keyof Timeouts, 'total'>): void
  stop(): void
}

/**
 * Starts the time of a request. `onTimeout` is called once. A timer is kept as long as it fires early enough, because
 * every piece of a response enters a phase.
 */
export function startClock(timeouts: Timeouts, onTimeout: (error: CapstanError) => void): RequestClock {
  const lastEnd = performance.now() + timeouts.total
  let phase: keyof Timeouts | undefined = 'total'
  let end = lastEnd
  let firesAt = Number.POSITIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  const schedule = (now: number) => {
    if (firesAt <= end) return
    clearTimeout(timer)
    firesAt = Math.min(end, now + maxTimerMs)
    timer = setTimeout(check, Math.ceil(firesAt - now))
  }
  const check = () => {
    firesAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    if (now < end) schedule(now)
    else if (phase) onTimeout(timeoutError(phase, timeouts[phase]))
  }
  return {
    enter(next) {
      if (!phase) return
      const now = performance.now()
      end = now + timeouts[next]
      phase = end < lastEnd ? next : 'total'
      end = Math.min(end, lastEnd)
      schedule(now)
    },
    stop() {
      phase = undefined
      clearTimeout(timer)
    },
  }
}

/** 12 days. A much longer timer would fire at once. */
const maxTimerMs = 2 ** 30

const timeoutTexts = {
  connect: 'The request was not sent',
  firstByte: 'The model server sent nothing',
  idle: 'The model server sent no more data',
  total: 'The response was not complete',
}

function timeoutError(phase: keyof Timeouts, ms: number): CapstanError {
  const message = `${timeoutTexts[phase]} within ${ms} ms (timeoutMs.${phase}). Nothing was run.`
  return badResponse(message, { phase, ms }, 'timeout')
}

/** Returns the reason of a failure: `fetch` and clients only say "failed", and the innermost cause has the reason. */
export function rootCause(thrown: unknown): string {
  try {
    let last = thrown
    for (let depth = 0; depth < 10; depth++) last = Object(last).cause ?? last
    const { message, code } = Object(last) as { message?: unknown; code?: unknown }
    const text = message || code === undefined ? messageOf(last).replace(/\.$/, '') : String(code)
    return typeof code !== 'string' || text.includes(code) ? text : `${text} (${code})`
  } catch {
    return 'an unreadable value was thrown'
  }
}

/**
 * Creates a transport over `fetch`, by default the built-in one. It cannot distinguish connecting from waiting for the
 * first byte.
 */
export function fetchTransport(timeouts: Timeouts, send: typeof fetch = fetch): Transport {
  return async ({ url, headers, body, signal }) => {
    // The body is a string because a custom `fetch` may want to read it.
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
  /** Converts an error thrown by `send` itself. */
  toError(thrown: unknown): unknown
}

/** Sends a request and returns the response in the form of a transport. All timeouts but `connect` apply. */
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
    // A custom `fetch` may ignore its signal: a later response is cancelled.
    pending?.then(({ body }) => body?.cancel()).catch(() => {})
    throw joined.signal.aborted ? joined.signal.reason : toError(error)
  }
}

/** Converts a `Response` to the form of a transport. `onPiece` is called for each chunk of the body. */
export function toTransportResponse(
  response: Response,
  signal: AbortSignal = new AbortController().signal,
  onChunk: () => void = () => {},
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
