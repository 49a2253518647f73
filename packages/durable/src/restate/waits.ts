import type { RestatePromise } from '@restatedev/restate-sdk'
import type { Sdk } from './options.js'

/** A promise that a step is waiting for. */
interface Wait {
  /** Settles after it has set `end`. Its own value is not used. */
  readonly promise: RestatePromise<undefined>
  /** How the promise settled. Undefined until then. */
  end?: PromiseSettledResult<unknown>
  resolve(end: PromiseSettledResult<never>): void
}

/**
 * The promises that one invocation is waiting for. Restate allows only one wait at a time, but background steps run
 * alongside other steps. This class combines all open promises in one wait, which ends when the first promise settles,
 * and then waits for the others.
 */
export class OpenWaits {
  readonly #sdk: Sdk
  readonly #cancelled: () => void
  readonly #open = new Set<Wait>()
  #isWaiting = false

  /** `cancelled` is called if the run is aborted, so that active steps can stop. */
  constructor(sdk: Sdk, cancelled: () => void) {
    this.#sdk = sdk
    this.#cancelled = cancelled
  }

  /** Waits until all promises have settled, even if the run is aborted in the meantime. */
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
      // A background step starts before the run's next step, and both must be in the same wait.
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

  /** Waits until one of the open promises settles. Returns an error only if the wait itself failed. */
  async #waitForOne(): Promise<unknown> {
    const { RestatePromise, CancelledError } = this.#sdk
    try {
      // A cancelled promise stays cancelled, so each attempt needs a new promise.
      await RestatePromise.race([...this.#open].map(({ promise }) => promise))
    } catch (error) {
      if (!(error instanceof CancelledError))
        return error ?? new Error('The Restate SDK failed while waiting.')
      this.#cancelled()
    }
    return undefined
  }
}
