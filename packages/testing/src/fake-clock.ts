import { CapstanError, type CreateHost, type HostStep, memoryHost, type StepContext } from '@capstan/core'
import { checkOptionNames, type StepClock, wrapHost } from '@capstan/core/internal'

/** Options for `fakeClock`: when the clock starts, and what makes it advance. */
export interface FakeClockOptions {
  /** The time at which the clock starts, in milliseconds since 1970. Default: 2026-01-01 00:00 UTC. */
  readonly now?: number
  /**
   * Whether each sleep advances the clock immediately, and thus takes no real time. If false, a sleep lasts until a
   * test calls `advance`. Default false.
   */
  readonly auto?: boolean
}

/** A clock that a test advances. */
export interface FakeClock {
  /** The clock's current time, in milliseconds since 1970. */
  readonly now: number
  /** The number of sleeps and deadlines that have not ended. */
  readonly waiting: number
  /**
   * Advances the clock by `ms`, from one sleep or deadline to the next. Each one ends at its own time, and the code
   * that is waiting for it runs before the clock advances further. Await the returned promise.
   * @throws CapstanError `invalid_request` for a negative number
   */
  advance(ms: number): Promise<void>
  /** Resolves when the clock has advanced by `ms`. Rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Creates an in-memory host that uses this clock: `agent.run(input, { host: clock.host })`. */
  readonly host: CreateHost
}

/**
 * Creates a fake clock and a host that uses it. The clock controls `limits.seconds`, `stepTimeoutMs` and the host's
 * `sleep`. It does not control tool timeouts (`timeoutMs`), model timeouts or child agents' runs, which use the system
 * clock.
 */
export function fakeClock(options: FakeClockOptions = {}): FakeClock {
  const kinds = { now: 'a number of at least 0', auto: 'true or false' } as const
  checkOptionNames(options, kinds, { of: 'fakeClock', code: 'invalid_request' })
  const { now = Date.UTC(2026, 0, 1), auto = false } = options
  const timers = new Timers(now)
  const sleep = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    const over = timers.sleep(ms, signal)
    await (auto ? Promise.all([over, timers.advance(ms, signal)]) : over)
  }
  return {
    get now() {
      return timers.now()
    },
    get waiting() {
      return timers.waiting
    },
    advance: (ms) => timers.advance(ms),
    sleep,
    host: (binding) =>
      wrapHost(memoryHost(binding), {
        now: async () => timers.now(),
        sleep: (_key, ms) => sleep(ms, binding.signal),
        run: (step) => withClock(step, timers),
      }),
  }
}

function withClock<T>(step: HostStep<T>, clock: StepClock): HostStep<T> {
  // The property is not enumerable, so copies of the context, such as requests, do not contain the clock.
  const clocked = (context: StepContext) =>
    Object.defineProperty({ ...context }, 'clock', { value: clock, enumerable: false })
  return { ...step, run: (context) => step.run(clocked(context)) }
}

interface Timer {
  readonly at: number
  readonly act: () => void
}

/** Timers that fire when the clock is advanced. */
class Timers implements StepClock {
  #now: number
  readonly #timers = new Set<Timer>()

  constructor(now: number) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  get waiting(): number {
    return this.#timers.size
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + ms, act }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Resolves when the clock has advanced by `ms`. Rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        cancel()
        reject(signal?.reason)
      }
      const cancel = this.after(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  /** Advances the clock. If the signal aborts, stops after the timer that is due at that time. */
  async advance(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms >= 0)) {
      const message = `advance(${ms}): a clock cannot go backwards. Pass 0 or more milliseconds.`
      throw new CapstanError('invalid_request', message, { evidence: { ms } })
    }
    const end = this.#now + ms
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#moveTo(next.at)
      this.#timers.delete(next)
      next.act()
      await settlePromises()
      if (signal?.aborted) return
    }
    this.#moveTo(end)
  }

  /** Sets the time. Never sets it back, because two advances may run concurrently. */
  #moveTo(time: number): void {
    this.#now = Math.max(this.#now, time)
  }

  #nextUntil(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end)
    return due.toSorted((one, other) => one.at - other.at)[0]
  }
}

/** The system's `setTimeout`, stored because a test may replace the global function. */
const { setTimeout } = globalThis

/** Resolves when all code that was waiting for settled promises has run. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
