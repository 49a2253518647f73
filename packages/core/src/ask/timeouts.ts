import { CapstanError } from '../words/error.js'

/** Bounds on one request, in milliseconds. */
export interface Timeouts {
  /** Until the connection stands. Default 10 s. Only where the transport can tell: not with `fetch`. */
  readonly connect: number
  /** From then until the first byte of the answer. Default 300 s: some servers send nothing while they think. */
  readonly firstByte: number
  /** Between two pieces of the answer. Default 120 s. */
  readonly idle: number
  /** All of it. Default 600 s. */
  readonly total: number
}

const defaults: Timeouts = { connect: 10_000, firstByte: 300_000, idle: 120_000, total: 600_000 }

/** The bounds with their defaults; a number bounds all of a request. */
export function toTimeouts(given: number | Partial<Timeouts> = {}): Timeouts {
  return { ...defaults, ...(typeof given === 'number' ? { total: given } : given) }
}

/** The clocks of one request: `enter` a phase and its time runs until the next; `onLate` is told once. */
export class RequestClock {
  readonly #timeouts: Timeouts
  readonly #onLate: (error: CapstanError) => void
  readonly #total: ReturnType<typeof setTimeout>
  #phase: ReturnType<typeof setTimeout> | undefined

  constructor(timeouts: Timeouts, onLate: (error: CapstanError) => void) {
    this.#timeouts = timeouts
    this.#onLate = onLate
    this.#total = setTimeout(() => onLate(late('total', timeouts.total)), timeouts.total)
  }

  enter(phase: Exclude<keyof Timeouts, 'total'>): void {
    clearTimeout(this.#phase)
    const ms = this.#timeouts[phase]
    this.#phase = setTimeout(() => this.#onLate(late(phase, ms)), ms)
  }

  stop(): void {
    clearTimeout(this.#phase)
    clearTimeout(this.#total)
  }
}

const waitedFor = {
  connect: 'The connection did not stand',
  firstByte: 'The model server sent nothing',
  idle: 'The model server stopped in the middle of its answer',
  total: 'The answer was not whole',
}

function late(phase: keyof Timeouts, ms: number): CapstanError {
  const message = `${waitedFor[phase]} within ${ms} ms (timeoutMs.${phase}). Nothing of it was run.`
  return new CapstanError('timeout', message, { retryable: true, evidence: { phase, ms } })
}
