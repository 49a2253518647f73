import { isCapstanError, type RunState } from '@capstan/core'
import { HttpError } from './http-error.js'
import type { LiveRun } from './live-run.js'
import { Room } from './room.js'

export interface RunBounds {
  /** Runs at one time. */
  readonly maxRuns: number
  /** How long a run that is over can still be read. */
  readonly keepMs: number
}

/** The runs that go on, and for a while those that are over, as long as there is room. */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>()
  readonly #bounds: RunBounds
  readonly #over = new Room<LiveRun>(64 * 2 ** 20, (run) => this.#forget(run))
  readonly #timers = new Map<LiveRun, ReturnType<typeof setTimeout>>()
  #closing = new AbortController()
  #going = 0
  #isClosed = false

  constructor(bounds: RunBounds) {
    this.#bounds = bounds
  }

  /** Takes a run in. @throws HttpError 429 when as many go on as may */
  start(begin: () => LiveRun): LiveRun {
    this.check()
    const run = begin()
    this.#going += 1
    this.#runs.set(run.id, run)
    const over = (state?: RunState) => {
      this.#going -= 1
      if (this.#isClosed) this.#forget(run)
      else this.#keep(run, state)
    }
    run.result.then(
      ({ state }) => over(state),
      (error) => over(isCapstanError(error) ? error.state : undefined),
    )
    return run
  }

  #keep(run: LiveRun, state: RunState | undefined): void {
    const timer = setTimeout(() => this.#over.drop(run), this.#bounds.keepMs)
    // A program that is done need not wait for this.
    if (typeof timer === 'object') timer.unref()
    this.#timers.set(run, timer)
    // What is large is what was said: the events hold it as well.
    this.#over.keep(run, state ? 2 * JSON.stringify(state).length : 0)
  }

  #forget(run: LiveRun): void {
    clearTimeout(this.#timers.get(run))
    this.#timers.delete(run)
    this.#runs.delete(run.id)
    run.forget()
  }

  /** Counts a run that nobody reads, and tells it when all are closed. @throws HttpError 429 when as many go on as may */
  async during<T>(run: (closing: AbortSignal) => Promise<T>): Promise<T> {
    this.check()
    this.#going += 1
    try {
      return await run(this.#closing.signal)
    } finally {
      this.#going -= 1
    }
  }

  /** @throws HttpError 429 when as many go on as may */
  check(): void {
    const { maxRuns } = this.#bounds
    if (this.#going < maxRuns) return
    const message = `As many runs go on as may at one time (${maxRuns}). Ask again soon.`
    throw new HttpError(429, 'too_many_runs', message, { 'retry-after': '1' })
  }

  /** The run, if it is this user's. @throws HttpError 404 also for those of others */
  get(id: string, owner: string): LiveRun {
    const run = this.#runs.get(id)
    if (run?.owner === owner) return run
    throw new HttpError(404, 'not_found', 'There is no such run.')
  }

  /** Aborts those that go on, and forgets those that are over. */
  close(reason: unknown): void {
    this.#isClosed = true
    this.#closing.abort(reason)
    this.#closing = new AbortController()
    for (const run of this.#runs.values()) run.abort(reason)
    this.#over.clear()
  }
}
