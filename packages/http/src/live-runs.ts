import { HttpError } from './http-error.js'
import type { LiveRun } from './live-run.js'

export interface RunBounds {
  /** Runs at one time. */
  readonly maxRuns: number
  /** How long a run that is over can still be read. */
  readonly keepMs: number
}

/** The runs that go on, and for a while those that are over. */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>()
  readonly #bounds: RunBounds
  #going = 0

  constructor(bounds: RunBounds) {
    this.#bounds = bounds
  }

  /** Takes a run in. @throws HttpError 429 when as many go on as may */
  start(begin: () => LiveRun): LiveRun {
    this.#check()
    const run = begin()
    this.#going += 1
    this.#runs.set(run.id, run)
    const over = () => {
      this.#going -= 1
      const forget = setTimeout(() => this.#runs.delete(run.id), this.#bounds.keepMs)
      // A program that is done need not wait for this.
      if (typeof forget === 'object') forget.unref()
    }
    run.result.then(over, over)
    return run
  }

  /** Counts a run that nobody reads. @throws HttpError 429 when as many go on as may */
  async during<T>(run: () => Promise<T>): Promise<T> {
    this.#check()
    this.#going += 1
    try {
      return await run()
    } finally {
      this.#going -= 1
    }
  }

  #check(): void {
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

  /** Aborts all of them. */
  close(reason: unknown): void {
    for (const run of this.#runs.values()) run.abort(reason)
  }
}
