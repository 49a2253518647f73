import { abortable } from '@capstan/core/internal'
import type { RunEntry, RunStore } from '@capstan/stores'
import { type RunRecord, readRecord, waitingCalls } from './record.js'
import { hintKey, isConflict, type StoreClock, whileAway } from './store.js'

export interface EntryWriterOptions {
  readonly runId: string
  readonly entry: RunEntry
  /** The entry's version; 0 for a run that is not stored yet. */
  readonly version: number
  readonly store: RunStore
  readonly clock: StoreClock
  /** The name under which this process holds the lease. */
  readonly by: string
  readonly leaseMs: number
  /** Called when other processes have changed the entry. */
  onChange(record: RunRecord): void
}

/**
 * Writes the entry of a run that this process is executing, and renews its lease. Keeps the changes of other processes:
 * decisions, and requests to abort the run. Stops writing once another process has the lease.
 */
export class EntryWriter {
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal
  entry: RunEntry
  version: number
  readonly #options: EntryWriterOptions
  readonly #losing = new AbortController()
  readonly #timers: readonly ReturnType<typeof setInterval>[]
  #writing: Promise<unknown> = Promise.resolve()
  #writtenAt = 0
  #create = () => {}
  readonly #isCreated = new Promise<void>((resolve) => {
    this.#create = resolve
  })
  #hasLeft = false

  constructor(options: EntryWriterOptions) {
    const { entry, version, leaseMs } = options
    this.#options = options
    this.lost = this.#losing.signal
    this.entry = entry
    this.version = version
    this.#timers = [every(leaseMs / 3, () => this.#renew()), every(lookMs, () => this.#look())]
  }

  get record(): RunRecord {
    return readRecord(this.#options.runId, this.entry)
  }

  /**
   * Resolves when the entry is stored.
   * @throws if the lease is lost
   */
  readonly created = async (): Promise<void> => {
    if (this.version === 0) await abortable(this.lost, this.#isCreated)
    this.lost.throwIfAborted()
  }

  /**
   * Checks that this process still has the run.
   * @throws if the lease was lost or released
   */
  checkHeld(): void {
    this.lost.throwIfAborted()
    if (this.#hasLeft) throw new Error('This process has released the run.')
  }

  /**
   * Changes the stored entry, and keeps the lease.
   * @throws if the lease is lost
   */
  update(change: (entry: RunEntry, record: RunRecord) => RunEntry): Promise<void> {
    return this.#inTurn((entry) => this.#leased(change(entry, readRecord(this.#options.runId, entry))))
  }

  /**
   * Changes the stored entry one last time, and releases the lease.
   * @throws if the lease is lost
   */
  leave(change: (entry: RunEntry, record: RunRecord) => RunEntry): Promise<void> {
    return this.#inTurn(({ lease: _, ...entry }) => {
      this.#hasLeft = true
      const updatedAt = this.#options.clock.now()
      return { ...change(entry, readRecord(this.#options.runId, entry)), updatedAt }
    })
  }

  /** Replaces the entry with the one that another process has stored. */
  adopt({ entry, version }: { readonly entry: RunEntry; readonly version: number }): void {
    this.entry = entry
    this.version = version
    this.#options.onChange(this.record)
  }

  /**
   * Runs a write, and retries it while the store is unreachable. After a conflict, the lease is lost unless `isOwn`
   * confirms that this process still has the run.
   */
  readonly guarded = async (work: () => Promise<unknown>, isOwn: () => Promise<boolean>): Promise<void> => {
    try {
      await whileAway(work, { signal: this.lost })
    } catch (error) {
      if (isConflict(error) && (await whileAway(isOwn, { signal: this.lost }))) return
      this.lose(error)
      throw error
    }
  }

  lose(reason: unknown): void {
    this.#losing.abort(reason)
  }

  /** Stops renewing the lease and checking for changes. */
  end(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #inTurn(change: (entry: RunEntry) => RunEntry): Promise<void> {
    const written = this.#writeAfter(this.#writing, change)
    this.#writing = written.catch(() => {})
    await written
  }

  async #writeAfter(before: Promise<unknown>, change: (entry: RunEntry) => RunEntry): Promise<void> {
    await before.catch(() => {})
    this.checkHeld()
    await this.#write(change)
  }

  async #write(change: (entry: RunEntry) => RunEntry): Promise<void> {
    const { store, runId, by } = this.#options
    for (;;) {
      this.lost.throwIfAborted()
      const next = change(this.entry)
      const { version } = this
      let written: number | undefined
      await this.guarded(
        async () => {
          written = await store.put(runId, next, version)
        },
        async () => {
          // Another process has changed the entry, or the response to a write was lost.
          const found = await store.get(runId)
          if (found?.entry.lease?.by !== by) return false
          this.adopt(found)
          return true
        },
      )
      if (written === undefined) continue
      this.entry = next
      this.version = written
      this.#writtenAt = Date.now()
      return this.#create()
    }
  }

  #leased(entry: RunEntry): RunEntry {
    const { clock, by, leaseMs } = this.#options
    const updatedAt = clock.now()
    const until = updatedAt + leaseMs
    // A call may expire before the lease does, if it is pending while the run waits for it.
    const waiting = this.entry.status === 'pending' ? waitingCalls(this.record) : []
    const dueAt = Math.min(until, ...waiting.map(({ expiresAt }) => expiresAt))
    return { ...entry, updatedAt, lease: { by, until }, dueAt }
  }

  async #renew(): Promise<void> {
    const isFresh = Date.now() - this.#writtenAt < this.#options.leaseMs / 4
    if (this.version > 0 && !isFresh) await this.update((entry) => entry)
  }

  /** Checks for changes by other processes. */
  async #look(): Promise<void> {
    const { store, runId } = this.#options
    if (this.version === 0 || this.lost.aborted) return
    // This write fails because of the change, and then reads the new entry.
    if ((await store.find(hintKey(runId, this.record.signals))) !== undefined)
      await this.update((entry) => entry)
  }
}

/** Milliseconds between two checks for changes by other processes. */
const lookMs = 500

/**
 * Calls a function at regular intervals, without keeping the process alive. Ignores errors, because the next call makes
 * up for a failed one.
 */
function every(ms: number, work: () => Promise<void>): ReturnType<typeof setInterval> {
  const timer = setInterval(() => void work().catch(() => {}), ms)
  if (typeof timer === 'object') timer.unref()
  return timer
}
