export interface JoinedSignal {
  readonly signal: AbortSignal
  /** Lets go of the signals that were joined; without it, a long-lived one would remember every run. */
  release(): void
}

/** A signal that aborts with the first of those given. */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const given = signals.filter((signal) => signal !== undefined)
  const controller = new AbortController()
  const stops = given.map((signal) => {
    const abort = () => controller.abort(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    return () => signal.removeEventListener('abort', abort)
  })
  const release = () => {
    for (const stop of stops) stop()
  }
  return { signal: controller.signal, release }
}
