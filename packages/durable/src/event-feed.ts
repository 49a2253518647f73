import type { RunEvent } from '@capstan/core'

/** For how long events are waited for that were told at a run's very end. */
const graceMs = 300

/** The events of a run while somebody listens, to its end; those that were told before are not among them. */
export class EventFeed implements AsyncIterable<RunEvent> {
  readonly #waiting: RunEvent[] = []
  #wake: () => void = () => {}
  #isOver = false
  #failure: { readonly error: unknown } | undefined

  readonly hear = (event: RunEvent): void => {
    this.#waiting.push(event)
    if (event.type === 'run-end' && event.parentCallId === undefined) this.#isOver = true
    this.#wake()
  }

  /** The run failed, or never began: who reads is told once all is read. */
  fail(error: unknown): void {
    this.#failure = { error }
  }

  /** The run is over: what is still on its way is waited for a little, then it is left. */
  end(leave?: () => Promise<void>): void {
    const over = () => {
      this.#isOver = true
      this.#wake()
      void leave?.()
    }
    if (this.#isOver || !leave) over()
    else setTimeout(over, graceMs)
  }

  async *[Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift() as RunEvent
      if (this.#isOver && this.#failure) throw this.#failure.error
      if (this.#isOver) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
