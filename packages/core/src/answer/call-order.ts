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
  readonly #places: Stand[] = []

  /** Lines a call up; called in call order, before anything else is known of it. */
  join(): Place {
    const places = this.#places
    const count = places.length
    const own = new Stand()
    places.push(own)
    return {
      async reached(signal) {
        for (const one of places.slice(0, count)) if (!one.isPassed) await orAborted(signal, one.passed())
      },
      pass: () => own.pass(),
    }
  }
}

class Stand {
  isPassed = false
  readonly #waiting: (() => void)[] = []

  passed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  pass(): void {
    this.isPassed = true
    for (const wake of this.#waiting) wake()
  }
}
