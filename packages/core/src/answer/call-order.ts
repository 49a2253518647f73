import { orAborted } from '../words/or-aborted.js'

/** A call's place in the order of its answer. */
export interface Place {
  /** Waits until it is settled for all calls before this one what they write, or that they do not run. */
  reached(signal: AbortSignal): Promise<void>
  /** The calls behind need not wait any longer for this one. */
  pass(): void
}

/** The order of an answer's calls, for those that must keep to it. */
export class CallOrder {
  #known: Promise<void> = Promise.resolve()

  /** Lines a call up; called in call order, before anything else is known of it. */
  join(): Place {
    const before = this.#known
    let pass = () => {}
    const passed = new Promise<void>((resolve) => {
      pass = resolve
    })
    this.#known = before.then(() => passed)
    return { reached: (signal) => orAborted(signal, before), pass }
  }
}
