import { messageOf } from './errors.js'

/** Goes on with a value: at once, or when it is there. Waiting for what need not be waited for costs time. */
export function chain<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * The outcome of work, or the signal's reason as soon as it aborts: not all work heeds its signal. What such
 * work comes to later is nobody's business any more, and never an unhandled rejection.
 */
export function abortable<T>(signal: AbortSignal, work: T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    const over = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    Promise.resolve(work).then(
      (value) => {
        over()
        resolve(value)
      },
      (error: unknown) => {
        over()
        reject(error)
      },
    )
  })
}

interface JoinedSignal {
  readonly signal: AbortSignal
  /** Lets go of the signals that were joined; without it, a long-lived one would remember every run. */
  release(): void
}

/** A signal that aborts with the first of those given. */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const given = signals.filter((signal) => signal !== undefined)
  const controller = new AbortController()
  for (const signal of [controller.signal, ...given]) allowMany(signal)
  const stops = given.map((signal) => {
    const abort = () => controller.abort(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    return () => signal.removeEventListener('abort', abort)
  })
  const release = () => {
    for (const stop of stops) stop()
  }
  return { signal: controller.signal, release }
}

/** Node warns of a leak at the eleventh listener, and a signal has one for each run and each call. */
function allowMany(signal: AbortSignal): void {
  globalThis.process?.getBuiltinModule?.('node:events')?.setMaxListeners(0, signal)
}

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Runs work of one key one after another, in the order it comes; work of other keys does not wait for it. */
export type SerialByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function serialByKey(): SerialByKey {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key)
    const mine = before ? before.then(work, work) : work()
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}

/** Lets so many pieces of work go on at one time; what comes later waits in line, first come, first served. */
export class Semaphore {
  #free: number
  readonly #line = new Set<() => void>()

  constructor(places: number) {
    this.#free = places
  }

  /** Whether work would begin at once. */
  get isOpen(): boolean {
    return this.#free > 0
  }

  /** Does the work when there is a place for it. Rejects with the signal's reason when that aborts before. */
  async through<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    try {
      // It may have aborted between being let in and this.
      signal.throwIfAborted()
      return await work()
    } finally {
      if (this.#line.size === 0) this.#free += 1
      else this.#letIn()
    }
  }

  #letIn(): void {
    const [first] = this.#line
    first?.()
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', abort)
        this.#line.delete(begin)
      }
      const begin = () => {
        leave()
        resolve()
      }
      const abort = () => {
        leave()
        reject(signal.reason)
      }
      this.#line.add(begin)
      signal.addEventListener('abort', abort)
    })
  }
}

/** A listener whose failure is reported as a warning and does not reach whoever called it. */
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

/** Reports a failure of the user's code as a process warning. */
export function reportFailure(error: unknown): void {
  const warning = error instanceof Error ? error : new Error(messageOf(error))
  if (globalThis.process?.emitWarning) globalThis.process.emitWarning(warning)
  else globalThis.reportError(warning)
}
