import { CapstanError, type Json, type KeyValueStorage } from '@capstan/core'
import { checkRequiredOption, reportFailure, serialByKey } from '@capstan/core/internal'
import { fits, type ListedFields, listedFields, selectRuns, toAfter } from './list-query.js'
import {
  checkKey,
  checkRunId,
  entryConflict,
  eventConflict,
  missingRun,
  type RunEntry,
  type RunPage,
  type RunQuery,
  type RunStore,
  type StoredEvent,
  type StoredRun,
} from './run-store.js'
import { StorageHolder } from './storage-holder.js'
import {
  checkAfterSeq,
  checkExpiry,
  checkLimit,
  checkVersion,
  toEntryText,
  toEventTexts,
  toValueText,
  wrongFieldOf,
} from './stored-json.js'
import { Watchers } from './watchers.js'

/** A run store that must be closed before another process uses its storage. */
export interface UnstorageRunStore extends RunStore {
  /**
   * Releases the storage, so that another process can use it immediately. If you do not call `close()`, another process
   * can use the storage 30 seconds after this process has ended.
   */
  close(): Promise<void>
}

/**
 * Creates a run store on an `unstorage` storage (Redis, S3, SQL, ...). Only one process at a time can use the storage,
 * because these storages have no compare-and-set. A process holds the storage from its first use until `close()`, by
 * means of a key that it renews every 10 seconds. A process that has not renewed its key for 30 seconds is considered
 * dead. The storage must write values atomically, list new keys immediately, and keep strings unchanged. For files, use
 * `folderRunStore`. Expired `setOnce` values stay in the storage until their key is set again.
 * @throws CapstanError `conflict` while another process, or another store object, holds the storage
 */
export function unstorageRunStore(storage: KeyValueStorage): UnstorageRunStore {
  checkRequiredOption({ storage }, optionKinds, { of: 'unstorageRunStore', required: 'storage' })
  const runs = new StorageRuns(storage)
  const holder = new StorageHolder(storage, () => runs.forget())
  const turn = serialByKey()
  return {
    async get(runId) {
      checkRunId(runId)
      await holder.hold()
      return runs.get(runId)
    },
    async put(runId, entry, version) {
      checkRunId(runId)
      checkVersion(version)
      const text = toEntryText(entry)
      await holder.hold()
      return turn(runId, () => runs.put(runId, text, version))
    },
    async append(runId, events, afterSeq) {
      checkRunId(runId)
      const texts = toEventTexts(events, afterSeq)
      await holder.hold()
      await turn(runId, () => runs.append(runId, texts, afterSeq))
    },
    async read(runId, afterSeq, limit = 1000) {
      checkRunId(runId)
      checkAfterSeq(afterSeq)
      checkLimit(limit)
      await holder.hold()
      return runs.read(runId, afterSeq, limit)
    },
    async list(query) {
      await holder.hold()
      return runs.page(query)
    },
    async setOnce(key, value, expiresAt) {
      checkKey(key)
      checkExpiry(expiresAt)
      const text = toValueText(value)
      await holder.hold()
      return turn(`key ${key}`, () => runs.setOnce(key, text, expiresAt))
    },
    async find(key) {
      checkKey(key)
      await holder.hold()
      return runs.find(key)
    },
    async delete(runId) {
      checkRunId(runId)
      await holder.hold()
      await turn(runId, () => runs.delete(runId))
    },
    watch(runId, onChange) {
      checkRunId(runId)
      return runs.watchers.add(runId, onChange)
    },
    close: () => holder.release(),
  }
}

const isStorage = (value: unknown) => typeof Object(value).getKeys === 'function'
const optionKinds = { storage: ['createStorage() from unstorage', isStorage] } as const

/** The range of events in one append. */
interface Lump {
  readonly first: number
  readonly count: number
}

/**
 * The runs in a storage that only this process changes. Each entry, the events of each append, and each `setOnce` value
 * are stored under separate keys. Cached data is not read again.
 */
class StorageRuns {
  readonly watchers = new Watchers()
  readonly #storage: KeyValueStorage
  /**
   * The appends of each run that this process appends to. They are cached because every append would otherwise have to
   * list keys.
   */
  readonly #lumps = new Map<string, Lump[]>()
  #listed: Promise<Map<string, ListedFields>> | undefined

  constructor(storage: KeyValueStorage) {
    this.#storage = storage
  }

  forget(): void {
    this.#lumps.clear()
    this.#listed = undefined
  }

  async get(runId: string): Promise<StoredRun | undefined> {
    const found = await this.#entryAt(`${runsBase}${await nameOf(runId)}`)
    return found && { entry: found.entry, version: found.version }
  }

  async put(runId: string, text: string, version: number): Promise<number> {
    const found = (await this.get(runId))?.version ?? 0
    if (found !== version) throw entryConflict(runId, version, found)
    // If a process was killed while it was deleting the run, events may remain.
    if (version === 0) await this.#deleteEvents(runId)
    const key = `${runsBase}${await nameOf(runId)}`
    const head = JSON.stringify({ runId, version: version + 1 })
    await this.#storage.setItem(key, toValue('run', `${head.slice(0, -1)},"entry":${text}}`))
    const fields = listedFields(runId, JSON.parse(text))
    if (fields.status !== 'running') this.#lumps.delete(runId)
    // A list that is being loaded may contain the previous entry.
    const listed = await this.#listed?.catch(() => undefined)
    listed?.set(runId, fields)
    this.watchers.notify(runId)
    return version + 1
  }

  async append(runId: string, texts: readonly string[], afterSeq: number): Promise<void> {
    const lumps = this.#lumps.get(runId) ?? (await this.#loadLumps(runId))
    if (!lumps) throw missingRun(runId)
    this.#lumps.set(runId, lumps)
    const end = lumps.at(-1)
    const last = end ? end.first + end.count - 1 : -1
    if (last !== afterSeq) throw eventConflict(runId, afterSeq, last)
    if (texts.length === 0) return
    const lump = { first: afterSeq + 1, count: texts.length }
    await this.#storage.setItem(await lumpKey(runId, lump), toValue('events', `[${texts.join()}]`))
    lumps.push(lump)
    this.watchers.notify(runId)
  }

  async read(runId: string, afterSeq: number, limit: number): Promise<readonly StoredEvent[]> {
    const end = afterSeq + limit
    const all = this.#lumps.get(runId) ?? (await this.#loadLumps(runId)) ?? []
    const lumps = all.filter(({ first, count }) => first <= end && first + count - 1 > afterSeq)
    const keys = await Promise.all(lumps.map((lump) => lumpKey(runId, lump)))
    const values = await Promise.all(keys.map(async (key) => this.#read('events', key)))
    // The run has been deleted meanwhile. Because events are missing, return none.
    if (values.includes(undefined)) return []
    const events = values.flatMap((value, at) => {
      if (Array.isArray(value) && value.length === lumps[at]?.count) return value as StoredEvent[]
      throw unreadable(keys[at] ?? '')
    })
    return events.filter(({ seq }) => seq > afterSeq).slice(0, limit)
  }

  async page(query: RunQuery): Promise<RunPage> {
    this.#listed ??= this.#listAll().catch((error: unknown) => {
      this.#listed = undefined
      throw error
    })
    const selected = selectRuns((await this.#listed).values(), query)
    const onPage = selected.slice(0, query.limit)
    const found = await Promise.all(
      onPage.map(async ({ runId }) => {
        const run = await this.get(runId)
        // A run may have changed after it was selected.
        return run && fits(listedFields(runId, run.entry), query) ? [{ runId, ...run }] : []
      }),
    )
    const last = onPage.at(-1)
    return selected.length > query.limit && last
      ? { runs: found.flat(), after: toAfter(last) }
      : { runs: found.flat() }
  }

  async setOnce(key: string, valueText: string, expiresAt: number | undefined): Promise<boolean> {
    if ((await this.find(key)) !== undefined) return false
    const head = JSON.stringify({ key, ...(expiresAt !== undefined && { expiresAt }) })
    const text = `${head.slice(0, -1)},"value":${valueText}}`
    await this.#storage.setItem(`${keysBase}${await nameOf(key)}`, toValue('value', text))
    return true
  }

  async find(key: string): Promise<Json | undefined> {
    const place = `${keysBase}${await nameOf(key)}`
    const found = await this.#read('value', place)
    if (found === undefined) return undefined
    const { key: stored, value, expiresAt = Number.POSITIVE_INFINITY } = { ...Object(found) }
    if (stored !== key || value === undefined || typeof expiresAt !== 'number') throw unreadable(place)
    return expiresAt > Date.now() ? (value as Json) : undefined
  }

  async delete(runId: string): Promise<void> {
    // Remove the entry first, so that the run is deleted even if the process is killed after that.
    await this.#storage.removeItem(`${runsBase}${await nameOf(runId)}`)
    const listed = await this.#listed?.catch(() => undefined)
    listed?.delete(runId)
    await this.#deleteEvents(runId)
    this.watchers.notify(runId)
  }

  async #deleteEvents(runId: string): Promise<void> {
    this.#lumps.delete(runId)
    const keys = await this.#storage.getKeys(`${eventsBase}${await nameOf(runId)}:`)
    for (const key of keys) await this.#storage.removeItem(key)
  }

  /**
   * Returns a run's appends, read from the storage's keys. Undefined if the run does not exist.
   * @throws CapstanError `invalid_state` if an append is missing
   */
  async #loadLumps(runId: string): Promise<Lump[] | undefined> {
    const base = `${eventsBase}${await nameOf(runId)}:`
    if (!(await this.get(runId))) return undefined
    const lumps = (await this.#storage.getKeys(base)).map((key) => {
      const [, first, count] = /^(\d+)-(\d+)$/.exec(key.slice(base.length)) ?? []
      if (first === undefined) throw unreadable(key)
      return { first: Number(first), count: Number(count) }
    })
    lumps.sort((a, b) => a.first - b.first)
    let next = 0
    for (const { first, count } of lumps) {
      if (first !== next) throw unreadable(`${base}${next}`)
      next += count
    }
    return lumps
  }

  async #listAll(): Promise<Map<string, ListedFields>> {
    // A damaged run does not stop the listing. A warning names the run's key.
    const entryAt = (key: string) => this.#entryAt(key).catch((error: unknown) => void reportFailure(error))
    const found = await Promise.all((await this.#storage.getKeys(runsBase)).map(entryAt))
    const fields = found.flatMap((one) => (one ? [listedFields(one.runId, one.entry)] : []))
    return new Map(fields.map((one) => [one.runId, one]))
  }

  async #entryAt(key: string): Promise<(StoredRun & { readonly runId: string }) | undefined> {
    const value = await this.#read('run', key)
    if (value === undefined) return undefined
    const { runId, version, entry } = { ...Object(value) }
    if (typeof runId === 'string' && Number.isInteger(version) && wrongFieldOf(entry) === undefined)
      return { runId, version, entry: entry as RunEntry }
    throw unreadable(key)
  }

  /**
   * Returns the value under a key. Undefined if there is none.
   * @throws CapstanError `invalid_state` for a damaged value
   */
  async #read(kind: string, key: string): Promise<unknown> {
    const value = await this.#storage.getItem(key)
    if (value === null || value === undefined) return undefined
    const [, of, written, text = ''] = /^(\w+)\/(\d+) (.*)$/s.exec(String(value)) ?? []
    if (of !== kind || Number(written) !== format) throw unreadable(key, Number(written))
    try {
      return JSON.parse(text)
    } catch {
      throw unreadable(key)
    }
  }
}

const runsBase = 'runs:'
const eventsBase = 'run-events:'
const keysBase = 'run-keys:'
const format = 1

/**
 * Formats a value for the storage. The prefix prevents storages from parsing the value as JSON, which would lose keys
 * such as `__proto__`.
 */
function toValue(kind: 'run' | 'events' | 'value', text: string): string {
  return `${kind}/${format} ${text}`
}

async function lumpKey(runId: string, { first, count }: Lump): Promise<string> {
  return `${eventsBase}${await nameOf(runId)}:${first}-${count}`
}

/**
 * Returns the part of a key that represents an id. It consists of a readable part and a hash, so different ids get
 * different names.
 */
async function nameOf(id: string): Promise<string> {
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id))
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${['id', ...words].join('-').slice(0, 40)}-${hash.slice(0, 32)}`
}

function unreadable(key: string, written = format): CapstanError {
  const why =
    written > format
      ? `format ${written} is newer than ${format}. Use the version that wrote it.`
      : 'the value is missing or damaged. Restore it from a backup or delete the run.'
  return new CapstanError('invalid_state', `Cannot read the key "${key}": ${why}`, { evidence: { key } })
}
