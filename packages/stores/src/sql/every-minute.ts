/**
 * Returns a function that does work when it is called, at most once a minute. Failed work is repeated in the next
 * minute.
 */
export function everyMinute(work: () => Promise<unknown>): () => Promise<void> {
  let next = 0
  return async () => {
    if (Date.now() < next) return
    next = Date.now() + 60_000
    await work().catch(() => {})
  }
}
