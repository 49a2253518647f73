/**
 * The outcome of work, or the signal's reason as soon as it aborts: not all work heeds its signal. What such
 * work comes to later is nobody's business any more, and never an unhandled rejection.
 */
export function orAborted<T>(signal: AbortSignal, work: T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    const over = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    Promise.resolve(work).then(
      (value) => {
        over()
        resolve(value)
      },
      (error: unknown) => {
        over()
        reject(error)
      },
    )
  })
}
