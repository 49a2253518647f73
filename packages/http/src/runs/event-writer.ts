import type { CallResult, Json, RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'
import type { RunStore, StoredEvent } from '@capstan/stores'
import { sleep } from './store.js'

interface EventWriterOptions {
  readonly runId: string
  readonly store: RunStore
  /** The `seq` of the last stored event. */
  readonly last: number
  /**
   * Resolves when the run's entry is stored. Events can be stored only after it.
   * @throws if this process no longer has the run
   */
  created(): Promise<void>
  /**
   * Runs a write, and retries it while the store is unreachable. After a conflict, `isOwn` checks whether this write
   * was stored.
   */
  guarded(work: () => Promise<unknown>, isOwn: () => Promise<boolean>): Promise<void>
}

/** Stores a run's events in batches, and keeps the newest ones in memory for readers in this process. */
export class EventWriter {
  /** The `seq` of the last stored event. */
  stored: number
  /** Resolves when the first event is stored. */
  readonly first: Promise<void>
  readonly #options: EventWriterOptions
  readonly #outcomes = new Map<string, CallResult>()
  readonly #wakers = new Set<() => void>()
  #next: number
  #queue: StoredEvent[] = []
  #recent: StoredEvent[] = []
  #draining: Promise<void> | undefined
  #drainedAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #firstStored = () => {}
  #isOver = false

  constructor(options: EventWriterOptions) {
    this.#options = options
    this.stored = options.last
    this.#next = options.last + 1
    this.first = new Promise((resolve) => {
      this.#firstStored = resolve
    })
  }

  /** Whether no event has been pushed yet. */
  get isEmpty(): boolean {
    return this.#next === this.#options.last + 1
  }

  push(event: RunEvent): void {
    const seq = this.#next++
    this.#queue.push({ seq, event: { ...jsonOf(event), seq } as unknown as Json })
    this.#drainSoon()
  }

  /** Keeps a call's result, to store it with the call's end event for a process that takes over the run. */
  keepOutcome(callId: string, outcome: unknown): void {
    if (this.#options.store.isVolatile || typeof Object(outcome).content !== 'string') return
    this.#outcomes.set(callId, outcome as CallResult)
  }

  /**
   * Resolves when all events so far are stored.
   * @throws if this process no longer has the run
   */
  async storedAll(): Promise<void> {
    const last = this.#next - 1
    while (this.stored < last) await this.#drain()
  }

  /** Returns the stored events with a `seq` above `after`. Undefined if those events are only in the store. */
  recent(after: number): readonly StoredEvent[] | undefined {
    const first = this.stored - this.#recent.length + 1
    return after + 1 < first ? undefined : this.#recent.slice(after + 1 - first)
  }

  /** Resolves when the next event is stored, storing ends or the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake)
        this.#wakers.delete(wake)
        resolve()
      }
      if (signal.aborted || this.#isOver) return resolve()
      signal.addEventListener('abort', wake)
      this.#wakers.add(wake)
    })
  }

  /** Stops storing events and wakes all readers. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#wake()
  }

  #wake(): void {
    for (const wake of [...this.#wakers]) wake()
  }

  #drainSoon(): void {
    if (this.#draining || this.#timer !== undefined || this.#isOver) return
    const drain = () => void this.#drain().catch(() => {})
    if (this.#options.store.isVolatile) {
      drain()
      return
    }
    const wait = this.#queue.length >= mostInLump ? 0 : this.#drainedAt + lumpMs - Date.now()
    this.#timer = setTimeout(drain, Math.max(0, wait))
  }

  #drain(): Promise<void> {
    this.#draining ??= this.#drainOnce()
    return this.#draining
  }

  async #drainOnce(): Promise<void> {
    try {
      await this.#drainAll()
    } finally {
      this.#draining = undefined
      this.#drainedAt = Date.now()
      if (this.#queue.length > 0) this.#drainSoon()
    }
  }

  async #drainAll(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { store, runId, created, guarded } = this.#options
    // A call's result is known a few microtasks after its end event.
    await (store.isVolatile ? undefined : sleep(0))
    await created()
    const batch = this.#queue.slice(0, mostInLump).map((one) => this.#withOutcome(one))
    if (batch.length === 0) return
    const after = this.stored
    await guarded(
      () => store.append(runId, batch, after),
      async () => {
        // If only the response to an append was lost, its events are in the store.
        const [first] = await store.read(runId, after, 1)
        return toJsonText(first) === toJsonText(JSON.parse(toJsonText(batch[0])))
      },
    )
    this.#queue.splice(0, batch.length)
    this.stored += batch.length
    this.#recent.push(...batch)
    if (this.#recent.length > 2 * mostRecent) this.#recent.splice(0, this.#recent.length - mostRecent)
    this.#firstStored()
    this.#wake()
  }

  #withOutcome(stored: StoredEvent): StoredEvent {
    const { type, callId, parentCallId } = stored.event as Partial<RunEvent & { callId: string }>
    if (type !== 'tool-end' || parentCallId !== undefined || callId === undefined) return stored
    const outcome = this.#outcomes.get(callId)
    this.#outcomes.delete(callId)
    return outcome ? { ...stored, outcome: JSON.parse(toJsonText(outcome)) } : stored
  }
}

/** Milliseconds between two batches of events. */
const lumpMs = 50
const mostInLump = 64
const mostRecent = 1000

/**
 * Returns an event as it would be after conversion to JSON and back. Deltas, by far the most frequent events, are
 * returned unchanged.
 */
function jsonOf(event: RunEvent): object {
  return event.type.endsWith('-delta') ? event : JSON.parse(toJsonText(event))
}
