import {
  type AnyRunResult,
  isCapstanError,
  type PendingCall,
  type Run,
  type RunEvent,
  type RunState,
} from '@capstan/core'
import { HttpError, toHttpError } from './http-error.js'
import { Readers } from './readers.js'

export interface LiveRunOptions {
  readonly id: string
  /** Whose it is. */
  readonly owner: string
  /** Events that are kept; of more, the newest. */
  readonly maxEvents: number
  /** Whether it goes on when all who read it have left. */
  readonly outlivesReaders: boolean
}

/** A run that goes on, its events kept for whoever reads them: from the first, or from where a reader was cut off. */
export class LiveRun {
  readonly id: string
  readonly owner: string
  readonly result: Promise<AnyRunResult>
  /** Resolves with the first event; rejects when the run failed before there was one. */
  readonly begun: Promise<void>
  /** Resolves when it is over, and no longer kept. */
  readonly forgotten: Promise<void>
  /** Ends that. */
  forget = () => {}
  readonly #run: Run<AnyRunResult>
  readonly #maxEvents: number
  readonly #outlivesReaders: boolean
  readonly #readers = new Readers((others) => this.#left(others))
  readonly #waiting = new Set<() => void>()
  /** Of calls that waited for a decision. */
  readonly #kinds = new Map<string, PendingCall['kind']>()
  #events: RunEvent[] = []
  #isOver = false

  constructor(run: Run<AnyRunResult>, { id, owner, maxEvents, outlivesReaders }: LiveRunOptions) {
    this.id = id
    this.owner = owner
    this.#run = run
    this.#maxEvents = maxEvents
    this.#outlivesReaders = outlivesReaders
    this.result = run.result
    this.result.catch(() => {})
    this.forgotten = new Promise((resolve) => {
      this.forget = resolve
    })
    this.begun = this.#toBegin()
    this.begun.catch(() => {})
    this.#take().catch(() => {})
  }

  async #toBegin(): Promise<void> {
    const first = new Promise<void>((resolve) => this.#waiting.add(resolve))
    try {
      await Promise.race([first, this.result])
    } catch (error) {
      throw toHttpError(error, false)
    }
  }

  /** Waits for its end, however it ends: with the state that it left, if it left one. */
  async whenOver(): Promise<RunState | undefined> {
    try {
      return (await this.result).state
    } catch (error) {
      return isCapstanError(error) ? error.state : undefined
    }
  }

  /** The number of the first event that is kept. */
  get firstKept(): number {
    return this.#events[0]?.seq ?? 0
  }

  /** @throws HttpError 429 when as many read it as may */
  check(): void {
    this.#readers.check()
  }

  /**
   * The events behind one, as they come, until the run is over or the reader's `signal` aborts. A run that failed ends
   * them as any other. Who was given these reads, though nothing of it was taken yet: a reader may leave before that.
   */
  read(signal: AbortSignal, after = -1): AsyncGenerator<RunEvent> {
    const leave = this.#readers.enter(signal)
    return this.#eventsBehind(after, { signal, leave })
  }

  #left(others: number): void {
    this.#wake()
    if (others === 0 && !this.#outlivesReaders && !this.#isOver) this.abort(new Error('the reader left'))
  }

  async *#eventsBehind(after: number, { signal, leave }: Reading): AsyncGenerator<RunEvent> {
    try {
      for (let next = after + 1; !signal.aborted; ) {
        if (next < this.firstKept)
          throw new HttpError(410, 'gone', `Events up to ${this.firstKept - 1} are no longer kept.`)
        const event = this.#events[next - this.firstKept]
        if (event) {
          next = event.seq + 1
          yield event
        } else if (this.#isOver) return
        else await new Promise<void>((more) => this.#waiting.add(more))
      }
    } finally {
      leave()
    }
  }

  /** What a call waits for, if it ever did. */
  kindOf(callId: string): PendingCall['kind'] | undefined {
    return this.#kinds.get(callId)
  }

  decide(...given: Parameters<Run<AnyRunResult>['decide']>): Promise<void> {
    return this.#run.decide(...given)
  }

  abort(reason: unknown): void {
    this.#run.abort(reason)
  }

  async #take(): Promise<void> {
    try {
      for await (const event of this.#run) {
        this.#events.push(event)
        if (event.type === 'call-pending') this.#kinds.set(event.callId, event.kind)
        if (this.#events.length > this.#maxEvents * 1.5) this.#events = this.#events.slice(-this.#maxEvents)
        this.#wake()
      }
    } catch {
      // It is in the result.
    } finally {
      this.#isOver = true
      // First of all whoever waits for a beginning hears that there is none.
      await this.result.catch(() => {})
      this.#wake()
    }
  }

  #wake(): void {
    for (const more of this.#waiting) more()
    this.#waiting.clear()
  }
}

interface Reading {
  readonly signal: AbortSignal
  leave(): void
}
