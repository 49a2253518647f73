import { ignore, Semaphore, type Work } from '../async.js'
import { CapstanError, forModel } from '../errors.js'
import { onceFor } from '../json.js'
import type { RunningCall, Tool } from '../run/middleware.js'
import type { RateLimit } from './tool-options.js'

/** Limits concurrent calls: per agent in a run, and per tool over all runs. */
export interface SlotScheduler {
  /** The slots of the run. A call that waits for nothing else takes one itself. */
  readonly slots: { tryTake(): boolean; release(): void }
  /** Starts the work once a slot is free. Rejects with the signal's reason when it aborts before that. */
  take<T>(request: SlotRequest, signal: AbortSignal, start: () => Work<T>): Promise<T>
  /**
   * Adds a call to its step, in call order, before any other work on it. Returns a promise if it waits for other
   * calls. Default: no call waits.
   */
  join?(tool: Tool, step: object): SlotTurn | undefined
}

export interface SlotRequest {
  readonly tool: Tool
  /** The key that the call writes, set when its turn comes. */
  readonly key?: string | undefined
}

/** The turn of a call among others. */
export interface SlotTurn {
  /** Runs all attempts of the call, once it is its turn. */
  run<T>(
    call: Pick<RunningCall, 'arguments' | 'signal'> & { key?: string },
    attempts: () => Promise<T>,
  ): Promise<T>
  /** Lets later calls continue. */
  pass(): void
}

/** Returns a tool's limits: on calls in progress, and on starts. */
export const slotsOf = onceFor(
  ({ name, settings: { concurrency = unlimited, rate } }: Tool) =>
    [
      concurrency === unlimited ? undefined : new ConcurrencyLimit(`"${name}"`, concurrency),
      rate && paceOf(rate),
    ] as const,
)

const unlimited = Infinity

export function createCallScheduler(
  concurrency: number,
  runLimit: ConcurrencyLimit = new ConcurrencyLimit('this run', concurrency),
): SlotScheduler {
  return {
    slots: runLimit,
    take({ tool }, signal, start) {
      const [toolLimit, rate] = slotsOf(tool)
      // The rate comes last, since it counts starts of functions.
      return workInSlots([toolLimit, runLimit, rate], signal, start).result
    },
  }
}

/** A limit on starts, or on work in progress. */
export interface Slots {
  /** Calls `start` once a slot is free, and keeps the slot until the returned promise resolves. */
  run(signal: AbortSignal, start: () => Promise<void>): Promise<void>
  /** Watches work that uses a slot. */
  watch?(work: Work<unknown>): void
}

/** Limits starts only: work uses no slot. */
export function paceOf(rate: RateLimit): Slots {
  const queue = rate.createQueue()
  return {
    async run(signal, start) {
      let running: Promise<void> | undefined
      const begin = async () => {
        running = start()
      }
      await queue.add(begin, { signal })
      return running
    },
  }
}

/** Starts work once every limit has a free slot. The slots stay taken until the work settles, even after its result. */
export function workInSlots<T>(
  limits: readonly (Slots | undefined)[],
  signal: AbortSignal,
  start: () => Work<T>,
): Work<T> {
  let settled: Promise<void> | undefined
  const result = new Promise<T>((resolve, reject) => {
    const begin = () => {
      const work = start()
      settled = work.settled
      for (const limit of limits) limit?.watch?.(work)
      work.result.then(resolve, reject)
      return work.settled
    }
    const enter = limits.reduceRight((next, limit) => (limit ? () => limit.run(signal, next) : next), begin)
    enter().catch(reject)
  })
  return { result, settled: result.then(ignore, ignore).then(() => settled) }
}

/**
 * Limits concurrent calls. A slot stays taken until its work settles. If timed-out work has occupied every slot for a
 * second, waiting calls fail.
 */
export class ConcurrencyLimit extends Semaphore {
  /** What the limit applies to. Errors name it. */
  readonly #of: string
  readonly #concurrency: number
  /** Slots held by timed-out work. */
  #stuck = 0

  constructor(of: string, concurrency: number) {
    super(concurrency)
    this.#of = of
    this.#concurrency = concurrency
  }

  override run<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T> {
    if (this.#stuck === this.#concurrency && !signal.aborted) return Promise.reject(this.#stuckError())
    return super.run(signal, start)
  }

  /** Watches work that uses a slot: one second after its result it counts as stuck, until it settles. */
  watch(work: Work<unknown>): void {
    const count = () => {
      this.#stuck += 1
      if (this.#stuck === this.#concurrency) this.failWaiting(this.#stuckError())
    }
    watchWork(work, count, (wasStuck) => {
      if (wasStuck) this.#stuck -= 1
    })
  }

  #stuckError(): CapstanError {
    return stuckError(this.#of, this.#concurrency)
  }
}

/** Reports work that has not settled a second after its result, and its end. */
export function watchWork(
  { result, settled }: Work<unknown>,
  onStuck: () => void,
  onEnd: (wasStuck: boolean) => void,
): void {
  let isSettled = false
  let isStuck = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const startTimer = () => {
    if (isSettled) return
    timer = setTimeout(() => {
      isStuck = true
      onStuck()
    }, graceMs)
  }
  result.then(startTimer, startTimer)
  void settled.then(() => {
    isSettled = true
    clearTimeout(timer)
    onEnd(isStuck)
  })
}

export function stuckError(of: string, concurrency: number): CapstanError {
  const message = `Did not run: earlier calls timed out and still occupy ${of} (${concurrency}).`
  return forModel(new CapstanError('timeout', message, { evidence: { concurrency } }))
}

/** Work that respects its signal settles sooner than this after its deadline. */
const graceMs = 1000
