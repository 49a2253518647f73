import type { RunEvent, RunResult } from '@capstan/core'
import { EventLog } from '@capstan/core/internal'
import type { DurableRun } from './durable-agent.js'

/** Milliseconds to wait for a run's last events after its result is known. */
const graceMs = 300

/** Collects a run's events from the subscription until the run ends. */
export class LiveEvents {
  readonly #log = new EventLog<RunEvent>('unread')
  #hasEnd = false

  readonly push = (event: RunEvent): void => {
    this.#log.push(event)
    if (event.type === 'run-end' && event.parentCallId === undefined) this.#hasEnd = true
  }

  /**
   * Returns a run that delivers these events. Iteration ends shortly after the run's result is known, to allow for late
   * events. `subscription` is called when the result is known.
   */
  follow<Result extends RunResult>(
    runId: string,
    result: Promise<Result>,
    subscription: () => Subscription | undefined,
  ): DurableRun<Result> {
    const end = async (error?: unknown) => {
      const open = subscription()
      await open?.caughtUp?.()
      if (open && !this.#hasEnd) await new Promise((resolve) => setTimeout(resolve, graceMs))
      this.#log.end(error)
      await open?.close()
    }
    result.then(() => end(), end).catch(() => {})
    return { runId, result, [Symbol.asyncIterator]: () => this.#log.read() }
  }
}

/** An open subscription to a run's events. */
interface Subscription {
  /** Resolves when all events published so far have been delivered. */
  caughtUp?(): Promise<unknown>
  close(): unknown
}

type OnEvent = (event: RunEvent) => void

/** Delivers runs' events to subscribers in the same process. */
export class EventSubscribers {
  readonly #subscribers = new Map<string, Set<OnEvent>>()
  #seq = 0

  hasSubscribers(runId: string): boolean {
    return this.#subscribers.has(runId)
  }

  /** Subscribes to a run's events. Returns a function that unsubscribes. */
  subscribe(runId: string, onEvent: OnEvent): () => void {
    const subscribers = this.#subscribers.get(runId) ?? new Set()
    this.#subscribers.set(runId, subscribers.add(onEvent))
    return () => {
      subscribers.delete(onEvent)
      if (subscribers.size === 0) this.#subscribers.delete(runId)
    }
  }

  /** Numbers an event of a run or its child runs, and delivers it to the run's subscribers. */
  publish(runId: string, event: Omit<RunEvent, 'seq'>): void {
    const stamped = { ...event, seq: this.#seq++ } as RunEvent
    for (const onEvent of this.#subscribers.get(runId) ?? []) onEvent(stamped)
  }
}
