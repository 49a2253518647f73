import { CapstanError, forModel, messageOf, sources } from './errors.js'
import { nodeModule, onceFor } from './json.js'

/**
 * Passes a value to a function: immediately, or after the value has resolved if it is a promise. Avoids a needless
 * microtask.
 */
export function chain<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * Resolves with the result of `work`, or rejects with the signal's reason once the signal aborts. If the work ignores
 * its signal, its late result is dropped and never becomes an unhandled rejection.
 */
export function abortable<T>(signal: AbortSignal, work: T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const waiters = waitersOf(signal)
    if (signal.aborted) reject(signal.reason)
    else waiters.add(reject)
    Promise.resolve(work).then(
      (value) => {
        waiters.remove(reject)
        resolve(value)
      },
      (error: unknown) => {
        waiters.remove(reject)
        reject(error)
      },
    )
  })
}

/**
 * Keeps the abort listener on a signal until the returned function is called, so that many short calls to `abortable`
 * do not each add and remove the listener.
 */
export function keepListener(signal: AbortSignal): () => void {
  const waiters = waitersOf(signal)
  const none = () => {}
  if (!signal.aborted) waiters.add(none)
  return () => waiters.remove(none)
}

/**
 * Returns a set of functions to call with the reason when a signal aborts. The functions share one event listener,
 * because adding listeners is slow. A function that is added after the abort is never called.
 */
export const waitersOf = onceFor((signal: AbortSignal) => {
  const waiting = new Set<(reason: unknown) => void>()
  const abort = () => {
    for (const listener of waiting) listener(signal.reason)
    waiting.clear()
  }
  return {
    add(listener: (reason: unknown) => void): void {
      if (waiting.size === 0) signal.addEventListener('abort', abort, { once: true })
      waiting.add(listener)
    },
    remove(listener: (reason: unknown) => void): void {
      if (waiting.delete(listener) && waiting.size === 0) signal.removeEventListener('abort', abort)
    },
  }
})

export interface JoinedSignal {
  readonly signal: AbortSignal
  /** Aborts only this signal. */
  abort(reason: unknown): void
  /** Removes the listeners from the given signals. Otherwise a long-lived signal would keep every run in memory. */
  release(): void
}

/** Returns a signal that aborts as soon as one of the given signals does, with the same reason. */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const given = signals.filter((signal) => signal !== undefined)
  const controller = new AbortController()
  for (const signal of [controller.signal, ...given]) allowMany(signal)
  const abort = (reason: unknown) => controller.abort(reason)
  for (const signal of given)
    if (signal.aborted) abort(signal.reason)
    else waitersOf(signal).add(abort)
  const release = () => {
    for (const signal of given) waitersOf(signal).remove(abort)
  }
  return { signal: controller.signal, abort, release }
}

/**
 * Turns off Node's warning about more than ten listeners, because each run and each call adds a listener to a signal.
 */
function allowMany(signal: AbortSignal): void {
  events ??= nodeModule('node:events')
  events?.setMaxListeners(0, signal)
}

let events: typeof import('node:events') | undefined

/** Waits for `ms` milliseconds. Rejects with the signal's reason if the signal aborts first. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return abortable(signal, waited).finally(() => clearTimeout(timer))
}

/**
 * Work in progress. The result can arrive before the work has settled: after a timeout, a function that ignores its
 * signal keeps running.
 */
export interface Work<T> {
  readonly result: Promise<T>
  /** Resolves when the work has ended. Never rejects. */
  readonly settled: Promise<void>
}

/** A tool's time limit. `name` is the tool's name, for the error message. Without `timeoutMs` there is no limit. */
interface Deadline {
  readonly name: string
  readonly timeoutMs: number | undefined
}

/**
 * Starts work with a signal that aborts when `parent` does or after `timeoutMs`. On abort, `result` rejects
 * immediately.
 * @throws CapstanError `timeout`, or the parent's reason, as a rejection of `result`
 */
export function withDeadline<T>(
  parent: AbortSignal,
  { name, timeoutMs }: Deadline,
  start: (signal: AbortSignal) => Promise<T>,
): Work<T> {
  if (timeoutMs === undefined) return untilAborted(parent, start(parent))
  const { signal, abort, release } = joinSignals([parent])
  const timer = setTimeout(() => {
    const message = `"${name}" timed out after ${timeoutMs} ms. ${mayHaveEffect}`
    abort(forModel(new CapstanError('timeout', message, { evidence: { tool: name, timeoutMs } })))
  }, timeoutMs)
  const { result, settled } = untilAborted(signal, start(signal))
  const end = () => {
    clearTimeout(timer)
    release()
  }
  return { result: result.finally(end), settled }
}

/** Text for the model, about a call that was stopped before it had ended. */
export const mayHaveEffect = 'It may have taken effect; check before you repeat it.'

function untilAborted<T>(signal: AbortSignal, working: Promise<T>): Work<T> {
  // Created first, so that it resolves before handlers of the result run.
  const settled = working.then(ignore, ignore)
  return { result: abortable(signal, working), settled }
}

export function ignore(): void {}

/** Runs work with the same key one after the other, in call order. Work with different keys runs in parallel. */
export type SerialByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function serialByKey(): SerialByKey {
  const lastByKey = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = lastByKey.get(key)
    const current = before ? before.then(work, work) : work()
    lastByKey.set(key, current)
    try {
      return await current
    } finally {
      if (lastByKey.get(key) === current) lastByKey.delete(key)
    }
  }
}

/** Limits concurrent work. Waiting work starts in order of arrival. */
export class Semaphore {
  #free: number
  /** Waiting work: the function that starts it, mapped to the function that rejects it. */
  readonly #queue = new Map<() => void, (reason: unknown) => void>()

  constructor(slots: number) {
    this.#free = slots
  }

  /** Whether work would start immediately. */
  get hasFreeSlot(): boolean {
    return this.#free > 0
  }

  /**
   * Runs the work once a slot is free. Rejects with the signal's reason if the signal aborts before the work starts.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    if (!this.tryTake()) await this.#take(signal)
    try {
      // The signal may have aborted after the slot was assigned.
      signal.throwIfAborted()
      return await work()
    } finally {
      this.release()
    }
  }

  /** Takes a slot if one is free, and returns whether it did. The caller must release the slot. */
  tryTake(): boolean {
    if (this.#free === 0) return false
    this.#free -= 1
    return true
  }

  /** Passes the slot to the work that has waited longest, or frees it. */
  release(): void {
    const [first] = this.#queue.keys()
    if (first) first()
    else this.#free += 1
  }

  /** Rejects all waiting work. */
  failWaiting(reason: unknown): void {
    for (const fail of this.#queue.values()) fail(reason)
  }

  /** Takes a slot once one is free. Rejects with the signal's reason if the signal aborts first. */
  #take(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaving =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          waitersOf(signal).remove(abort)
          this.#queue.delete(begin)
          settle(value)
        }
      const begin: () => void = leaving(resolve)
      const abort = leaving(reject)
      this.#queue.set(begin, abort)
      waitersOf(signal).add(abort)
    })
  }
}

/** Wraps a listener so that its errors become process warnings and do not reach the caller. */
export function safeListener<Event>(listener: (event: Event) => void): (event: Event) => void {
  return (event) => {
    try {
      const done: unknown = listener(event)
      if (done instanceof Promise) done.catch(reportFailure)
    } catch (error) {
      reportFailure(error)
    }
  }
}

/** Reports an error in user code as a process warning. */
export function reportFailure(error: unknown): void {
  const warning = error instanceof Error ? error : new Error(messageOf(error))
  if (globalThis.process?.emitWarning) globalThis.process.emitWarning(warning)
  else globalThis.reportError(warning)
}

/** Records which application function threw a value, so that the run's error can name it. Returns the thrown value. */
export function noted(thrown: unknown, source: string): unknown {
  const key = Object(thrown)
  // The innermost function threw the value; the outer functions only pass it on.
  if (!sources.has(key)) sources.set(key, source)
  return thrown
}

/** Calls an application function. If the function fails, the run's error names it. */
export function calling<T>(source: string, work: () => T): T {
  const fail = (thrown: unknown): never => {
    throw noted(thrown, source)
  }
  try {
    const result = work()
    return result instanceof Promise ? (result.catch(fail) as T) : result
  } catch (thrown) {
    return fail(thrown)
  }
}
