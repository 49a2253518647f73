import { EventEmitter } from 'eventemitter3'
import type { OutputForm } from '../run/output-form.js'
import type { Inbox } from '../run/walk.js'
import { CapstanError } from '../words/error.js'
import type { RunEvent } from '../words/event.js'
import { guarded } from '../words/listener.js'
import type { Decision } from '../words/state.js'
import { EventQueue } from './event-queue.js'
import { Outbox } from './outbox.js'
import { type Partially, partialOutput } from './partial-output.js'
import { readQueue } from './read-queue.js'
import { type CheckDecision, WaitingRoom } from './waiting-room.js'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>
type Listeners = { [Type in RunEvent['type']]: (event: EventOf<Type>) => void }

/** The form of a result that is done, any part of which may not be there yet. */
type PartialOutputOf<Result> = Partially<
  Extract<Result, { readonly stopReason: 'done' }> extends { readonly output: infer Output } ? Output : never
>

/** What a run is started with. */
export interface RunStart {
  /** Where words for it wait. */
  readonly inbox: Inbox
  /** The sink for its events. */
  listen(event: RunEvent): void
  /** Aborts it. */
  readonly signal: AbortSignal
  /** Where it waits for decisions; absent when it does not wait. */
  readonly room?: WaitingRoom
}

export interface StreamOptions {
  /** The run waits for decisions on its calls, given by `decide`, in place of ending as pending. Default false. */
  readonly wait?: boolean
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
  readonly #room: WaitingRoom | undefined
  readonly #outbox = new Outbox()
  readonly #check: CheckDecision
  readonly #form: OutputForm | undefined
  readonly #queue = new EventQueue<RunEvent>()
  #isRead = false

  constructor(
    start: (run: RunStart) => Promise<Result>,
    { detach = false, wait = false }: StreamOptions = {},
    check: CheckDecision = async () => {},
    form?: OutputForm,
  ) {
    this.#detach = detach
    this.#check = check
    this.#form = form
    this.#room = wait ? new WaitingRoom() : undefined
    const room = this.#room
    const listen = (event: RunEvent) => this.#take(event)
    const { signal } = this.#controller
    this.result = Promise.resolve()
      .then(() => start({ listen, signal, inbox: this.#outbox, ...(room ? { room } : {}) }))
      .finally(() => this.#queue.end())
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

  /**
   * Says something to the model before its next answer: a `message-delivered` event tells when. What comes too late
   * for that is in the result's `undelivered`.
   * @throws CapstanError `invalid_request` for an empty text
   */
  send(text: string): void {
    if (text.trim() === '')
      throw new CapstanError('invalid_request', 'There is nothing to send: the text is empty.')
    this.#outbox.put(text)
  }

  /**
   * Decides on a call that waits, after its `call-pending` event; calls of one answer run when all are decided.
   * @throws CapstanError `invalid_request` or `invalid_arguments`; the call goes on waiting
   */
  async decide(callId: string, decision: Decision): Promise<void> {
    if (this.#room) return this.#room.decide(callId, decision, this.#check)
    const message =
      'This run does not wait for decisions. Start it with { wait: true }, or go on from its state.'
    throw new CapstanError('invalid_state', message)
  }

  /** The model's words alone, piece by piece, and not those of agents that answer its calls. When an answer is asked for again, its words come again. */
  get textStream(): AsyncIterable<string> {
    return this.#read((event) =>
      event.type === 'text-delta' && event.parentCallId === undefined ? event.text : undefined,
    )
  }

  /** What is there of the answer in the agent's form while it is written: unchecked, each time more of it. */
  get partialOutput(): AsyncIterable<PartialOutputOf<Result>> {
    return partialOutput(this, this.#form) as AsyncIterable<PartialOutputOf<Result>>
  }

  /** The events. Ends with the run, and throws what the run threw. @throws TypeError for a second reader */
  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent> {
    return this.#read((event) => event)
  }

  #read<Item>(pick: (event: RunEvent) => Item | undefined): AsyncIterableIterator<Item> {
    return readQueue(this.#queue, {
      pick,
      begin: () => {
        if (this.#isRead)
          throw new TypeError('This run has a reader already. Use on(...) to listen in several places.')
        this.#isRead = true
      },
      result: this.result,
      leave: () => {
        if (!this.#detach) this.abort(new Error('The reader of the run left.'))
      },
    })
  }

  #take(event: RunEvent): void {
    if (event.type === 'call-pending') this.#room?.expect(event)
    this.#queue.push(event)
    this.#listeners.emit(event.type, event as never)
  }
}
