import { EventEmitter } from 'eventemitter3'
import type { RunEvent } from '../words/event.js'
import { guarded } from '../words/listener.js'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>
type Listeners = { [Type in RunEvent['type']]: (event: EventOf<Type>) => void }

/** What starts a run: it gets the sink for its events and the signal that aborts it. */
export type StartRun<Result> = (listen: (event: RunEvent) => void, signal: AbortSignal) => Promise<Result>

export interface StreamOptions {
  /** Leaving the iteration leaves the run alone, in place of aborting it. Default false. */
  readonly detach?: boolean
}

/**
 * A run while it goes on. It starts on the next microtask. Iterate it for its events, from the first one on;
 * one reader at a time. A run that nobody reads goes on all the same.
 */
export class Run<Result> implements AsyncIterable<RunEvent> {
  /** Resolves when the run has ended, rejects with what it threw; nobody needs to listen. */
  readonly result: Promise<Result>
  readonly #listeners = new EventEmitter<Listeners>()
  readonly #controller = new AbortController()
  readonly #detach: boolean
  #buffer: RunEvent[] = []
  #wake: (() => void) | undefined
  #over = false
  #read = false

  constructor(start: StartRun<Result>, { detach = false }: StreamOptions = {}) {
    this.#detach = detach
    this.result = Promise.resolve()
      .then(() => start((event) => this.#take(event), this.#controller.signal))
      .finally(() => this.#close())
    this.result.catch(() => {})
  }

  /** Calls `listener` with every event of one type. */
  on<Type extends RunEvent['type']>(type: Type, listener: (event: EventOf<Type>) => void): this {
    this.#listeners.on(type, guarded(listener) as never)
    return this
  }

  /** Stops the run: it ends with `stopReason: 'aborted'` and a state to go on from. */
  abort(reason?: unknown): void {
    this.#controller.abort(reason)
  }

  /** The model's words alone, piece by piece. When an answer is asked for again, its words come again. */
  get textStream(): AsyncIterable<string> {
    const events = this
    return {
      async *[Symbol.asyncIterator]() {
        for await (const event of events) if (event.type === 'text-delta') yield event.text
      },
    }
  }

  /** The events. Ends with the run, and throws what the run threw. @throws TypeError for a second reader */
  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void> {
    if (this.#read)
      throw new TypeError('This run has a reader already. Use on(...) to listen in several places.')
    this.#read = true
    let finished = false
    try {
      for (;;) {
        const events = this.#buffer
        this.#buffer = []
        yield* events
        if (this.#buffer.length > 0) continue
        if (this.#over) break
        await new Promise<void>((wake) => {
          this.#wake = wake
        })
      }
      finished = true
    } finally {
      if (!finished && !this.#detach) this.abort(new Error('The reader of the run left.'))
    }
    await this.result
  }

  #take(event: RunEvent): void {
    this.#buffer.push(event)
    this.#listeners.emit(event.type, event as never)
    this.#wake?.()
  }

  #close(): void {
    this.#over = true
    this.#wake?.()
  }
}
