import type { Json } from '@capstan/core'
import { checkOptionNames } from '@capstan/core/internal'
import { type ListedFields, listedFields, selectRuns, toPage } from './list-query.js'
import {
  checkKey,
  checkRunId,
  entryConflict,
  eventConflict,
  missingRun,
  type RunEntry,
  type RunStore,
  type StoredEvent,
} from './run-store.js'
import {
  checkAfterSeq,
  checkExpiry,
  checkLimit,
  checkVersion,
  toEntryText,
  toEventTexts,
  toValueText,
} from './stored-json.js'
import { Watchers } from './watchers.js'

export interface MemoryRunStoreOptions {
  /**
   * Maximum total size of the runs in bytes. If the runs exceed it, ended and failed runs are removed, oldest first,
   * and then pending runs. Active runs are never removed. Each owner's ended runs may use at most an eighth of the
   * maximum. The same limit applies to each owner's pending runs. Default 64 MiB.
   */
  readonly maxBytes?: number
  /** How many of a run's newest events to keep. Up to 50 % more may be kept. Default 20,000. */
  readonly maxEvents?: number
}

/**
 * Creates a run store in memory, for one process. A server uses this store by default. The runs are lost when the
 * process ends. Values from `setOnce` are kept until they expire.
 */
export function memoryRunStore(options: MemoryRunStoreOptions = {}): RunStore {
  const kinds = { maxBytes: 'a number of at least 0', maxEvents: 'a number of at least 0' } as const
  checkOptionNames(options, kinds, { of: 'memoryRunStore' })
  const { maxBytes = 64 * 2 ** 20, maxEvents = 20_000 } = options
  const runs = new MemoryRuns(maxBytes, maxEvents)
  const values = new ExpiringValues()
  return {
    isVolatile: true,
    async get(runId) {
      checkRunId(runId)
      const run = runs.get(runId)
      return run && { entry: parse<RunEntry>(run.text), version: run.version }
    },
    async put(runId, entry, version) {
      checkRunId(runId)
      checkVersion(version)
      return runs.put(runId, toEntryText(entry), version)
    },
    async append(runId, events, afterSeq) {
      checkRunId(runId)
      runs.append(runId, toEventTexts(events, afterSeq), afterSeq)
    },
    async read(runId, afterSeq, limit = 1000) {
      checkRunId(runId)
      checkAfterSeq(afterSeq)
      checkLimit(limit)
      const { events, first } = runs.get(runId) ?? { events: [], first: 0 }
      const from = Math.max(0, afterSeq + 1 - first)
      return events.slice(from, from + limit).map(parse<StoredEvent>)
    },
    async list(query) {
      const found = selectRuns(runs.all(), query)
      const toRun = ({ runId, text, version }: MemoryRun) => ({
        runId,
        entry: parse<RunEntry>(text),
        version,
      })
      return toPage(found.map(toRun), query)
    },
    async setOnce(key, value, expiresAt) {
      checkKey(key)
      checkExpiry(expiresAt)
      return values.setOnce(key, toValueText(value), expiresAt)
    },
    async find(key) {
      checkKey(key)
      const text = values.find(key)
      return text === undefined ? undefined : parse<Json>(text)
    },
    async delete(runId) {
      checkRunId(runId)
      runs.delete(runId)
    },
    watch(runId, onChange) {
      checkRunId(runId)
      return runs.watchers.add(runId, onChange)
    },
  }
}

/** Parses JSON text that was created from a value of this type. */
function parse<Value>(text: string): Value {
  return JSON.parse(text)
}

/** A run with its entry and events as JSON text, so that callers cannot change it. */
interface MemoryRun extends ListedFields {
  readonly text: string
  readonly version: number
  /** The newest events. Older ones may have been removed. */
  readonly events: string[]
  /** The `seq` of the first event in `events`. */
  readonly first: number
  /**
   * The number of characters in the entry and the events, plus an overhead, so that many small runs are counted too.
   */
  bytes: number
}

const overheadBytes = 1024

function eventsOf(run: MemoryRun | undefined): Pick<MemoryRun, 'events' | 'first'> {
  return { events: run?.events ?? [], first: run?.first ?? 0 }
}

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}

/** The runs and their events. Removes runs when the limits are exceeded. */
class MemoryRuns {
  readonly #runs = new Map<string, MemoryRun>()
  readonly #ended = new RemovableRuns()
  readonly #pending = new RemovableRuns()
  readonly watchers = new Watchers()
  readonly #maxBytes: number
  readonly #maxEvents: number
  #bytes = 0

  constructor(maxBytes: number, maxEvents: number) {
    this.#maxBytes = maxBytes
    this.#maxEvents = maxEvents
  }

  get(runId: string): MemoryRun | undefined {
    return this.#runs.get(runId)
  }

  all(): Iterable<MemoryRun> {
    return this.#runs.values()
  }

  put(runId: string, text: string, version: number): number {
    const before = this.#runs.get(runId)
    const found = before?.version ?? 0
    if (found !== version) throw entryConflict(runId, version, found)
    const bytes = (before?.bytes ?? overheadBytes) - (before?.text.length ?? 0) + text.length
    const fields = listedFields(runId, parse<RunEntry>(text))
    this.#store({ ...fields, text, version: version + 1, ...eventsOf(before), bytes })
    return version + 1
  }

  append(runId: string, texts: readonly string[], afterSeq: number): void {
    const run = this.#runs.get(runId)
    if (!run) throw missingRun(runId)
    const { events } = run
    const last = run.first + events.length - 1
    if (last !== afterSeq) throw eventConflict(runId, afterSeq, last)
    for (const text of texts) events.push(text)
    const isOver = events.length > this.#maxEvents * 1.5
    const dropped = isOver ? events.splice(0, events.length - this.#maxEvents) : []
    const bytes = run.bytes + charactersOf(texts) - charactersOf(dropped)
    this.#store({ ...run, first: run.first + dropped.length, bytes })
  }

  delete(runId: string): void {
    const run = this.#runs.get(runId)
    if (!run) return
    this.#remove(run)
    this.watchers.notify(runId)
  }

  /** Stores a run as the most recently changed one. If the limits are exceeded, removes other runs. */
  #store(run: MemoryRun): void {
    const before = this.#runs.get(run.runId)
    if (before) this.#remove(before)
    this.#runs.set(run.runId, run)
    this.#bytes += run.bytes
    const alike = this.#removableOf(run)
    alike?.add(run)
    const evict = (other: MemoryRun) => {
      this.#remove(other)
      this.watchers.notify(other.runId)
    }
    for (const other of alike?.ofOwner(run.owner) ?? []) {
      if (other === run || (alike?.bytesOf(run.owner) ?? 0) <= this.#maxBytes / 8) break
      evict(other)
    }
    for (const runs of [this.#ended.all(), this.#pending.all()])
      for (const other of runs) {
        if (this.#bytes <= this.#maxBytes) break
        if (other !== run) evict(other)
      }
    this.watchers.notify(run.runId)
  }

  #remove(run: MemoryRun): void {
    this.#runs.delete(run.runId)
    this.#bytes -= run.bytes
    this.#removableOf(run)?.delete(run)
  }

  #removableOf({ status }: MemoryRun): RemovableRuns | undefined {
    if (status === 'running') return undefined
    return status === 'pending' ? this.#pending : this.#ended
  }
}

/** Runs that may be removed, both in total and by owner, with the least recently changed first. */
class RemovableRuns {
  readonly #runs = new Set<MemoryRun>()
  readonly #byOwner = new Map<string, { bytes: number; readonly runs: Set<MemoryRun> }>()

  add(run: MemoryRun): void {
    const own = this.#byOwner.get(run.owner) ?? { bytes: 0, runs: new Set() }
    this.#byOwner.set(run.owner, own)
    own.bytes += run.bytes
    own.runs.add(run)
    this.#runs.add(run)
  }

  delete(run: MemoryRun): void {
    const own = this.#byOwner.get(run.owner)
    if (!own || !this.#runs.delete(run)) return
    own.bytes -= run.bytes
    own.runs.delete(run)
    if (own.runs.size === 0) this.#byOwner.delete(run.owner)
  }

  all(): Iterable<MemoryRun> {
    return this.#runs
  }

  ofOwner(owner: string): Iterable<MemoryRun> {
    return this.#byOwner.get(owner)?.runs ?? []
  }

  bytesOf(owner: string): number {
    return this.#byOwner.get(owner)?.bytes ?? 0
  }
}

/** The values that `setOnce` stored, as JSON text. */
class ExpiringValues {
  readonly #values = new Map<string, { readonly text: string; readonly expiresAt: number }>()
  /**
   * The number of values at which expired ones are removed. After each removal, this is set to twice the number of
   * remaining values, or to 1000 if that is more.
   */
  #sweepAt = 1000

  setOnce(key: string, text: string, expiresAt = Number.POSITIVE_INFINITY): boolean {
    if (this.find(key) !== undefined) return false
    this.#values.set(key, { text, expiresAt })
    if (this.#values.size >= this.#sweepAt) this.#sweep()
    return true
  }

  find(key: string): string | undefined {
    const found = this.#values.get(key)
    return found && found.expiresAt > Date.now() ? found.text : undefined
  }

  #sweep(): void {
    const now = Date.now()
    for (const [key, { expiresAt }] of this.#values) if (expiresAt <= now) this.#values.delete(key)
    this.#sweepAt = Math.max(1000, 2 * this.#values.size)
  }
}
