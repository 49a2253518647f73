/** What has happened and waits for its one reader. */
export class EventQueue<Event> {
  #events: Event[] = []
  #at = 0
  #wake: (() => void) | undefined
  #isEnded = false

  /** Whether nothing more will come. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  push(event: Event): void {
    this.#events.push(event)
    this.#tell()
  }

  end(): void {
    this.#isEnded = true
    this.#tell()
  }

  /** The first of those that wait; undefined when none does. */
  shift(): Event | undefined {
    const event = this.#events[this.#at++]
    const left = this.#events.length - this.#at
    if (left > 0 && this.#at < Math.max(left, 100)) return event
    // A reader that is always a little behind never comes to the end: what it has read is let go of all the same.
    this.#events = left > 0 ? this.#events.slice(this.#at) : []
    this.#at = 0
    return event
  }

  /** Resolves when something more has come, or the end. For one at a time. */
  changed(): Promise<void> {
    return new Promise((wake) => {
      this.#wake = wake
    })
  }

  #tell(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
