import { CapstanError, type CreateHost, memoryHost, type Step, type StepContext } from '@capstan/core'
import type { StepClock } from '@capstan/core/internal'

export interface FakeClockOptions {
  /** In milliseconds since 1970. Default: the start of 2026, UTC. */
  readonly now?: number
  /**
   * Whether a sleep moves the clock by itself, up to its end or an abort of it, and takes no time. Default false: it
   * waits for `advance`.
   */
  readonly auto?: boolean
}

/** A clock that moves when a test says so. */
export interface FakeClock {
  /** In milliseconds since 1970. */
  readonly now: number
  /** How many sleeps and deadlines wait for it. */
  readonly waiting: number
  /**
   * Moves the clock on, from one sleep or deadline to the next: each is over at its time, and what follows from it
   * happens before the clock moves on. Await it. @throws CapstanError `invalid_request`: time does not go backwards
   */
  advance(ms: number): Promise<void>
  /** Is over when the clock has moved on by so much; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Runs in memory by this clock: `agent.run(input, { host: clock.host })`. */
  readonly host: CreateHost
}

/**
 * A host whose time is the test's: `limits.seconds`, `stepTimeoutMs` and the host's `sleep` go by it. A tool's own
 * `timeoutMs`, the timeouts of a model and the runs of agents that answer calls go by the system's time.
 */
export function fakeClock({ now = Date.UTC(2026, 0, 1), auto = false }: FakeClockOptions = {}): FakeClock {
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
    host: (binding) => {
      const host = memoryHost(binding)
      return {
        ...host,
        now: async () => timers.now(),
        sleep: (_key, ms) => sleep(ms, binding.signal),
        step: (one) => host.step(withClock(one, timers)),
        all: (steps) => host.all(steps.map((one) => withClock(one, timers))),
      }
    },
  }
}

function withClock<T>(step: Step<T>, clock: StepClock): Step<T> {
  if (!('run' in step)) return step
  // Not enumerable: what is made of a step's context, such as a request, is not to have it.
  const clocked = (context: StepContext) =>
    Object.defineProperty({ ...context }, 'clock', { value: clock, enumerable: false })
  return { ...step, run: (context) => step.run(clocked(context)) }
}

interface Timer {
  readonly at: number
  readonly act: () => void
}

/** Times at which something happens, passed when somebody says so. */
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

  /** Is over after so many milliseconds; rejects with the signal's reason once it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        callOff()
        reject(signal?.reason)
      }
      const callOff = this.after(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  /** Stops where it is once the signal aborts. */
  async advance(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms >= 0)) {
      const message = `A clock does not go backwards: advance(${ms}). Give 0 or more milliseconds.`
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

  /** Two may move it at one time. */
  #moveTo(time: number): void {
    this.#now = Math.max(this.#now, time)
  }

  #nextUntil(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end)
    return due.toSorted((one, other) => one.at - other.at)[0]
  }
}

/** The system's, also where a test has put another in its place. */
const { setTimeout } = globalThis

/** Once what follows from promises that are settled has happened. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
