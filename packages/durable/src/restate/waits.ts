import type { RestatePromise } from '@restatedev/restate-sdk'
import type { Sdk } from './options.js'

/** A promise that a step waits for. */
interface Wait {
  /** Settles `end`. Its value is not used. */
  readonly promise: RestatePromise<undefined>
  /** Set once the promise is settled. */
  end?: PromiseSettledResult<unknown>
  resolve(end: PromiseSettledResult<never>): void
}

/**
 * The waits of one invocation. Restate allows only one wait at a time, but background steps run next to others. So it
 * waits for all promises together, until the first of them settles.
 */
export class OpenWaits {
  readonly #sdk: Sdk
  readonly #cancelled: () => void
  readonly #open = new Set<Wait>()
  #isWaiting = false

  /** Calls `cancelled` on an abort, so that running steps can stop. */
  constructor(sdk: Sdk, cancelled: () => void) {
    this.#sdk = sdk
    this.#cancelled = cancelled
  }

  /** Waits until all promises are settled, even if the run is aborted meanwhile. */
  all<T>(started: readonly RestatePromise<T>[]): Promise<PromiseSettledResult<T>[]> {
    return Promise.all(started.map((promise) => this.#settled(promise)))
  }

  #settled<T>(promise: RestatePromise<T>): Promise<PromiseSettledResult<T>> {
    return new Promise((resolve) => {
      const wait: Wait = {
        promise: promise.map((value, reason) => {
          wait.end = reason ? { status: 'rejected', reason } : { status: 'fulfilled', value }
          return undefined
        }),
        resolve,
      }
      this.#open.add(wait)
      if (!this.#isWaiting) void this.#waitForAll()
    })
  }

  async #waitForAll(): Promise<void> {
    this.#isWaiting = true
    while (this.#open.size > 0) {
      // A step in the background starts before the next one of the run, which is in the same wait.
      await new Promise((resolve) => setImmediate(resolve))
      const error = await this.#waitForOne()
      for (const one of this.#open) {
        if (error !== undefined) one.end ??= { status: 'rejected', reason: error }
        if (!one.end) continue
        this.#open.delete(one)
        one.resolve(one.end as PromiseSettledResult<never>)
      }
    }
    this.#isWaiting = false
  }

  /** Returns an error of the SDK itself. */
  async #waitForOne(): Promise<unknown> {
    const { RestatePromise, CancelledError } = this.#sdk
    try {
      // A cancelled promise stays cancelled, so each attempt needs a new one.
      await RestatePromise.race([...this.#open].map(({ promise }) => promise))
    } catch (error) {
      if (!(error instanceof CancelledError)) return error ?? new Error('A wait failed.')
      this.#cancelled()
    }
    return undefined
  }
}
