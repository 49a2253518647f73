import { abortable, Semaphore } from '../async.js'
import { CapstanError, forModel } from '../errors.js'
import type { RateLimit, RateQueue } from './rate-limit.js'
import type { Tool } from './tool.js'

/** Limits concurrent calls: per run, per tool over all runs, and to one call per key that they write. */
export interface CallScheduler {
  /**
   * Starts the work once a slot is free and no other call writes `key`. Calls of one key start in the order of arrival.
   * Rejects with the signal's reason when it aborts before that.
   */
  take<T>(request: SlotRequest, signal: AbortSignal, start: () => Work<T>): Promise<T>
  /** Runs the attempts of calls with one key sequentially, in the order of arrival. They take their slots themselves. */
  inTurn<T>(key: string, signal: AbortSignal, attempts: () => Promise<T>): Promise<T>
}

interface SlotRequest {
  readonly tool: Tool
  readonly key?: string | undefined
}

export function createCallScheduler(concurrency: number): CallScheduler {
  const runLimit = new ConcurrencyLimit({ of: 'this run', concurrency })
  const keyLimits = new Map<string, ConcurrencyLimit>()
  const turns = new Map<string, Semaphore>()
  return {
    inTurn(key, signal, attempts) {
      const turn = turns.get(key) ?? new Semaphore(1)
      turns.set(key, turn)
      return turn.run(signal, attempts)
    },
    take({ tool, key }, signal, start) {
      const keyLimit =
        key === undefined ? undefined : limitIn(keyLimits, key, { of: `the key "${key}"`, concurrency: 1 })
      const toolLimit = limitOfTool(tool)
      const rate = rateOfTool(tool)
      if (!keyLimit && !toolLimit && !rate && runLimit.hasFreeSlot) return runLimit.runNow(signal, start)
      // The run's slot comes after those of key and tool: a call that waits for them must not block others.
      // The rate comes last, since it counts starts of functions.
      return runInSlots([keyLimit, toolLimit, runLimit, rate], signal, start)
    },
  }
}

const toolLimits = new WeakMap<Tool, ConcurrencyLimit>()

function limitOfTool(tool: Tool): ConcurrencyLimit | undefined {
  const { concurrency = Number.POSITIVE_INFINITY } = tool.settings
  if (concurrency === Number.POSITIVE_INFINITY) return undefined
  return limitIn(toolLimits, tool, { of: `"${tool.name}"`, concurrency })
}

const toolRates = new WeakMap<Tool, ConcurrencyLimit>()

function rateOfTool(tool: Tool): ConcurrencyLimit | undefined {
  const { rate } = tool.settings
  return (
    rate && limitIn(toolRates, tool, { of: `"${tool.name}"`, concurrency: Number.POSITIVE_INFINITY, rate })
  )
}

interface LimitMap<Key> {
  get(key: Key): ConcurrencyLimit | undefined
  set(key: Key, limit: ConcurrencyLimit): unknown
}

function limitIn<Key>(limits: LimitMap<Key>, key: Key, options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const limit = limits.get(key) ?? new ConcurrencyLimit(options)
  limits.set(key, limit)
  return limit
}

/** Starts work once it has a slot of each limit. The slots stay taken until the work settles, even after its result. */
function runInSlots<T>(
  limits: readonly (ConcurrencyLimit | undefined)[],
  signal: AbortSignal,
  start: () => Work<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const begin = () => {
      const work = start()
      for (const limit of limits) limit?.watch(work)
      work.result.then(resolve, reject)
      return work.settled
    }
    const enter = (index: number): Promise<void> => {
      if (index === limits.length) return begin()
      return limits[index]?.run(signal, () => enter(index + 1)) ?? enter(index + 1)
    }
    enter(0).catch(reject)
  })
}

interface ConcurrencyLimitOptions {
  /** The subject of the limit, for errors. */
  readonly of: string
  readonly concurrency: number
  readonly rate?: RateLimit | undefined
}

/**
 * Limits concurrent calls. A slot stays taken until its work settles. Waiting calls fail once timed-out work has held
 * every slot for a second, instead of waiting forever.
 */
export class ConcurrencyLimit {
  readonly #semaphore: Semaphore
  /** Limits starts per interval. */
  readonly #rateQueue: RateQueue | undefined
  readonly #options: ConcurrencyLimitOptions
  /** Cancels the waiting calls. */
  readonly #waiting = new Set<(error: CapstanError) => void>()
  /** Slots held by timed-out work. */
  #stuck = 0

  constructor(options: ConcurrencyLimitOptions) {
    const { concurrency, rate } = options
    this.#options = options
    this.#semaphore = new Semaphore(concurrency)
    this.#rateQueue = rate?.createQueue()
  }

  /** Calls `start` once a slot is free, and holds the slot until the returned promise resolves. */
  run(signal: AbortSignal, start: () => Promise<void>): Promise<void> {
    // With a free slot there is no wait to cancel.
    if (this.hasFreeSlot) return this.#semaphore.run(signal, start)
    const waiting = new AbortController()
    const cancel = (reason: unknown) => waiting.abort(reason)
    const abort = () => cancel(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    else if (this.#stuck >= this.#options.concurrency) cancel(this.#stuckError())
    this.#waiting.add(cancel)
    const stopWaiting = () => {
      signal.removeEventListener('abort', abort)
      this.#waiting.delete(cancel)
    }
    const begin = () => {
      stopWaiting()
      return start()
    }
    const runInSlot = () => this.#semaphore.run(waiting.signal, begin)
    const ran = this.#rateQueue ? this.#rateQueue.add(runInSlot, { signal: waiting.signal }) : runInSlot()
    return ran.finally(stopWaiting)
  }

  /** Whether work would start at once. */
  get hasFreeSlot(): boolean {
    return !this.#rateQueue && this.#semaphore.hasFreeSlot
  }

  /** Starts work in a slot that is free. It holds the slot until it settles, even after its result. */
  runNow<T>(signal: AbortSignal, start: () => Work<T>): Promise<T> {
    this.#semaphore.tryTake()
    try {
      signal.throwIfAborted()
      const work = start()
      void work.settled.then(() => this.#semaphore.release())
      // Its result comes before its end only when it is cut off.
      work.result.catch(() => this.watch(work))
      return work.result
    } catch (error) {
      this.#semaphore.release()
      return Promise.reject(error)
    }
  }

  /** Watches work that holds a slot: it counts as stuck a second after its result, until it settles. */
  watch({ result, settled }: Work<unknown>): void {
    let isSettled = false
    let isStuck = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const startTimer = () => {
      if (isSettled) return
      timer = setTimeout(() => {
        isStuck = true
        this.#stuck += 1
        if (this.#stuck < this.#options.concurrency) return
        for (const cancel of this.#waiting) cancel(this.#stuckError())
      }, graceMs)
    }
    result.then(startTimer, startTimer)
    void settled.then(() => {
      isSettled = true
      clearTimeout(timer)
      if (isStuck) this.#stuck -= 1
    })
  }

  #stuckError(): CapstanError {
    const { of, concurrency } = this.#options
    const message = `Call not run: timed-out calls hold every slot of ${of} (${concurrency}). Make the tool respect ctx.signal.`
    return forModel(new CapstanError('timeout', message, { evidence: { concurrency } }))
  }
}

/** Work that respects its signal settles sooner than this after its deadline. */
const graceMs = 1000

/** The place of a call among the calls of its reply. */
export interface KeyPlace {
  /** Resolves once every earlier call has taken its key or will not run. */
  waitForEarlier(signal: AbortSignal): Promise<void>
  /** Lets later calls continue. */
  pass(): void
}

/** Keeps the calls of one reply in order until each has taken its key. */
export class KeyOrder {
  readonly #places: Place[] = []

  /** Adds a call. To be called in call order, before any other work on the call. */
  join(): KeyPlace {
    const place = new Place(this.#places, this.#places.length)
    this.#places.push(place)
    return place
  }
}

class Place implements KeyPlace {
  readonly #all: readonly Place[]
  readonly #index: number
  #hasPassed = false
  #waiting: (() => void)[] | undefined

  constructor(all: readonly Place[], index: number) {
    this.#all = all
    this.#index = index
  }

  async waitForEarlier(signal: AbortSignal): Promise<void> {
    for (const place of this.#all.slice(0, this.#index))
      if (!place.#hasPassed) await abortable(signal, place.#whenPassed())
  }

  pass(): void {
    this.#hasPassed = true
    for (const resume of this.#waiting ?? []) resume()
  }

  #whenPassed(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting ??= []
      this.#waiting.push(resolve)
    })
  }
}

/** Work whose result may come before it settles: a function that ignores its signal continues. */
interface Work<T> {
  readonly result: Promise<T>
  /** Resolves, never rejects, when the work has ended. */
  readonly settled: Promise<void>
}

/**
 * Starts work with a signal that aborts with `parent` or after `timeoutMs`. `result` settles at once on an abort.
 * @throws CapstanError `timeout`, or the parent's reason, as a rejection of `result`
 */
export function withDeadline<T>(
  parent: AbortSignal,
  timeoutMs: number | undefined,
  start: (signal: AbortSignal) => Promise<T>,
): Work<T> {
  if (timeoutMs === undefined) return untilAborted(parent, start(parent))
  const controller = new AbortController()
  const abort = () => controller.abort(parent.reason)
  parent.addEventListener('abort', abort, { once: true })
  if (parent.aborted) abort()
  const timer = setTimeout(() => controller.abort(timeoutError(timeoutMs)), timeoutMs)
  const working = start(controller.signal)
  const result = new Promise<T>((resolve, reject) => {
    if (controller.signal.aborted) reject(controller.signal.reason)
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
    working.then(resolve, reject)
  }).finally(() => {
    clearTimeout(timer)
    parent.removeEventListener('abort', abort)
  })
  return { result, settled: working.then(ignore, ignore) }
}

function untilAborted<T>(signal: AbortSignal, working: Promise<T>): Work<T> {
  // `settled` is derived first, so that it resolves before listeners of the result run.
  const settled = working.then(ignore, ignore)
  return { result: abortable(signal, working), settled }
}

function ignore(): void {}

function timeoutError(timeoutMs: number): CapstanError {
  const message = `The tool did not finish within ${timeoutMs} ms. It may have taken effect.`
  return forModel(new CapstanError('timeout', message, { evidence: { timeoutMs } }))
}
