import { HttpError } from './http-error.js'
import type { LiveRun } from './live-run.js'
import { Quota } from './quota.js'
import { jsonLength, Room } from './room.js'

export interface RunBounds {
  /** Runs at one time. */
  readonly maxRuns: number
  /** Runs of one user at one time. */
  readonly maxRunsPerUser: number
  /** How long a run that is over can still be read. */
  readonly keepMs: number
}

/** The runs that go on, and for a while those that are over, as long as there is room. */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>()
  readonly #bounds: RunBounds
  readonly #going: Quota
  readonly #over = new Room<LiveRun>(64 * 2 ** 20, (run) => this.#forget(run))
  readonly #timers = new Map<LiveRun, ReturnType<typeof setTimeout>>()
  #closing = new AbortController()
  #isClosed = false

  constructor(bounds: RunBounds) {
    this.#bounds = bounds
    this.#going = new Quota({ total: bounds.maxRuns, perUser: bounds.maxRunsPerUser })
  }

  /** Takes a user's run in; it counts from before it begins. @throws HttpError 429 when as many go on as may */
  async start(owner: string, begin: () => Promise<LiveRun>): Promise<LiveRun> {
    const leave = this.#enter(owner)
    const { signal: closing } = this.#closing
    try {
      const run = await begin()
      this.#runs.set(run.id, run)
      this.#keepWhenOver(run, leave).catch(() => {})
      if (closing.aborted) run.abort(closing.reason)
      return run
    } catch (error) {
      leave()
      throw error
    }
  }

  async #keepWhenOver(run: LiveRun, leave: () => void): Promise<void> {
    const state = await run.whenOver()
    leave()
    if (this.#isClosed) this.#forget(run)
    // What is large is what was said: the events hold it as well.
    else this.#keep(run, state ? 2 * jsonLength(state) : 0)
  }

  #keep(run: LiveRun, bytes: number): void {
    const timer = setTimeout(() => this.#over.drop(run), this.#bounds.keepMs)
    // A program that is done need not wait for this.
    if (typeof timer === 'object') timer.unref()
    this.#timers.set(run, timer)
    this.#over.keep(run, bytes)
  }

  #forget(run: LiveRun): void {
    clearTimeout(this.#timers.get(run))
    this.#timers.delete(run)
    this.#runs.delete(run.id)
    run.forget()
  }

  /**
   * Counts a user's run that nobody reads, and tells it when all are closed. @throws HttpError 429 when as many go on as
   * may
   */
  async during<T>(owner: string, run: (closing: AbortSignal) => Promise<T>): Promise<T> {
    const leave = this.#enter(owner)
    try {
      return await run(this.#closing.signal)
    } finally {
      leave()
    }
  }

  #enter(owner: string): () => void {
    this.check(owner)
    this.#going.take(owner)
    return () => this.#going.release(owner)
  }

  /** @throws HttpError 429 when as many go on as may, of all users or of this one */
  check(owner: string): void {
    const exceeded = this.#going.exceededBy(owner)
    if (!exceeded) return
    const { maxRuns, maxRunsPerUser } = this.#bounds
    const message =
      exceeded === 'total'
        ? `As many runs go on as may at one time (${maxRuns}). Ask again soon.`
        : `You have as many runs as one user may have at one time (${maxRunsPerUser}). Ask again when one has ended.`
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
