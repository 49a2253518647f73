import { CapstanError } from '@capstan/core'
import type { StepClock } from '@capstan/core/internal'

interface Timer {
  readonly at: number
  readonly act: () => void
}

/** Times at which something happens, passed when somebody says so. */
export class Timers implements StepClock {
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
      await afterwards()
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
function afterwards(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
