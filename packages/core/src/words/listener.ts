import { messageOf } from './error.js'

/** A listener whose failure is reported as a warning and does not reach whoever called it. */
export function guarded<Event>(listener: (event: Event) => void): (event: Event) => void {
  return (event) => {
    try {
      const done: unknown = listener(event)
      if (done instanceof Promise) done.catch(report)
    } catch (error) {
      report(error)
    }
  }
}

function report(error: unknown): void {
  const warning = error instanceof Error ? error : new Error(messageOf(error))
  if (globalThis.process?.emitWarning) globalThis.process.emitWarning(warning)
  else globalThis.reportError(warning)
}
