/** What is done with each item; `signal` aborts with the caller's, and when another one failed. */
export interface EachWork<T> {
  /** How many at one time, at most. */
  readonly inFlight: number
  run(item: T, signal: AbortSignal): Promise<void>
}

/**
 * Does something with each item, some at one time; an item is made only when there is room for it. When one fails,
 * the others are aborted and waited for, and its error is thrown.
 */
export async function eachInFlight<T>(
  items: AsyncIterable<T> | Iterable<T>,
  { inFlight, run }: EachWork<T>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController()
  const underWay = new Set<Promise<void>>()
  try {
    for await (const item of items) {
      // Each has a signal of its own: who listens to one does not always stop.
      const either = AbortSignal.any([signal, failed.signal])
      either.throwIfAborted()
      const work: Promise<void> = run(item, either).then(() => {
        underWay.delete(work)
      })
      work.catch((error: unknown) => failed.abort(error))
      underWay.add(work)
      if (underWay.size >= inFlight) await Promise.race(underWay)
    }
    await Promise.all(underWay)
  } catch (error) {
    failed.abort(error)
    await Promise.allSettled(underWay)
    throw failed.signal.reason
  }
}
