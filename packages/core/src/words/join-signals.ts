export interface JoinedSignal {
  readonly signal: AbortSignal
  /** Lets go of the signals that were joined; without it, a long-lived one would remember every run. */
  release(): void
}

/** A signal that aborts with the first of those given. */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const given = signals.filter((signal) => signal !== undefined)
  const controller = new AbortController()
  for (const signal of [controller.signal, ...given]) allowMany(signal)
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

/** Node warns of a leak at the eleventh listener, and a signal has one for each run and each call. */
function allowMany(signal: AbortSignal): void {
  globalThis.process?.getBuiltinModule?.('node:events')?.setMaxListeners(0, signal)
}
