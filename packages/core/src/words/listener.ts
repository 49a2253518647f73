import { messageOf } from './error.js'

/** A listener whose failure is reported as a warning and does not reach whoever called it. */
export function guarded<Event>(listener: (event: Event) => void): (event: Event) => void {
  return (event) => {
    try {
      const done: unknown = listener(event)
      if (done instanceof Promise) done.catch(reportFailure)
    } catch (error) {
      reportFailure(error)
    }
  }
}

/** Reports a failure of the user's code as a process warning. */
export function reportFailure(error: unknown): void {
  const warning = error instanceof Error ? error : new Error(messageOf(error))
  if (globalThis.process?.emitWarning) globalThis.process.emitWarning(warning)
  else globalThis.reportError(warning)
}
