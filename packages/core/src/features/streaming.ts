import { EventEmitter } from 'eventemitter3'
import { abortable, reportFailure, safeListener } from '../async.js'
import { CapstanError, isCapstanError, messageOf } from '../errors.js'
import type { EventOf, Feature, Run, RunStart, StepOf, StreamedAgent } from '../run/feature.js'
import type { Middleware, StepEffects } from '../run/middleware.js'
import { withoutCredentials } from '../secrets/secrets.js'
import type { RunEvent } from '../types/event.js'
import type { OutputSchema } from '../types/model.js'
import type { Decision, PendingCall } from '../types/state.js'

/** `agent.stream`: a run with its events and streamed text. */
export function streaming(): Feature {
  return {
    name: 'streaming',
    runOptions: { wait: 'true or false', detach: 'true or false' },
    forAgent: () => undefined,
    stream: (start, options, agent) => new RunInProgress(start, options, agent),
  }
}

type Listeners = { [Type in RunEvent['type']]: (event: EventOf<Type>) => void }

export class RunInProgress<Result> implements Run<Result> {
  readonly outputSchema: OutputSchema | undefined
  readonly #listeners = new EventEmitter<Listeners>()
  readonly #controller = new AbortController()
  readonly #detach: boolean
  readonly #room: PendingDecisions | undefined
  /** Messages that are not delivered yet. */
  readonly #queued: string[] = []
  readonly #check: CheckDecision
  readonly #queue = new EventQueue<RunEvent>()
  readonly #result: Promise<Result>
  #reader: 'none' | 'reading' | 'left' = 'none'
  /** Whether the result was asked for, or a reader or a listener received the failure. */
  #isFollowed = false

  constructor(
    start: (run: RunStart) => Promise<Result>,
    { detach = false, wait = false }: StreamOptions,
    { checkDecision, outputSchema }: StreamedAgent,
  ) {
    this.#detach = detach
    this.#check = checkDecision
    this.outputSchema = outputSchema
    this.#room = wait ? new PendingDecisions() : undefined
    const room = this.#room
    const middleware = this.#toMiddleware()
    const { signal } = this.#controller
    this.#result = Promise.resolve()
      .then(() => start({ signal, middleware, ...(room && { decided: (...given) => room.wait(...given) }) }))
      .finally(() => this.#queue.end())
    this.#result.catch((error: unknown) => {
      // Code that runs because of the same failure may still ask for the result.
      if (!this.#hasAudience) setTimeout(() => this.#hasAudience || reportUnfollowed(error))
    })
  }

  get result(): Promise<Result> {
    this.#isFollowed = true
    return this.#result
  }

  /** Whether something learns of a failure of the run. */
  get #hasAudience(): boolean {
    return this.#isFollowed || this.#reader === 'reading'
  }

  on<Type extends RunEvent['type']>(
    type: Type,
    listener: (event: EventOf<Type, StepOf<Result>>) => void,
  ): this {
    this.#listeners.on(type, safeListener(listener) as never)
    return this
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason)
  }

  send(text: string): void {
    if (text.trim() === '') throw new CapstanError('invalid_request', 'The message is empty. Pass a text.')
    this.#queued.push(text)
  }

  async decide(callId: string, decision: Decision): Promise<void> {
    if (this.#room) return this.#room.decide(callId, decision, this.#check)
    const message = 'This run does not wait for decisions. Start it with { wait: true }, or resume its state.'
    throw new CapstanError('invalid_state', message)
  }

  get textStream(): AsyncIterable<string> {
    return this.#read((event) =>
      event.type === 'text-delta' && event.parentCallId === undefined ? event.text : undefined,
    )
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent<StepOf<Result>>> {
    return this.#read((event) => event as RunEvent<StepOf<Result>>)
  }

  #read<Item>(pick: (event: RunEvent) => Item | undefined): AsyncIterableIterator<Item> {
    return readQueue(this.#queue, {
      pick,
      begin: () => {
        if (this.#reader !== 'none')
          throw new TypeError('This run already has a reader. Use on(...) to listen as well.')
        this.#reader = 'reading'
      },
      result: this.#result,
      leave: () => {
        this.#reader = 'left'
        if (!this.#detach) this.abort(new Error('The reader of the run left.'))
      },
    })
  }

  #toMiddleware(): Middleware {
    const queued = this.#queued
    const take = async () => queued.splice(0)
    return {
      name: 'streaming',
      observe: (event) => this.#take(event),
      beforeStep(run) {
        // A run that is repeated takes the same messages at the same place.
        if (queued.length === 0 && !run.isRecorded) return undefined
        return run.runStep('messages', take, { kind: 'message', name: 'messages' }).then(toMessages)
      },
      afterRun: () => toMessages(queued.splice(0)),
    }
  }

  #take(event: RunEvent): void {
    if (event.type === 'call-pending') this.#room?.expect(event)
    this.#queue.push(event)
    const isHeard = this.#listeners.emit(event.type, event as never) || this.#reader === 'reading'
    if (
      isHeard &&
      event.type === 'run-end' &&
      event.stopReason === 'error' &&
      event.parentCallId === undefined
    )
      this.#isFollowed = true
  }
}

/** Reports the failure of a run that nothing follows. The error itself may have secrets, in its cause. */
function reportUnfollowed(error: unknown): void {
  const code = isCapstanError(error) ? error.code : 'api'
  const message = `A streamed run failed unnoticed; await run.result to handle it: ${withoutCredentials(messageOf(error))}`
  reportFailure(new CapstanError(code, message))
}

/** A queue of events for one reader. */
export class EventQueue<Event> {
  #events: Event[] = []
  #at = 0
  #wake: (() => void) | undefined
  /** Whether the queue has ended. */
  isEnded = false

  push(event: Event): void {
    this.#events.push(event)
    this.#tell()
  }

  end(): void {
    this.isEnded = true
    this.#tell()
  }

  /** Removes and returns the first event; undefined when the queue is empty. */
  shift(): Event | undefined {
    const event = this.#events[this.#at++]
    const left = this.#events.length - this.#at
    if (left > 0 && this.#at < Math.max(left, 100)) return event
    // A reader that is always a little behind never empties the queue: release what it has read.
    this.#events = left > 0 ? this.#events.slice(this.#at) : []
    this.#at = 0
    return event
  }

  /** Resolves on the next event or the end. For one waiter at a time. */
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
  /** Maps an event to the reader's item; undefined skips it. */
  pick(event: Event): Item | undefined
  /** Called before the first read. @throws when there is a reader already */
  begin(): void
  /** Settles after the last event: the iteration ends when it resolves and throws when it rejects. */
  readonly result: Promise<unknown>
  /** Called when the reader leaves before the end. */
  leave(): void
}

/** Reads a queue to its end. Not a generator: each of thousands of events would cost several microtasks. */
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
  /** Calls of `next()` are answered in order. */
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

/** Rejects a decision that cannot be applied. */
type CheckDecision = StreamedAgent['checkDecision']

type StreamOptions = { readonly wait?: boolean; readonly detach?: boolean }

/** Holds pending calls until their decisions arrive, in any order. */
export class PendingDecisions {
  readonly #guests = new Map<string, DecisionWaiter>()

  /** Accepts decisions on a call from now on. */
  expect(call: PendingCall): void {
    let decide: DecisionWaiter['decide'] = () => {}
    const decided = new Promise<Decision>((resolve) => {
      decide = resolve
    })
    this.#guests.set(call.callId, { call, decided, decide, isDecided: false })
  }

  /** Waits for the decision on a call; undefined when the signal aborts. */
  async wait({ callId }: PendingCall, signal: AbortSignal): Promise<Decision | undefined> {
    const decision = await abortable(signal, this.#guests.get(callId)?.decided).catch(() => undefined)
    this.#guests.delete(callId)
    return decision
  }

  /** Gives a decision. @throws CapstanError when it cannot be applied, `invalid_request` when the call is not pending */
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
    const message = `Call "${callId}" is not pending; pending: ${ids}. Decide after its call-pending event.`
    return new CapstanError('invalid_request', message, { evidence: { callId } })
  }
}

interface DecisionWaiter {
  readonly call: PendingCall
  readonly decided: Promise<Decision>
  decide(decision: Decision): void
  /** Whether the call already has a decision. */
  isDecided: boolean
}

function toMessages(texts: readonly string[]): StepEffects {
  return { messages: texts.map((content) => ({ role: 'user', content })) }
}
