/** Lets so many pieces of work go on at one time; what comes later waits in line, first come, first served. */
export class Gate {
  #free: number
  readonly #line = new Set<() => void>()

  constructor(places: number) {
    this.#free = places
  }

  /** Whether work would begin at once. */
  get isOpen(): boolean {
    return this.#free > 0
  }

  /** Does the work when there is a place for it. Rejects with the signal's reason when that aborts before. */
  async through<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    try {
      // It may have aborted between being let in and this.
      signal.throwIfAborted()
      return await work()
    } finally {
      if (this.#line.size === 0) this.#free += 1
      else this.#letIn()
    }
  }

  #letIn(): void {
    const [first] = this.#line
    first?.()
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', abort)
        this.#line.delete(begin)
      }
      const begin = () => {
        leave()
        resolve()
      }
      const abort = () => {
        leave()
        reject(signal.reason)
      }
      this.#line.add(begin)
      signal.addEventListener('abort', abort)
    })
  }
}
