/**
 * Returns a function that calls `work` at most once a minute. Further calls within a minute do nothing. Failures are
 * ignored.
 */
export function everyMinute(work: () => Promise<unknown>): () => Promise<void> {
  let next = 0
  return async () => {
    if (Date.now() < next) return
    next = Date.now() + 60_000
    await work().catch(() => {})
  }
}
