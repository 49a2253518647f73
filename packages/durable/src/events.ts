import type { RunEvent } from '@capstan/core'

/** For how long events are waited for that were told at a run's very end. */
const graceMs = 300

/** The events of a run while somebody listens, to its end; those that were told before are not among them. */
export class EventQueue implements AsyncIterable<RunEvent> {
  readonly #waiting: RunEvent[] = []
  #wake: () => void = () => {}
  #isOver = false
  #failure: { readonly error: unknown } | undefined

  readonly push = (event: RunEvent): void => {
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

type OnEvent = (event: RunEvent) => void

/** What happens in runs of an agent, told to who listens in the process that works on them. */
export class EventSubscribers {
  readonly #hearers = new Map<string, Set<OnEvent>>()
  #seq = 0

  /** Whether somebody listens to a run. */
  hasSubscribers(runId: string): boolean {
    return this.#hearers.has(runId)
  }

  /** Hears a run, from now on, until it is left. */
  subscribe(runId: string, hear: OnEvent): () => void {
    const hearers = this.#hearers.get(runId) ?? new Set()
    this.#hearers.set(runId, hearers.add(hear))
    return () => {
      hearers.delete(hear)
      if (hearers.size === 0) this.#hearers.delete(runId)
    }
  }

  /** Tells what happens in a run, or in one within it. */
  publish(runId: string, event: Omit<RunEvent, 'seq'>): void {
    const stamped = { ...event, seq: this.#seq++ } as RunEvent
    for (const hear of this.#hearers.get(runId) ?? []) hear(stamped)
  }
}
