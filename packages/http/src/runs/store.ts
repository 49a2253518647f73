import { isCapstanError } from '@capstan/core'
import type { RunPage, RunQuery, RunStore } from '@capstan/stores'

/** Estimates a store's time from this process's clock. Requests the store's time at most once a minute. */
export class StoreClock {
  readonly #store: RunStore
  #ahead = 0
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(store: RunStore) {
    this.#store = store
  }

  /** Returns the store's time, in milliseconds since 1970. */
  now(): number {
    if (this.#store.now && Date.now() - this.#askedAt > 60_000) this.ask().catch(() => {})
    return Date.now() + this.#ahead
  }

  /** Requests the store's time, to correct the estimate. */
  async ask(): Promise<void> {
    if (!this.#store.now) return
    this.#askedAt = Date.now()
    const sentAt = Date.now()
    const time = await this.#store.now()
    this.#ahead = Math.round(time - (sentAt + Date.now()) / 2)
  }
}

/** Yields a query's runs, page by page. */
export async function* eachRun(
  store: RunStore,
  query: Omit<RunQuery, 'limit' | 'after'>,
): AsyncGenerator<RunPage['runs'][number], void> {
  for (let after: string | undefined; ; ) {
    const page = await store.list({ ...query, limit: 100, ...(after === undefined ? {} : { after }) })
    yield* page.runs
    after = page.after
    if (after === undefined) return
  }
}

/** Throw this error in a change to have the entry read again and the change retried. */
export class ChangedMeanwhile extends Error {}

/** Whether a write failed because another writer was first. */
export function isConflict(error: unknown): boolean {
  return error instanceof ChangedMeanwhile || (isCapstanError(error) && error.code === 'conflict')
}

/** Returns the result of a write. Undefined if another writer was first. */
export async function unlessConflict<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write()
  } catch (error) {
    if (isConflict(error)) return undefined
    throw error
  }
}

/**
 * Returns the key of a hint. A value under this key tells a run's process that its entry has changed. `signals` is the
 * value in the run's record before the change.
 */
export function hintKey(runId: string, signals: number): string {
  return `hint/${runId}/${signals}`
}

/**
 * Calls a store, and retries while it is unreachable.
 * @throws the store's error if the work fails or the store is unreachable for a minute; the signal's reason if it
 * aborts
 */
export async function whileAway<T>(
  work: (isAgain: boolean) => Promise<T>,
  { signal, isAway = isNoAnswer }: AwayOptions = {},
): Promise<T> {
  const endsAt = Date.now() + mostAwayMs
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted()
    try {
      return await work(tries > 0)
    } catch (error) {
      if (!isAway(error) || Date.now() > endsAt) throw error
    }
    await sleep(Math.min(1000, 50 * 2 ** tries))
  }
}

interface AwayOptions {
  readonly signal?: AbortSignal
  /**
   * Whether an error means that the store is unreachable. By default, true for an error that is not a CapstanError, and
   * for the codes `network` and `timeout`.
   */
  isAway?(error: unknown): boolean
}

function isNoAnswer(error: unknown): boolean {
  return !isCapstanError(error) || error.code === 'network' || error.code === 'timeout'
}

const mostAwayMs = 60_000

/** Resolves after this many milliseconds. Cannot be aborted. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
