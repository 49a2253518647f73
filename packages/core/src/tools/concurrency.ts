import { ignore, Semaphore, type Work } from '../async.js'
import { CapstanError, forModel } from '../errors.js'
import { onceFor } from '../json.js'
import type { RunningCall, Tool } from '../run/middleware.js'
import type { RateLimit } from './tool-options.js'

/** Limits concurrent calls: per agent in a run, and per tool across all runs. */
export interface SlotScheduler {
  /** The run's slots. A call that needs only a slot takes it directly, without `take`. */
  readonly slots: { tryTake(): boolean; release(): void }
  /** Starts the work once the call's limits allow it. Rejects with the signal's reason if the signal aborts first. */
  take<T>(request: SlotRequest, signal: AbortSignal, start: () => Work<T>): Promise<T>
  /**
   * Registers one of a step's calls. Called in call order, before the call is prepared. Returns the call's turn, or
   * undefined if the call never waits for others. Default: no call waits.
   */
  join?(tool: Tool, step: object): SlotTurn | undefined
}

export interface SlotRequest {
  readonly tool: Tool
  /** The key that the call writes to, set when its turn comes. */
  readonly key?: string | undefined
}

/** A call's position in the order of calls that write to the same key. */
export interface SlotTurn {
  /** Waits for the call's turn, then runs all of its attempts. */
  run<T>(
    call: Pick<RunningCall, 'arguments' | 'signal'> & { key?: string },
    attempts: () => Promise<T>,
  ): Promise<T>
  /** Ends the turn, so that later calls can continue. */
  pass(): void
}

/** Returns a tool's limits on concurrent calls and on the rate of starts. Both apply across all runs. */
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
      // The rate limit comes last, because it applies when functions start.
      return workInSlots([toolLimit, runLimit, rate], signal, start).result
    },
  }
}

/** A limit on the rate of starts, or on work in progress. */
export interface Slots {
  /** Calls `start` once a slot is free, and keeps the slot until the promise that `start` returns resolves. */
  run(signal: AbortSignal, start: () => Promise<void>): Promise<void>
  /**
   * Watches work that still occupies a slot after its result has arrived, such as a function that ignores its timeout.
   */
  watch?(work: Work<unknown>): void
}

/** Returns a limit on the rate of starts only: work in progress occupies no slot. */
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

/**
 * Starts work once every limit has a free slot. The slots stay occupied until the work settles, even if its result
 * arrives earlier.
 */
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
 * Limits concurrent calls. A slot stays occupied until its work settles. If timed-out work has occupied all slots for a
 * second, waiting calls fail.
 */
export class ConcurrencyLimit extends Semaphore {
  /** The tool or run that the limit applies to, for the error message. */
  readonly #of: string
  readonly #concurrency: number
  /** The number of slots occupied by timed-out work. */
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

  /**
   * Watches work that occupies a slot. If the work has not settled one second after its result, it counts as stuck
   * until it does.
   */
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

/** Calls `onStuck` if work has not settled one second after its result, and `onEnd` when it settles. */
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

/** How long work may take to settle after its result. Work that respects its signal is faster. */
const graceMs = 1000
