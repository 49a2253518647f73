import PQueue from 'p-queue'
import type { Rate } from '../tool/tool-settings.js'
import { CapstanError, forModel } from '../words/error.js'
import { Gate } from '../words/gate.js'
import type { Work } from './with-deadline.js'

export interface LaneOptions {
  /** Of whose calls it is the bound, for errors. */
  readonly of: string
  readonly concurrency: number
  readonly rate?: Rate | undefined
}

/**
 * A bound on calls at one time. A slot stays taken until its work is really over; when work that is past its
 * deadline holds every slot for a second, what waits is told so rather than left to wait for ever.
 */
export class Lane {
  readonly #gate: Gate
  /** Where starts are bounded in time. */
  readonly #queue: PQueue | undefined
  readonly #options: LaneOptions
  readonly #waiting = new Set<(error: CapstanError) => void>()
  #stuck = 0

  constructor(options: LaneOptions) {
    const { concurrency, rate } = options
    this.#options = options
    this.#gate = new Gate(concurrency)
    this.#queue = rate && new PQueue({ intervalCap: rate.calls, interval: rate.intervalMs, strict: true })
  }

  /** Calls `start` when there is a slot, and holds it until what that returns has resolved. */
  enter(signal: AbortSignal, start: () => Promise<void>): Promise<void> {
    // Where nobody waits there is nothing to leave.
    if (!this.#queue && this.#gate.isOpen) return this.#gate.through(signal, start)
    const leaving = new AbortController()
    const leave = (reason: unknown) => leaving.abort(reason)
    const abort = () => leave(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    else if (this.#stuck >= this.#options.concurrency) leave(this.#stalled())
    this.#waiting.add(leave)
    const stay = () => {
      signal.removeEventListener('abort', abort)
      this.#waiting.delete(leave)
    }
    const begin = () => {
      stay()
      return start()
    }
    const begun = () => this.#gate.through(leaving.signal, begin)
    const entered = this.#queue ? this.#queue.add(begun, { signal: leaving.signal }) : begun()
    return entered.finally(stay)
  }

  /** Watches work that holds a slot here. */
  watch({ answer, settled }: Work<unknown>): void {
    let isOver = false
    let isStuck = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const answered = () => {
      if (isOver) return
      timer = setTimeout(() => {
        isStuck = true
        this.#stuck += 1
        if (this.#stuck < this.#options.concurrency) return
        for (const leave of this.#waiting) leave(this.#stalled())
      }, graceMs)
    }
    answer.then(answered, answered)
    void settled.then(() => {
      isOver = true
      clearTimeout(timer)
      if (isStuck) this.#stuck -= 1
    })
  }

  #stalled(): CapstanError {
    const { of, concurrency } = this.#options
    const message = `This call did not run: ${of} may run ${concurrency} at one time, and as many earlier ones are past their deadline and still go on. Let them heed ctx.signal.`
    return forModel(new CapstanError('timeout', message, { evidence: { concurrency } }))
  }
}

/** Work that heeds its signal is over sooner after its deadline. */
const graceMs = 1000
