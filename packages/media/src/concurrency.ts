/** The work for one item. `signal` aborts with the caller's signal, and when another item fails. */
export interface ConcurrentWork<T> {
  /** Maximum number of concurrent items. */
  readonly inFlight: number
  run(item: T, signal: AbortSignal): Promise<void>
}

/**
 * Runs work for each item, with limited concurrency. Items are created on demand. If one item fails, the others are
 * aborted and awaited, and the error of the failed item is thrown.
 */
export async function forEachConcurrent<T>(
  items: AsyncIterable<T> | Iterable<T>,
  { inFlight, run }: ConcurrentWork<T>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController()
  const underWay = new Set<Promise<void>>()
  try {
    for await (const item of items) {
      // Each item has its own signal, because listeners are not always removed.
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
