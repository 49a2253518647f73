import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkRequiredOption, reportFailure, serialByKey } from '@capstan/core/internal'
import { fits, type ListedFields, listedFields, selectRuns, toAfter } from '../list-query.js'
import { checkKey, checkRunId, type RunPage, type RunQuery, type RunStore } from '../run-store.js'
import {
  checkAfterSeq,
  checkExpiry,
  checkLimit,
  checkVersion,
  toEntryText,
  toEventTexts,
  toValueText,
} from '../stored-json.js'
import { absent, namesIn } from './durable-files.js'
import { EventLogs } from './event-log.js'
import { KeyFolder } from './key-folder.js'
import { type EntryFile, namesOf, RunFolder, readEntry } from './run-folder.js'

/**
 * Creates a run store in a folder, and creates the folder if it does not exist. All processes on one machine can share
 * the store. When a write resolves, its data is on disk. If a process is killed, no partial entry or event remains. If
 * several writers change a run at the same time, even from different processes, one succeeds and the others get
 * `conflict`. Use a local file system, because network file systems do not append atomically. Readers in other
 * processes poll every 250 ms. Files have mode 0600, and new folders have mode 0700.
 * @throws CapstanError `invalid_state`, with the path, for a file that is damaged or was written by a newer version;
 * file system errors unchanged
 */
export function folderRunStore(folder: string): RunStore {
  checkRequiredOption({ folder }, { folder: 'a string' }, { of: 'folderRunStore', required: 'folder' })
  const turn = serialByKey()
  const logs = new EventLogs()
  const keys = new KeyFolder(folder)
  const listed = new ListedRuns(join(folder, 'runs'))
  const swept = sweepOnce(join(folder, 'parts'))
  const runOf = (runId: string) => {
    checkRunId(runId)
    return new RunFolder(folder, runId)
  }
  return {
    async get(runId) {
      const file = await runOf(runId).load()
      return file && { entry: file.entry, version: file.version }
    },
    async put(runId, entry, version) {
      const run = runOf(runId)
      checkVersion(version)
      const text = toEntryText(entry)
      await swept()
      await turn(runId, () => (version === 0 ? run.create(text) : run.replace(text, version)))
      return version + 1
    },
    async append(runId, events, afterSeq) {
      const { logPath } = runOf(runId)
      const texts = toEventTexts(events, afterSeq)
      await turn(runId, () => logs.append(logPath, { runId, texts, afterSeq }))
    },
    async read(runId, afterSeq, limit = 1000) {
      const { logPath } = runOf(runId)
      checkAfterSeq(afterSeq)
      checkLimit(limit)
      return logs.read(logPath, afterSeq, limit)
    },
    list: (query) => listed.page(query),
    async setOnce(key, value, expiresAt) {
      checkKey(key)
      checkExpiry(expiresAt)
      const text = toValueText(value)
      await swept()
      return turn(`key ${key}`, () => keys.setOnce(key, text, expiresAt))
    },
    async find(key) {
      checkKey(key)
      return keys.find(key)
    },
    async delete(runId) {
      const run = runOf(runId)
      await turn(runId, () => run.delete())
    },
  }
}

/** Lists the runs in a folder. Reads each version of a run only once, because versions never change. */
class ListedRuns {
  readonly #runs: string
  readonly #known = new Map<string, KnownRun>()

  constructor(runs: string) {
    this.#runs = runs
  }

  async page(query: RunQuery): Promise<RunPage> {
    checkLimit(query.limit)
    const names = await namesIn(this.#runs)
    const fields = await inBatches(names, (name) => this.#fieldsOf(name))
    const isThere = new Set(names)
    for (const name of this.#known.keys()) if (!isThere.has(name)) this.#known.delete(name)
    const selected = selectRuns(
      fields.filter((one) => one !== undefined),
      query,
    )
    const onPage = selected.slice(0, query.limit)
    const found = await inBatches(onPage, ({ name }) => loadListed(join(this.#runs, name)))
    // A run may have changed after it was selected.
    const runs = found.flatMap((file) =>
      file && fits(listedFields(file.runId, file.entry), query)
        ? [{ runId: file.runId, entry: file.entry, version: file.version }]
        : [],
    )
    const last = onPage.at(-1)
    return selected.length > query.limit && last ? { runs, after: toAfter(last) } : { runs }
  }

  /**
   * Returns the fields by which a run is listed. If the run cannot be read, returns undefined and emits one process
   * warning.
   */
  async #fieldsOf(name: string): Promise<NamedFields | undefined> {
    const path = join(this.#runs, name)
    for (;;) {
      const names = await namesOf(path).catch(ignoreFailure)
      if (!names) return undefined
      const identity = `${names.folderId} ${names.newest}`
      const known = this.#known.get(name)
      if (known?.identity === identity) return known.fields
      const file = await readEntry(path, names.folderId, names.newest).catch(ignoreFailure)
      // If the file is gone, a newer version has replaced it since the folder was listed.
      if (file === undefined) continue
      const fields = file ? { ...listedFields(file.runId, file.entry), name } : undefined
      this.#known.set(name, { identity, fields })
      return fields
    }
  }
}

type NamedFields = ListedFields & { readonly name: string }

interface KnownRun {
  /** The folder's id and the version, which together identify the content. */
  readonly identity: string
  readonly fields: NamedFields | undefined
}

/**
 * Reads a run's newest version. Undefined if the run no longer exists or is damaged. Emits a warning if it is damaged.
 */
async function loadListed(path: string): Promise<EntryFile | undefined> {
  for (;;) {
    const names = await namesOf(path).catch(ignoreFailure)
    if (!names) return undefined
    const file = await readEntry(path, names.folderId, names.newest).catch(ignoreFailure)
    if (file !== undefined) return file ?? undefined
  }
}

/** Reports a run that cannot be read as a warning, so that listing continues without it. Pass it to `catch`. */
function ignoreFailure(error: unknown): null {
  reportFailure(error)
  return null
}

/** Applies `work` to all items, at most 32 at a time. Returns the results in order. */
async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += 32)
    results.push(...(await Promise.all(items.slice(at, at + 32).map(work))))
  return results
}

/**
 * Returns a function that removes files left by killed processes more than an hour ago. Only its first call does so.
 */
function sweepOnce(parts: string): () => Promise<void> {
  let sweeping: Promise<void> | undefined
  const sweep = async () => {
    for (const name of await namesIn(parts)) {
      const path = join(parts, name)
      const info = await stat(path).catch(absent)
      if (info && info.mtimeMs < Date.now() - 3_600_000) await rm(path, { recursive: true, force: true })
    }
  }
  return () => (sweeping ??= sweep().catch(reportFailure))
}
