/**
 * Does something for whoever asks, once for all that ask meanwhile, and rests between: whoever asks without end does not
 * get all of this process's time.
 */
export class Paced {
  readonly #work: () => Promise<unknown>
  #waiting: ReturnType<typeof setTimeout> | undefined
  #restUntil = 0

  constructor(work: () => Promise<unknown>) {
    this.#work = work
  }

  ask(): void {
    if (this.#waiting !== undefined) return
    const begin = () => {
      this.#waiting = undefined
      void this.#work()
    }
    this.#waiting = setTimeout(begin, Math.max(0, this.#restUntil - performance.now()))
    // A program that is done need not wait for this.
    if (typeof this.#waiting === 'object') this.#waiting.unref()
  }

  /** What it took, in milliseconds, of which the next rest is a multiple. */
  took(ms: number): void {
    this.#restUntil = performance.now() + rest * ms
  }

  stop(): void {
    clearTimeout(this.#waiting)
    this.#waiting = undefined
  }
}

const rest = 20
