import type { Inbox } from '../run/walk.js'

/** Words for a run, from its caller to its next step. */
export class Outbox implements Inbox {
  #waiting: string[] = []

  put(text: string): void {
    this.#waiting.push(text)
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  take(): readonly string[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }
}
