import {
  isCapstanError,
  type PendingCall,
  type Run,
  type RunEvent,
  type RunResult,
  type RunState,
} from '@capstan/core'
import { HttpError, toHttpError } from './http-error.js'
import { jsonLength, OwnedCache, ownedKey } from './owned-cache.js'
import { Quota } from './quota.js'
import type { Encoder } from './sse.js'

interface ActiveRunLimits {
  /** Concurrent runs. */
  readonly maxRuns: number
  /** Concurrent runs of one user. */
  readonly maxRunsPerUser: number
  /** Milliseconds that an ended run can still be read. */
  readonly keepMs: number
}

/** The active runs, and recently ended runs up to a byte limit. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>()
  readonly #limits: ActiveRunLimits
  readonly #active: Quota
  readonly #ended = new OwnedCache<ActiveRun>(64 * 2 ** 20, (run) => this.#evict(run))
  readonly #timers = new Map<ActiveRun, ReturnType<typeof setTimeout>>()
  #closing = new AbortController()
  #isClosed = false

  constructor(limits: ActiveRunLimits) {
    this.#limits = limits
    this.#active = new Quota({ total: limits.maxRuns, perUser: limits.maxRunsPerUser })
  }

  /**
   * Starts a user's run. It counts against the limits from before `create` is called.
   * @throws HttpError 429 when a limit is reached
   */
  async start(owner: string, create: () => Promise<ActiveRun>): Promise<ActiveRun> {
    const release = this.#reserve(owner)
    const { signal: closing } = this.#closing
    try {
      const run = await create()
      this.#runs.set(run.id, run)
      this.#cacheWhenEnded(run, release).catch(() => {})
      if (closing.aborted) run.abort(closing.reason)
      return run
    } catch (error) {
      release()
      throw error
    }
  }

  async #cacheWhenEnded(run: ActiveRun, release: () => void): Promise<void> {
    const state = await run.whenEnded()
    release()
    if (this.#isClosed) this.#evict(run)
    // Most of the bytes are text, which the events hold a second time.
    else this.#cache(run, state ? 2 * jsonLength(state) : 0)
  }

  #cache(run: ActiveRun, bytes: number): void {
    const timer = setTimeout(() => this.#ended.delete(run), this.#limits.keepMs)
    // The timer must not keep the process alive.
    if (typeof timer === 'object') timer.unref()
    this.#timers.set(run, timer)
    this.#ended.add(run, bytes)
  }

  #evict(run: ActiveRun): void {
    clearTimeout(this.#timers.get(run))
    this.#timers.delete(run)
    this.#runs.delete(run.id)
    run.evict()
  }

  /**
   * Counts a user's run that has no subscribers. Its signal aborts when the handler closes.
   * @throws HttpError 429 when a limit is reached
   */
  async track<T>(owner: string, run: (closing: AbortSignal) => Promise<T>): Promise<T> {
    const release = this.#reserve(owner)
    try {
      return await run(this.#closing.signal)
    } finally {
      release()
    }
  }

  #reserve(owner: string): () => void {
    this.check(owner)
    this.#active.take(owner)
    return () => this.#active.release(owner)
  }

  /**
   * Checks the limits on concurrent runs, of all users and of this one.
   * @throws HttpError 429 when a limit is reached
   */
  check(owner: string): void {
    const exceeded = this.#active.exceededBy(owner)
    if (!exceeded) return
    const { maxRuns, maxRunsPerUser } = this.#limits
    const message =
      exceeded === 'total'
        ? `Too many concurrent runs (limit ${maxRuns}). Retry later.`
        : `You have too many concurrent runs (limit ${maxRunsPerUser}). Retry when one has ended.`
    throw new HttpError(429, 'too_many_runs', message, { 'retry-after': '1' })
  }

  /**
   * Returns the run with this id.
   * @throws HttpError 404 also for a run of another user
   */
  get(id: string, owner: string): ActiveRun {
    const run = this.#runs.get(id)
    if (run?.owner === owner) return run
    throw new HttpError(404, 'not_found', 'No such run.')
  }

  /** Aborts the active runs and evicts the ended ones. */
  close(reason: unknown): void {
    this.#isClosed = true
    this.#closing.abort(reason)
    this.#closing = new AbortController()
    for (const run of this.#runs.values()) run.abort(reason)
    this.#ended.clear()
  }
}

interface ActiveRunOptions {
  readonly id: string
  /** Id of its user. */
  readonly owner: string
  /** Whether the run continues when its last subscriber leaves. */
  readonly outlivesSubscribers: boolean
}

/**
 * A run that keeps its events, so that subscribers can read from the start or continue where they lost the
 * connection.
 */
export class ActiveRun {
  readonly id: string
  readonly owner: string
  readonly result: Promise<RunResult>
  /** Resolves with the first event; rejects if the run fails before it. */
  readonly started: Promise<void>
  /** Resolves when the run has ended and is no longer kept. */
  readonly evicted: Promise<void>
  /** Resolves `evicted`. */
  evict = () => {}
  readonly #run: Run<RunResult>
  readonly #outlivesSubscribers: boolean
  readonly #subscribers = new Subscribers((remaining) => this.#unsubscribed(remaining))
  /** Kinds of the calls that have been pending, by call id. */
  readonly #kinds = new Map<string, PendingCall['kind']>()
  #isOver = false

  /** The run keeps events, and continues without readers. */
  constructor(run: Run<RunResult>, { id, owner, outlivesSubscribers }: ActiveRunOptions) {
    this.id = id
    this.owner = owner
    this.#run = run
    this.#outlivesSubscribers = outlivesSubscribers
    this.result = run.result
    this.result
      .finally(() => {
        this.#isOver = true
      })
      .catch(() => {})
    run.on('call-pending', ({ callId, kind }) => this.#kinds.set(callId, kind))
    this.evicted = new Promise((resolve) => {
      this.evict = resolve
    })
    this.started = this.#untilStarted()
    this.started.catch(() => {})
  }

  async #untilStarted(): Promise<void> {
    const first = new Promise<void>((resolve) => this.#run.on('run-start', () => resolve()))
    try {
      await Promise.race([first, this.result])
    } catch (error) {
      throw toHttpError(error, false)
    }
  }

  /** Waits until the run ends or fails. Returns its last state, if there is one. */
  async whenEnded(): Promise<RunState | undefined> {
    try {
      return (await this.result).state
    } catch (error) {
      return isCapstanError(error) ? error.state : undefined
    }
  }

  /**
   * Checks the limit on subscribers.
   * @throws HttpError 429 when it is reached
   */
  check(): void {
    this.#subscribers.check()
  }

  /**
   * Yields the events after one, as they arrive, until the run ends or fails or `signal` aborts. The caller
   * counts as a subscriber from this call on, because it may leave before it reads.
   * @throws HttpError 410 when these events are no longer kept
   */
  read(signal: AbortSignal, after = -1): AsyncGenerator<RunEvent> {
    try {
      const events = this.#run.read({ after, signal })
      return untilGone(events, this.#subscribers.subscribe(signal))
    } catch (error) {
      throw toGone(error)
    }
  }

  #unsubscribed(remaining: number): void {
    if (remaining === 0 && !this.#outlivesSubscribers && !this.#isOver)
      this.abort(new Error('the client disconnected'))
  }

  /** Returns the kind of a call that is or was pending. */
  kindOf(callId: string): PendingCall['kind'] | undefined {
    return this.#kinds.get(callId)
  }

  decide(...given: Parameters<Run<RunResult>['decide']>): Promise<void> {
    return this.#run.decide(...given)
  }

  abort(reason: unknown): void {
    this.#run.abort(reason)
  }
}

/** Yields events, and releases their subscriber at the end. */
async function* untilGone(events: AsyncIterable<RunEvent>, release: () => void): AsyncGenerator<RunEvent> {
  try {
    yield* events
  } catch (error) {
    throw toGone(error)
  } finally {
    release()
  }
}

/** Returns the error of a reader whose next events are no longer kept as an HttpError 410. */
function toGone(error: unknown): unknown {
  const first = isCapstanError(error) && error.code === 'not_found' ? error.evidence?.first : undefined
  if (typeof first !== 'number') return error
  return new HttpError(410, 'gone', `Events up to ${first - 1} are no longer kept.`)
}

/** Counts the concurrent subscribers of a run. */
class Subscribers {
  readonly #unsubscribed: (remaining: number) => void
  #count = 0

  /** `onLeave` gets the number of remaining subscribers. */
  constructor(onLeave: (remaining: number) => void) {
    this.#unsubscribed = onLeave
  }

  /**
   * Checks the limit.
   * @throws HttpError 429 when it is reached
   */
  check(): void {
    if (this.#count < maxSubscribers) return
    const message = `Too many concurrent readers of this run (limit ${maxSubscribers}). Retry later.`
    throw new HttpError(429, 'too_many_readers', message, { 'retry-after': '1' })
  }

  /** Counts one more subscriber, until the returned function is called or the signal aborts. */
  subscribe(signal: AbortSignal): () => void {
    let isSubscribed = true
    this.#count += 1
    const release = () => {
      signal.removeEventListener('abort', release)
      if (!isSubscribed) return
      isSubscribed = false
      this.#count -= 1
      this.#unsubscribed(this.#count)
    }
    signal.addEventListener('abort', release)
    if (signal.aborted) release()
    return release
  }
}

const maxSubscribers = 100

/** The stream of a reply in a chat. */
export interface ChatStream {
  readonly run: ActiveRun
  /** Returns an encoder that starts at the run's first event. */
  createEncoder(): Encoder
}

/** Chats whose reply no client has read to its end, so that a reloaded page can resume the stream. */
export class ChatStreams {
  readonly #chats = new Map<string, ChatStream>()

  /** Keeps a stream until a client has read all of it, its run is evicted, or its run was aborted. */
  add(id: string, chat: ChatStream): void {
    this.#chats.set(ownedKey(chat.run.owner, id), chat)
    const close = () => this.close(id, chat)
    chat.run.evicted.then(close).catch(() => {})
    chat.run.result.then(({ stopReason }) => stopReason === 'aborted' && close()).catch(() => {})
  }

  get(owner: string, id: string): ChatStream | undefined {
    return this.#chats.get(ownedKey(owner, id))
  }

  /** Removes the stream, unless the chat has a newer one. */
  close(id: string, chat: ChatStream): void {
    const key = ownedKey(chat.run.owner, id)
    if (this.#chats.get(key) === chat) this.#chats.delete(key)
  }
}
