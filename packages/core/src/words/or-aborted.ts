/**
 * The outcome of work, or the signal's reason as soon as it aborts: not all work heeds its signal. What such
 * work comes to later is nobody's business any more, and never an unhandled rejection.
 */
export async function orAborted<T>(signal: AbortSignal, work: T | PromiseLike<T>): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
