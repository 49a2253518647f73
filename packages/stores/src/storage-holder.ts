import { CapstanError, type KeyValueStorage } from '@capstan/core'
import { reportFailure } from '@capstan/core/internal'
import { invalid } from './stored-json.js'

/** The prefix of the keys that contain heartbeats. */
const base = 'run-store:'

/** Milliseconds between two heartbeats. */
const renewMs = 10_000
/** If this store's last heartbeat is older than this, in milliseconds, the store claims the storage again. */
const sureMs = 20_000
/** If another store's last heartbeat is older than this, in milliseconds, that store is considered dead. */
const deadMs = 30_000

/**
 * Reserves a storage for one store object. Storages have no compare-and-set, so each store writes a key with the time
 * of its last heartbeat, and then looks for the keys of other stores. If two stores start at the same time, at least
 * one of them finds the other's key and fails. Both may fail.
 */
export class StorageHolder {
  readonly #storage: KeyValueStorage
  readonly #key = `${base}${crypto.randomUUID()}`
  readonly #onClaim: () => void
  #renewedAt = Number.NEGATIVE_INFINITY
  #claiming: Promise<void> | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #isClosed = false

  /**
   * `onClaim` is called whenever this store claims the storage, because another process may have changed the storage
   * before that.
   */
  constructor(storage: KeyValueStorage, onClaim: () => void) {
    this.#storage = storage
    this.#onClaim = onClaim
  }

  /**
   * Ensures that this store holds the storage.
   * @throws CapstanError `conflict` if another store holds it
   */
  async hold(): Promise<void> {
    if (this.#isClosed) throw invalid('The store is closed. Create a new one.')
    if (Date.now() - this.#renewedAt < sureMs) return
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined
    })
    await this.#claiming
  }

  /**
   * Releases the storage, so that another store can claim it immediately. This store can no longer be used after that.
   */
  async release(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#claiming?.catch(() => {})
    // The pending claim may have started the timer.
    clearInterval(this.#timer)
    await this.#storage.removeItem(this.#key)
  }

  async #claim(): Promise<void> {
    const now = Date.now()
    await this.#storage.setItem(this.#key, heartbeat(now))
    try {
      await this.#checkOthers(now)
    } catch (error) {
      // If this key stayed, it would make other stores fail.
      await this.#storage.removeItem(this.#key)
      throw error
    }
    this.#onClaim()
    this.#renewedAt = now
    clearInterval(this.#timer)
    this.#timer = setInterval(() => void this.#renew().catch(reportFailure), renewMs)
    // The timer must not keep the program running. Browsers and Workers have no `unref`.
    Object(this.#timer).unref?.()
  }

  /** Removes the keys of dead stores. @throws CapstanError `conflict` if another store is alive */
  async #checkOthers(now: number): Promise<void> {
    for (const key of await this.#storage.getKeys(base)) {
      if (key === this.#key) continue
      const age = now - timeOf(await this.#storage.getItem(key))
      if (age < deadMs) throw held(key, age)
      await this.#storage.removeItem(key)
    }
  }

  async #renew(): Promise<void> {
    const now = Date.now()
    // This process was suspended for too long, so another process may hold the storage. The next use claims it again.
    if (now - this.#renewedAt >= sureMs) return clearInterval(this.#timer)
    await this.#storage.setItem(this.#key, heartbeat(now))
    this.#renewedAt = now
    // The storage was released while the heartbeat was being written.
    if (this.#isClosed) await this.#storage.removeItem(this.#key)
  }
}

/** Formats a heartbeat. The prefix prevents storages from parsing it as a number. */
function heartbeat(time: number): string {
  return `heartbeat/1 ${time}`
}

/** Returns the time of a heartbeat. A value in an unknown format counts as a heartbeat at the current time. */
function timeOf(value: unknown): number {
  // The key has been removed since the keys were listed.
  if (value === null || value === undefined) return Number.NEGATIVE_INFINITY
  const [, time] = /^heartbeat\/1 (\d+)$/.exec(String(value)) ?? []
  return time === undefined ? Date.now() : Number(time)
}

function held(key: string, age: number): CapstanError {
  const seconds = Math.max(0, Math.round(age / 1000))
  const message = `Another store holds this storage; its last heartbeat was ${seconds} s ago. Use the storage from one process at a time, and close() each store.`
  return new CapstanError('conflict', message, { evidence: { key }, retryable: true, retryAfterMs: deadMs })
}
