import {
  type AnyRunResult,
  isCapstanError,
  type PendingCall,
  type Run,
  type RunEvent,
  type RunState,
} from '@capstan/core'
import { HttpError, toHttpError } from './http-error.js'
import { jsonLength, ownedKey, Room } from './owned-cache.js'
import { Quota } from './quota.js'
import type { Encoder } from './sse.js'

interface RunBounds {
  /** Runs at one time. */
  readonly maxRuns: number
  /** Runs of one user at one time. */
  readonly maxRunsPerUser: number
  /** How long a run that is over can still be read. */
  readonly keepMs: number
}

/** The runs that go on, and for a while those that are over, as long as there is room. */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>()
  readonly #bounds: RunBounds
  readonly #going: Quota
  readonly #over = new Room<LiveRun>(64 * 2 ** 20, (run) => this.#forget(run))
  readonly #timers = new Map<LiveRun, ReturnType<typeof setTimeout>>()
  #closing = new AbortController()
  #isClosed = false

  constructor(bounds: RunBounds) {
    this.#bounds = bounds
    this.#going = new Quota({ total: bounds.maxRuns, perUser: bounds.maxRunsPerUser })
  }

  /** Takes a user's run in; it counts from before it begins. @throws HttpError 429 when as many go on as may */
  async start(owner: string, begin: () => Promise<LiveRun>): Promise<LiveRun> {
    const leave = this.#enter(owner)
    const { signal: closing } = this.#closing
    try {
      const run = await begin()
      this.#runs.set(run.id, run)
      this.#keepWhenOver(run, leave).catch(() => {})
      if (closing.aborted) run.abort(closing.reason)
      return run
    } catch (error) {
      leave()
      throw error
    }
  }

  async #keepWhenOver(run: LiveRun, leave: () => void): Promise<void> {
    const state = await run.whenOver()
    leave()
    if (this.#isClosed) this.#forget(run)
    // What is large is what was said: the events hold it as well.
    else this.#keep(run, state ? 2 * jsonLength(state) : 0)
  }

  #keep(run: LiveRun, bytes: number): void {
    const timer = setTimeout(() => this.#over.drop(run), this.#bounds.keepMs)
    // A program that is done need not wait for this.
    if (typeof timer === 'object') timer.unref()
    this.#timers.set(run, timer)
    this.#over.keep(run, bytes)
  }

  #forget(run: LiveRun): void {
    clearTimeout(this.#timers.get(run))
    this.#timers.delete(run)
    this.#runs.delete(run.id)
    run.forget()
  }

  /**
   * Counts a user's run that nobody reads, and tells it when all are closed. @throws HttpError 429 when as many go on as
   * may
   */
  async during<T>(owner: string, run: (closing: AbortSignal) => Promise<T>): Promise<T> {
    const leave = this.#enter(owner)
    try {
      return await run(this.#closing.signal)
    } finally {
      leave()
    }
  }

  #enter(owner: string): () => void {
    this.check(owner)
    this.#going.take(owner)
    return () => this.#going.release(owner)
  }

  /** @throws HttpError 429 when as many go on as may, of all users or of this one */
  check(owner: string): void {
    const exceeded = this.#going.exceededBy(owner)
    if (!exceeded) return
    const { maxRuns, maxRunsPerUser } = this.#bounds
    const message =
      exceeded === 'total'
        ? `As many runs go on as may at one time (${maxRuns}). Ask again soon.`
        : `You have as many runs as one user may have at one time (${maxRunsPerUser}). Ask again when one has ended.`
    throw new HttpError(429, 'too_many_runs', message, { 'retry-after': '1' })
  }

  /** The run, if it is this user's. @throws HttpError 404 also for those of others */
  get(id: string, owner: string): LiveRun {
    const run = this.#runs.get(id)
    if (run?.owner === owner) return run
    throw new HttpError(404, 'not_found', 'There is no such run.')
  }

  /** Aborts those that go on, and forgets those that are over. */
  close(reason: unknown): void {
    this.#isClosed = true
    this.#closing.abort(reason)
    this.#closing = new AbortController()
    for (const run of this.#runs.values()) run.abort(reason)
    this.#over.clear()
  }
}

interface LiveRunOptions {
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

/** Who reads a run at one time. */
class Readers {
  readonly #left: (others: number) => void
  #count = 0

  /** `left` is told when one leaves, and of how many others there are. */
  constructor(left: (others: number) => void) {
    this.#left = left
  }

  /** @throws HttpError 429 when as many read as may */
  check(): void {
    if (this.#count < most) return
    const message = `As many read this run as may at one time (${most}).`
    throw new HttpError(429, 'too_many_readers', message, { 'retry-after': '1' })
  }

  /** One more, until what this gives is called or the signal aborts. */
  enter(signal: AbortSignal): () => void {
    let isHere = true
    this.#count += 1
    const leave = () => {
      signal.removeEventListener('abort', leave)
      if (!isHere) return
      isHere = false
      this.#count -= 1
      this.#left(this.#count)
    }
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    return leave
  }
}

const most = 100

/** The answer that a chat waits for. */
export interface OpenChat {
  readonly run: LiveRun
  /** Tells the run from its first event on. */
  encode(): Encoder
}

/** Chats whose answers nobody has to their end, so that a page that was left can read on. */
export class OpenChats {
  readonly #chats = new Map<string, OpenChat>()

  /** Keeps an answer until somebody has it whole, or its run is forgotten; one that was stopped is nobody's to wait for. */
  add(id: string, chat: OpenChat): void {
    this.#chats.set(ownedKey(chat.run.owner, id), chat)
    const close = () => this.close(id, chat)
    chat.run.forgotten.then(close).catch(() => {})
    chat.run.result.then(({ stopReason }) => stopReason === 'aborted' && close()).catch(() => {})
  }

  find(owner: string, id: string): OpenChat | undefined {
    return this.#chats.get(ownedKey(owner, id))
  }

  /** Unless the chat has another answer by now. */
  close(id: string, chat: OpenChat): void {
    const key = ownedKey(chat.run.owner, id)
    if (this.#chats.get(key) === chat) this.#chats.delete(key)
  }
}
