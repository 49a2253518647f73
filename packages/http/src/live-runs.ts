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
  /** Those that are over, and about how large they are. */
  readonly #over = new Map<LiveRun, number>()
  #going = 0

  constructor(bounds: RunBounds) {
    this.#bounds = bounds
  }

  /** Takes a run in. @throws HttpError 429 when as many go on as may */
  start(begin: () => LiveRun): LiveRun {
    this.check()
    const run = begin()
    this.#going += 1
    this.#runs.set(run.id, run)
    const over = (bytes: number) => {
      this.#going -= 1
      this.#keep(run, bytes)
    }
    // What is large is what was said: the events hold it as well.
    run.result.then(
      ({ state }) => over(2 * JSON.stringify(state).length),
      () => over(0),
    )
    return run
  }

  /** For a while, and as long as there is room: the oldest give way. */
  #keep(run: LiveRun, size: number): void {
    this.#over.set(run, size)
    const forget = (one: LiveRun) => {
      this.#over.delete(one)
      this.#runs.delete(one.id)
    }
    const timer = setTimeout(() => forget(run), this.#bounds.keepMs)
    // A program that is done need not wait for this.
    if (typeof timer === 'object') timer.unref()
    let bytes = 0
    for (const one of this.#over.values()) bytes += one
    for (const [one, itsBytes] of this.#over) {
      if (bytes <= mostKeptBytes || one === run) break
      bytes -= itsBytes
      forget(one)
    }
  }

  /** Counts a run that nobody reads. @throws HttpError 429 when as many go on as may */
  async during<T>(run: () => Promise<T>): Promise<T> {
    this.check()
    this.#going += 1
    try {
      return await run()
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

  /** Aborts all of them. */
  close(reason: unknown): void {
    for (const run of this.#runs.values()) run.abort(reason)
  }
}

/** Of runs that are over, in all. */
const mostKeptBytes = 64 * 2 ** 20
