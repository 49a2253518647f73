/** Returns a function that does work at most once a minute. If the work fails, the next call after a minute repeats it. */
export function everyMinute(work: () => Promise<unknown>): () => Promise<void> {
  let next = 0
  return async () => {
    if (Date.now() < next) return
    next = Date.now() + 60_000
    await work().catch(() => {})
  }
}
