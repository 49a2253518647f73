import { abortable, reportFailure, safeListener } from '../async.js'
import { CapstanError, codeOf, invalidRequest, messageOf } from '../errors.js'
import { withAdvice } from '../model/response-errors.js'
import type { Caller, EventOf, Feature, ReadOptions, Run, StepOf } from '../run/feature.js'
import type { Middleware, StepEffects } from '../run/middleware.js'
import { withoutCredentials } from '../secrets/secrets.js'
import type { RunEvent } from '../types/event.js'
import type { OutputSchema } from '../types/model.js'
import type { Decision, PendingCall } from '../types/state.js'

/** Adds `agent.stream`, which returns a run in progress with its events and streamed text. */
export function streaming(): Feature {
  return {
    name: 'streaming',
    runOptions: {
      wait: 'true or false',
      detach: 'true or false',
      keepEvents: 'a number of at least 0',
    },
    forAgent: () => undefined,
    stream: (start, options, agent) => new Running(start, options, agent),
  }
}

export class Running<Result> implements Run<Result> {
  declare readonly outputSchema: OutputSchema | undefined
  readonly #listeners: [type: RunEvent['type'], listener: (event: RunEvent) => void][] = []
  readonly #controller = new AbortController()
  readonly #detach: boolean | undefined
  readonly #room: PendingDecisions | undefined
  /** Messages that have not been delivered yet. */
  readonly #queued: string[] = []
  readonly #result: Promise<Result>
  #log: EventLog<RunEvent>
  /** The number of current readers. */
  #readers = 0
  /** Whether the log's single reader has started. Always false if the log keeps events for several readers. */
  #isTaken = false
  /** Returns undefined for events that the single reader skips. Those events are not kept. */
  #pick: (event: RunEvent) => unknown = (event) => event
  /** Whether the result was requested, or a reader or a listener received the failure. */
  #isFollowed = false

  constructor(
    start: (run: Caller) => Promise<Result>,
    { detach, wait, keepEvents = 'unread' }: StreamOptions,
    { checkDecision, outputSchema }: Streamed,
  ) {
    this.#detach = detach
    this.#log = new EventLog(keepEvents)
    this.outputSchema = outputSchema
    this.#room = wait ? new PendingDecisions(checkDecision) : undefined
    this.#result = Promise.resolve().then(() =>
      start({
        signal: this.#controller.signal,
        middleware: this.#toMiddleware(),
        decided: this.#room?.wait,
      }),
    )
    this.#result.then(
      () => this.#log.end(),
      (error: unknown) => {
        this.#log.end(error)
        // Code that runs because of the same failure may still request the result.
        if (!this.#hasAudience) setTimeout(() => this.#hasAudience || reportUnfollowed(error))
      },
    )
  }

  get result(): Promise<Result> {
    this.#isFollowed = true
    return this.#result
  }

  /** Whether any code receives the error if the run fails. */
  get #hasAudience(): boolean {
    return this.#isFollowed || this.#readers > 0
  }

  on<Type extends RunEvent['type']>(
    type: Type,
    listener: (event: EventOf<Type, StepOf<Result>>) => void,
  ): this {
    this.#listeners.push([type, safeListener(listener as (event: RunEvent) => void)])
    return this
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason)
  }

  send(text: string): void {
    if (text.trim() === '') throw invalidRequest('The message is empty. Pass text.')
    this.#queued.push(text)
  }

  async decide(callId: string, decision: Decision): Promise<void> {
    if (this.#room) return this.#room.decide(callId, decision)
    const message = 'This run does not accept decisions. Use { wait: true }, or resume its state.'
    throw new CapstanError('invalid_state', message)
  }

  get textStream(): AsyncIterable<string> {
    return this.#read({
      pick: (event) =>
        event.type === 'text-delta' && event.parentCallId === undefined ? event.text : undefined,
    })
  }

  read(options?: ReadOptions): AsyncIterableIterator<RunEvent<StepOf<Result>>> {
    return this.#read({ ...options, pick: this.#pick as (event: RunEvent) => RunEvent<StepOf<Result>> })
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent<StepOf<Result>>> {
    return this.read()
  }

  #read<Item>(
    reading: Reading<RunEvent, Item> & { pick(event: RunEvent): Item | undefined },
  ): AsyncIterableIterator<Item> {
    return this.#log.read({
      ...reading,
      begin: () => {
        if (this.#isTaken)
          throw new TypeError('This run already has a reader. Use on(...), or set keepEvents.')
        this.#readers += 1
        this.#isTaken = this.#log.keep === 'unread'
        if (this.#isTaken) this.#pick = reading.pick
      },
      leave: () => {
        this.#readers -= 1
        // There cannot be another reader.
        if (this.#isTaken) this.#log = new EventLog(0)
        if (this.#readers === 0 && !this.#detach) this.abort(new Error("The run's reader left."))
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
        // A replayed run takes the same messages in the same step.
        if (queued.length === 0 && !run.isRecorded) return undefined
        return run.runStep('messages', take, { kind: 'message', name: 'messages' }).then(toMessages)
      },
      afterRun: () => toMessages(queued.splice(0)),
    }
  }

  #take(event: RunEvent): void {
    if (event.type === 'call-pending') this.#room?.expect(event)
    if (this.#pick(event) !== undefined) this.#log.push(event)
    // A listener may add another listener, which only receives later events. Streaming text causes thousands of events,
    // usually without a listener.
    const listeners = this.#listeners[0] ? this.#listeners.filter(([type]) => type === event.type) : []
    for (const [, listener] of listeners) listener(event)
    const isHeard = listeners.length > 0 || this.#readers > 0
    if (
      isHeard &&
      event.type === 'run-end' &&
      event.stopReason === 'error' &&
      event.parentCallId === undefined
    )
      this.#isFollowed = true
  }
}

/**
 * Reports the failure of a run without readers. Includes only the error's message, because the cause may contain
 * secrets.
 */
function reportUnfollowed(error: unknown): void {
  const message = `Unhandled error in a streamed run: ${withoutCredentials(messageOf(error))}`
  reportFailure(new CapstanError(codeOf(error), withAdvice(message, 'Await run.result to handle it.')))
}

/** Options for one reader of an `EventLog`. */
interface Reading<Event, Item> extends ReadOptions {
  /** Maps an event to the reader's item; undefined skips it. Default: the event. */
  pick?(event: Event): Item | undefined
  /**
   * Called before the first read.
   * @throws if this reader may not read
   */
  begin?(): void
  /** Called when the reader stops before the end. */
  leave?(): void
}

/**
 * Events in order, for readers at any position. An event's position is the number of events before it. If `keep` is a
 * number, the log keeps at least that many of the newest events. If `keep` is `unread`, the log has one reader at a
 * time and drops what that reader has read; the next reader continues from there.
 */
export class EventLog<Event> {
  /** Functions that wake the readers. */
  readonly #readers = new Set<() => void>()
  #events: Event[] = []
  /** The position of the first event that is kept. */
  #first = 0
  /** Set at the end. Returns what readers get after the last event. */
  #end: (() => Ended) | undefined

  constructor(readonly keep: 'unread' | number) {}

  /** Adds an event. Does nothing once the log has ended. */
  push(event: Event): void {
    if (this.#end) return
    const count = this.#events.push(event)
    // Readers are woken before any event is dropped, so that each waiting reader receives it.
    this.#wake()
    if (this.keep !== 'unread' && count > this.keep * 1.5) this.#drop(count - this.keep)
  }

  /** Ends the log: readers end after the last event, and throw the error if there is one. */
  end(error?: unknown): void {
    this.#end ??= () => (error === undefined ? ended() : Promise.reject(error))
    this.#wake()
  }

  /**
   * Reads to the end. Not a generator, because each of thousands of events would then cost several microtasks.
   * @throws CapstanError `not_found` if the requested events are no longer kept
   */
  read<Item = Event>(reading: Reading<Event, Item> = {}): AsyncIterableIterator<Item> {
    const { after = this.#first - 1, signal, begin, leave, pick = (event) => event as never } = reading
    const asked: Answer<Item>[] = []
    let at = after + 1
    let isNew = true
    const close = (hasLeft?: unknown) => {
      isNew = false
      if (!this.#readers.delete(wake)) return
      if (this.keep === 'unread') this.#drop(at - this.#first)
      signal?.removeEventListener('abort', close)
      if (!hasLeft) return
      wake()
      leave?.()
    }
    const find = (): IteratorResult<Item> | Ended | undefined => {
      while (this.#readers.has(wake)) {
        const index = at - this.#first
        const event = this.#events[index]
        if (event !== undefined) {
          at += 1
          if (this.keep === 'unread' && index === mostRead) this.#drop(index + 1)
          const value = pick(event)
          if (value !== undefined) return { done: false, value }
        } else {
          const end = index < 0 ? () => Promise.reject(eventsGone(this.#first)) : this.#end
          if (end) close()
          return end?.()
        }
      }
      return ended()
    }
    const wake = () => {
      for (let found = asked[0] && find(); found; found = asked[0] && find()) asked.shift()?.(found)
    }
    if (at < this.#first) throw eventsGone(this.#first)
    const ask = (answer: Answer<Item>) => {
      if (isNew) {
        begin?.()
        this.#readers.add(wake)
        isNew = false
        signal?.addEventListener('abort', close)
        if (signal?.aborted) close(true)
      }
      asked.push(answer)
      wake()
    }
    return {
      next: () => new Promise(ask),
      async return() {
        close(true)
        return ended()
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  #wake(): void {
    for (const wake of this.#readers) wake()
  }

  #drop(count: number): void {
    this.#first += this.#events.splice(0, count).length
  }
}

type Ended = IteratorReturnResult<undefined> | Promise<never>
type Answer<Item> = (found: IteratorResult<Item> | Ended) => void

function ended(): IteratorReturnResult<undefined> {
  return { done: true, value: undefined }
}

/**
 * The maximum number of events to keep after they have been read. The log cannot wait until it is empty, because a
 * reader that is always slightly behind never empties it.
 */
const mostRead = 200

function eventsGone(first: number): CapstanError {
  const message = `Events before ${first} are no longer kept. Raise keepEvents.`
  return new CapstanError('not_found', message, { evidence: { first } })
}

/** The parts of the agent that a streamed run uses. */
type Streamed = Parameters<NonNullable<Feature['stream']>>[2]

/** Rejects a decision that cannot be applied. */
type CheckDecision = Streamed['checkDecision']

type StreamOptions = {
  readonly wait?: boolean
  readonly detach?: boolean
  readonly keepEvents?: number | 'unread'
}

/** Keeps pending calls until their decisions arrive, in any order. */
export class PendingDecisions {
  readonly #guests = new Map<string, DecisionWaiter>()

  constructor(private readonly check: CheckDecision) {}

  /** Starts accepting decisions on a call. */
  expect(call: PendingCall): void {
    const guest: DecisionWaiter = { call }
    guest.decided = new Promise((resolve) => {
      guest.decide = resolve
    })
    this.#guests.set(call.callId, guest)
  }

  /** Waits for the decision on a call. Resolves with undefined if the signal aborts. */
  readonly wait = async ({ callId }: PendingCall, signal: AbortSignal): Promise<Decision | undefined> => {
    const decision = await abortable(signal, this.#guests.get(callId)?.decided).catch(() => undefined)
    this.#guests.delete(callId)
    return decision
  }

  /**
   * Applies a decision to a pending call.
   * @throws CapstanError `invalid_request` if the call is not pending, or the error of `check` if the decision cannot
   * be applied
   */
  async decide(callId: string, decision: Decision): Promise<void> {
    const guest = this.#guests.get(callId)
    if (guest) await this.check(guest.call, decision)
    if (!guest?.decide) {
      const ids = [...this.#guests].flatMap(([id, { decide }]) => (decide ? id : []))
      const message = `No pending call "${callId}". Pending: ${ids.join(', ') || 'none'}. Wait for its call-pending event.`
      throw invalidRequest(message, { callId })
    }
    guest.decide(decision)
    delete guest.decide
  }
}

interface DecisionWaiter {
  readonly call: PendingCall
  decided?: Promise<Decision>
  /** Absent once the call has a decision. */
  decide?(decision: Decision): void
}

function toMessages(texts: readonly string[]): StepEffects {
  return { messages: texts.map((content) => ({ role: 'user', content })) }
}
