import { EventEmitter } from 'eventemitter3'
import { safeListener } from './async.js'
import { CapstanError } from './errors.js'
import { type Partially, partialOutput } from './middleware/partial-output.js'
import type { OutputSchema } from './middleware/structured-output.js'
import type { QueuedMessages } from './run/run-context.js'
import type { RunEvent } from './types/event.js'
import type { Decision, PendingCall } from './types/state.js'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>
type Listeners = { [Type in RunEvent['type']]: (event: EventOf<Type>) => void }

/** The form of a result that is done, any part of which may not be there yet. */
type PartialOutputOf<Result> = Partially<
  Extract<Result, { readonly stopReason: 'done' }> extends { readonly output: infer Output } ? Output : never
>

/** What a run is started with. */
export interface RunStart {
  /** Where words for it wait. */
  readonly inbox: QueuedMessages
  /** The sink for its events. */
  listen(event: RunEvent): void
  /** Aborts it. */
  readonly signal: AbortSignal
  /** Where it waits for decisions; absent when it does not wait. */
  readonly room?: PendingDecisions
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
  readonly #room: PendingDecisions | undefined
  readonly #outbox = new MessageQueue()
  readonly #check: CheckDecision
  readonly #form: OutputSchema | undefined
  readonly #queue = new EventQueue<RunEvent>()
  #isRead = false

  constructor(
    start: (run: RunStart) => Promise<Result>,
    { detach = false, wait = false }: StreamOptions = {},
    check: CheckDecision = async () => {},
    form?: OutputSchema,
  ) {
    this.#detach = detach
    this.#check = check
    this.#form = form
    this.#room = wait ? new PendingDecisions() : undefined
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
    this.#listeners.on(type, safeListener(listener) as never)
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

interface Reading<Event, Item> {
  /** What the reader is given of an event; undefined: nothing. */
  pick(event: Event): Item | undefined
  /** Called before the first is read. @throws when nobody may read */
  begin(): void
  /** What follows the end: the reader is told that it is over when this resolves, and what it rejects with. */
  readonly result: Promise<unknown>
  /** Called when the reader leaves before the end. */
  leave(): void
}

/** Reads a queue to its end. By hand, not as a generator: a stream is thousands of events, and each would cost several turns. */
export function readQueue<Event, Item>(
  queue: EventQueue<Event>,
  { pick, begin, result, leave }: Reading<Event, Item>,
): AsyncIterableIterator<Item> {
  let state: 'new' | 'open' | 'over' = 'new'
  let waiting: Promise<unknown> | undefined
  const found = (): Item | undefined => {
    for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
      const item = pick(event)
      if (item !== undefined) return item
    }
    return undefined
  }
  const wait = async (): Promise<IteratorResult<Item>> => {
    while (state === 'open') {
      const item = found()
      if (item !== undefined) return { done: false, value: item }
      if (queue.isEnded) {
        state = 'over'
        await result
      } else await queue.changed()
    }
    return { done: true, value: undefined }
  }
  /** Whoever asks before the last one was answered stands behind it. */
  const inLine = (): Promise<IteratorResult<Item>> => {
    const mine = waiting ? waiting.then(wait, wait) : wait()
    waiting = mine
    const done = () => {
      if (waiting === mine) waiting = undefined
    }
    mine.then(done, done)
    return mine
  }
  return {
    async next() {
      if (state === 'new') begin()
      if (state === 'new') state = 'open'
      const item = waiting || state !== 'open' ? undefined : found()
      return item === undefined ? inLine() : { done: false, value: item }
    },
    async return() {
      if (state === 'open') leave()
      state = 'over'
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Words for a run, from its caller to its next step. */
export class MessageQueue implements QueuedMessages {
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

/** Refuses a decision that cannot be carried out. */
type CheckDecision = (call: PendingCall, decision: Decision) => Promise<void>

/** Where a run waits for the decisions on its calls, in whatever order they are given. */
export class PendingDecisions {
  readonly #guests = new Map<string, DecisionWaiter>()

  /** A call that can be decided on from now on. */
  expect(call: PendingCall): void {
    let resolve: DecisionWaiter['decide'] = () => {}
    const decided = new Promise<Decision | undefined>((done) => {
      resolve = done
    })
    this.#guests.set(call.callId, { call, decided, decide: resolve, isDecided: false })
  }

  /** Waits for the decision on a call, or for the signal: then there is none. */
  async wait({ callId }: PendingCall, signal: AbortSignal): Promise<Decision | undefined> {
    const guest = this.#guests.get(callId)
    const leave = () => guest?.decide(undefined)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    const decision = await guest?.decided
    signal.removeEventListener('abort', leave)
    this.#guests.delete(callId)
    return decision
  }

  /** Gives a decision. @throws CapstanError when it cannot be carried out, `invalid_request` when none is waited for */
  async decide(callId: string, decision: Decision, check: CheckDecision): Promise<void> {
    const guest = this.#guests.get(callId)
    if (!guest) throw this.#unexpected(callId)
    await check(guest.call, decision)
    if (guest.isDecided) throw this.#unexpected(callId)
    guest.isDecided = true
    guest.decide(decision)
  }

  #unexpected(callId: string): CapstanError {
    const waiting = [...this.#guests.values()].filter(({ isDecided }) => !isDecided)
    const ids = waiting.map(({ call }) => call.callId).join(', ') || 'none'
    const message = `No call "${callId}" waits for a decision; waiting: ${ids}. Decide after its call-pending event, in a run started with { wait: true }.`
    return new CapstanError('invalid_request', message, { evidence: { callId } })
  }
}

interface DecisionWaiter {
  readonly call: PendingCall
  readonly decided: Promise<Decision | undefined>
  decide(decision: Decision | undefined): void
  /** A second decision would be lost: the call has the first. */
  isDecided: boolean
}
