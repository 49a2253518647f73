import { HttpError } from '../http-error.js'

/** Counts the readers of each run in this process. */
export class Readers {
  readonly #counts = new Map<string, number>()

  /**
   * Checks the limit on readers.
   * @throws HttpError 429 when it is reached
   */
  check(runId: string): void {
    if ((this.#counts.get(runId) ?? 0) < mostReaders) return
    const message = `Too many concurrent readers of this run (limit ${mostReaders}). Retry later.`
    throw new HttpError(429, 'too_many_readers', message, { 'retry-after': '1' })
  }

  /**
   * Adds a reader until the signal aborts or the returned function is called. Passes the number of remaining readers
   * to `left`.
   */
  add(runId: string, signal: AbortSignal, left: (count: number) => void): () => void {
    let isCounted = true
    this.#counts.set(runId, (this.#counts.get(runId) ?? 0) + 1)
    const release = () => {
      signal.removeEventListener('abort', release)
      if (!isCounted) return
      isCounted = false
      const count = (this.#counts.get(runId) ?? 1) - 1
      if (count > 0) this.#counts.set(runId, count)
      else this.#counts.delete(runId)
      left(count)
    }
    signal.addEventListener('abort', release)
    if (signal.aborted) release()
    return release
  }
}

const mostReaders = 100
