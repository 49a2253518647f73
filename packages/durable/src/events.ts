import type { RunEvent } from '@capstan/core'

/** Time in milliseconds to wait for the last events after a run has ended. */
const graceMs = 300

/** The events of a run from subscription to its end, as an async iterable. */
export class EventQueue implements AsyncIterable<RunEvent> {
  readonly #buffer: RunEvent[] = []
  #wake: () => void = () => {}
  #isOver = false
  #failure: { readonly error: unknown } | undefined

  readonly push = (event: RunEvent): void => {
    this.#buffer.push(event)
    if (event.type === 'run-end' && event.parentCallId === undefined) this.#isOver = true
    this.#wake()
  }

  /** Sets the error to throw after the last event has been read. */
  fail(error: unknown): void {
    this.#failure = { error }
  }

  /** Ends the queue after a short wait for the last events, then unsubscribes. */
  end(unsubscribe?: () => Promise<void>): void {
    const finish = () => {
      this.#isOver = true
      this.#wake()
      void unsubscribe?.()
    }
    if (this.#isOver || !unsubscribe) finish()
    else setTimeout(finish, graceMs)
  }

  async *[Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    for (;;) {
      while (this.#buffer.length > 0) yield this.#buffer.shift() as RunEvent
      if (this.#isOver && this.#failure) throw this.#failure.error
      if (this.#isOver) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

type OnEvent = (event: RunEvent) => void

/** Delivers events of runs to subscribers in the same process. */
export class EventSubscribers {
  readonly #subscribers = new Map<string, Set<OnEvent>>()
  #seq = 0

  /** Whether a run has subscribers. */
  hasSubscribers(runId: string): boolean {
    return this.#subscribers.has(runId)
  }

  /** Subscribes to a run. Returns the function that unsubscribes. */
  subscribe(runId: string, onEvent: OnEvent): () => void {
    const subscribers = this.#subscribers.get(runId) ?? new Set()
    this.#subscribers.set(runId, subscribers.add(onEvent))
    return () => {
      subscribers.delete(onEvent)
      if (subscribers.size === 0) this.#subscribers.delete(runId)
    }
  }

  /** Publishes an event of a run or of one of its child runs. */
  publish(runId: string, event: Omit<RunEvent, 'seq'>): void {
    const stamped = { ...event, seq: this.#seq++ } as RunEvent
    for (const onEvent of this.#subscribers.get(runId) ?? []) onEvent(stamped)
  }
}
