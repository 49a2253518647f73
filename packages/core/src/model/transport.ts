import { CapstanError, messageOf } from '../errors.js'

/** Sends one request and returns the response as it arrives. The layer below the chat protocol. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

export interface TransportRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as UTF-8, in one or more parts. */
  readonly body: readonly Uint8Array[]
  readonly signal: AbortSignal
}

export interface TransportResponse {
  readonly status: number
  header(name: string): string | null
  /**
   * Passes the body on piece by piece until it ends, or until `take` returns `false`: then the connection is closed.
   * Rejects when the body breaks off. Call it once.
   */
  read(take: (bytes: Uint8Array) => boolean): Promise<void>
  /** Closes the connection: `read` resolves. */
  leave(): void
}

/** Default maximum of a response: 64 MiB. */
export const defaultMaxBytes = 64 * 2 ** 20

/** Creates the error for a request without a response. */
export function unreachable(url: string, error: unknown): CapstanError {
  const { origin } = new URL(url)
  const why = rootCause(error)
  const message = `No answer from ${origin} (${why}). Is the server running, and is baseURL right?`
  return new CapstanError('network', message, { retryable: true, evidence: { origin, why }, cause: error })
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
    if (!isPhase(phase)) throw refused(phase, 'there is no such bound')
    if (typeof ms !== 'number' || !(ms > 0)) throw refused(phase, 'it is no positive number of milliseconds')
    timeouts[phase] = ms
  }
  return timeouts
}

function isPhase(name: string): name is keyof Timeouts {
  return Object.hasOwn(defaults, name)
}

function refused(phase: string, why: string): CapstanError {
  const message = `timeoutMs.${phase} cannot be used: ${why}. Bounds are connect, firstByte, idle and total; Infinity is none.`
  return new CapstanError('invalid_request', message, { evidence: { phase } })
}

/**
 * The timers of one request: `enter` starts a phase and ends the previous one. `onLate` is called once. A single timer
 * is kept as long as it fires early enough, because every piece of a response enters a phase.
 */
export class RequestClock {
  readonly #timeouts: Timeouts
  readonly #onLate: (error: CapstanError) => void
  readonly #endsAt: number
  #phase: keyof Timeouts = 'total'
  #phaseEndsAt: number
  #timer: Timer
  #firesAt = Number.POSITIVE_INFINITY
  #isOver = false

  constructor(timeouts: Timeouts, onLate: (error: CapstanError) => void) {
    this.#timeouts = timeouts
    this.#onLate = onLate
    this.#endsAt = performance.now() + timeouts.total
    this.#phaseEndsAt = this.#endsAt
  }

  enter(phase: Exclude<keyof Timeouts, 'total'>): void {
    if (this.#isOver) return
    const now = performance.now()
    this.#phase = phase
    this.#phaseEndsAt = now + this.#timeouts[phase]
    this.#watch(now)
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #watch(now: number): void {
    const endsAt = Math.min(this.#phaseEndsAt, this.#endsAt)
    if (this.#firesAt <= endsAt) return
    clearTimeout(this.#timer)
    this.#firesAt = Math.min(endsAt, now + longestTimer)
    this.#timer = setTimeout(() => this.#look(), Math.ceil(this.#firesAt - now))
  }

  #look(): void {
    this.#firesAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    if (now >= this.#endsAt) this.#onLate(late('total', this.#timeouts.total))
    else if (now >= this.#phaseEndsAt) this.#onLate(late(this.#phase, this.#timeouts[this.#phase]))
    else this.#watch(now)
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined

/** 12 days. A much longer timer would fire at once. */
const longestTimer = 2 ** 30

const waitedFor = {
  connect: 'The request could not be sent',
  firstByte: 'The model server sent nothing',
  idle: 'The model server stopped in the middle of its answer',
  total: 'The answer was not whole',
}

function late(phase: keyof Timeouts, ms: number): CapstanError {
  const message = `${waitedFor[phase]} within ${ms} ms (timeoutMs.${phase}). Nothing of it was run.`
  return new CapstanError('timeout', message, { retryable: true, evidence: { phase, ms } })
}

/** Returns the reason of a failure: `fetch` and clients only say "failed", and the innermost cause has the reason. */
export function rootCause(thrown: unknown): string {
  try {
    return reasonIn(thrown)
  } catch {
    return 'something that cannot be read was thrown'
  }
}

function reasonIn(thrown: unknown): string {
  let last = thrown
  for (let depth = 0; depth < 10; depth++) {
    const { cause } = Object(last) as { cause?: unknown }
    if (cause === undefined || cause === null) break
    last = cause
  }
  const { message, code } = Object(last) as { message?: unknown; code?: unknown }
  const said = message || code === undefined ? messageOf(last).replace(/\.$/, '') : String(code)
  return typeof code !== 'string' || said.includes(code) ? said : `${said} (${code})`
}
