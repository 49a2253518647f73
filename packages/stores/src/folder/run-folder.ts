import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { entryConflict, type RunEntry } from '../run-store.js'
import { wrongFieldOf } from '../stored-json.js'
import {
  absent,
  fileName,
  format,
  hasCode,
  makeFolder,
  namesIn,
  parseFields,
  syncFolder,
  tryRename,
  unreadable,
  writeNewFile,
} from './durable-files.js'
import { newLog } from './event-log.js'

/** One version of a run's entry, as read from its file. */
export interface EntryFile {
  readonly runId: string
  readonly entry: RunEntry
  readonly version: number
  /** Random ids of the writers of this version and earlier versions. The newest writer is last. */
  readonly writers: readonly string[]
}

/** What is known about a run from the names of the files in its folder. */
export interface RunNames {
  /** An id that only this folder has. If a run is deleted and created again, its new folder has a different id. */
  readonly folderId: string
  /** The versions that have files, oldest first. */
  readonly versions: readonly number[]
  readonly newest: number
}

/**
 * A run's folder. It contains the run's id, its events, and a file for each of the last two versions of its entry. A
 * version's file never changes after it has its final name. The entire folder is created and removed by renaming it.
 * If a writer was suspended for a long time, the run may have been deleted and created again. The writer's writes then
 * have the old folder's id, and are ignored.
 */
export class RunFolder {
  readonly path: string
  readonly #parts: string
  readonly #runs: string
  readonly #runId: string

  constructor(folder: string, runId: string) {
    this.#runs = join(folder, 'runs')
    this.#parts = join(folder, 'parts')
    this.#runId = runId
    this.path = join(this.#runs, fileName('run', runId))
  }

  get logPath(): string {
    return join(this.path, 'events.jsonl')
  }

  /**
   * Returns the newest version. Undefined if the run does not exist.
   * @throws CapstanError `invalid_state` for a damaged file
   */
  async load(): Promise<EntryFile | undefined> {
    return (await this.#loadNamed())?.file
  }

  /** Creates the folder with version 1. @throws CapstanError `conflict` if the run already exists */
  async create(entryText: string): Promise<void> {
    const part = join(this.#parts, randomUUID())
    const folderId = randomName()
    try {
      await makeFolder(part)
      await writeNewFile(join(part, `${folderId}.id`), '')
      await writeNewFile(versionPath(part, folderId, 1), this.#textOf(entryText, [randomName()]))
      await writeNewFile(join(part, 'events.jsonl'), newLog())
      await syncFolder(part)
      await makeFolder(this.#runs)
      for (;;) {
        const found = await namesOf(this.path)
        if (found) throw entryConflict(this.#runId, 0, found.newest)
        if (await tryRename(part, this.path)) break
      }
      await syncFolder(this.#runs)
    } finally {
      await rm(part, { recursive: true, force: true })
    }
  }

  /**
   * Writes the version that follows `version`.
   * @throws CapstanError `conflict` if `version` is not the newest
   */
  async replace(entryText: string, version: number): Promise<void> {
    const before = await this.#loadNamed()
    if (before?.file.version !== version) throw entryConflict(this.#runId, version, before?.file.version ?? 0)
    const { folderId } = before
    const writer = randomName()
    const writers = [...before.file.writers.slice(1 - keptWriters), writer]
    const part = join(this.path, `${randomUUID()}.part`)
    try {
      await writeNewFile(part, this.#textOf(entryText, writers))
      // This fails if the name exists, so only one writer succeeds, even across processes.
      await link(part, versionPath(this.path, folderId, version + 1))
      await syncFolder(this.path)
    } catch (error) {
      // Another writer was first, or the folder has been deleted.
      if (!hasCode(error, 'EEXIST', 'ENOENT')) throw error
      throw entryConflict(this.#runId, version, (await namesOf(this.path))?.newest ?? 0)
    } finally {
      await rm(part, { force: true })
    }
    await this.#checkWritten({ folderId, version: version + 1, writer })
    for (const old of (await namesOf(this.path))?.versions ?? [])
      if (old < version) await this.#remove(folderId, old)
  }

  /** Deletes the run. Does nothing if the run does not exist. */
  async delete(): Promise<void> {
    const part = join(this.#parts, randomUUID())
    await makeFolder(this.#parts)
    const isThere = await rename(this.path, part).then(() => true, absent)
    if (!isThere) return
    await syncFolder(this.#runs)
    await rm(part, { recursive: true, force: true })
  }

  async #loadNamed(): Promise<{ readonly file: EntryFile; readonly folderId: string } | undefined> {
    for (;;) {
      const names = await namesOf(this.path)
      if (!names) return undefined
      const { folderId, newest } = names
      const file = await readEntry(this.path, folderId, newest)
      if (file && file.runId !== this.#runId)
        throw unreadable(versionPath(this.path, folderId, newest), format)
      // If the file is gone, a newer version has replaced it since the folder was listed.
      if (file) return { file, folderId }
    }
  }

  /**
   * Checks that the version that was just written is valid. A version's file is removed once there are two newer
   * versions, so a writer that was suspended for a long time may write a file with the same name again. The writers in
   * the newest version show which writer was first.
   * @throws CapstanError `conflict` if a different writer was first
   */
  async #checkWritten(written: { folderId: string; version: number; writer: string }): Promise<void> {
    const { folderId, version, writer } = written
    const names = await namesOf(this.path)
    if (names?.folderId === folderId && names.newest < version + 2) return
    const now = await this.#loadNamed()
    const isSame = now?.folderId === folderId
    const at = isSame ? now.file.writers.length - 1 - (now.file.version - version) : -1
    if (now?.file.writers[at] === writer) return
    await this.#remove(folderId, version)
    throw entryConflict(this.#runId, version - 1, now?.file.version ?? 0)
  }

  async #remove(folderId: string, version: number): Promise<void> {
    await rm(versionPath(this.path, folderId, version), { force: true })
  }

  #textOf(entryText: string, writers: readonly string[]): string {
    const head = JSON.stringify({ format, runId: this.#runId, writers })
    return `${head.slice(0, -1)},"entry":${entryText}}`
  }
}

/** The number of writers that each version lists. */
const keptWriters = 16

function randomName(): string {
  return randomBytes(6).toString('hex')
}

/**
 * Returns what a run's folder contains. Undefined if the folder does not exist.
 * @throws CapstanError `invalid_state` if it has no version
 */
export async function namesOf(path: string): Promise<RunNames | undefined> {
  const names = await namesIn(path)
  const folderId = names.find((name) => name.endsWith('.id'))?.slice(0, -'.id'.length)
  if (folderId === undefined) return undefined
  const found = names.flatMap((name) => {
    const [, version, of] = /^(\d+)-([0-9a-f]+)\.json$/.exec(name) ?? []
    return of === folderId ? [Number(version)] : []
  })
  const versions = found.sort((a, b) => a - b)
  const newest = versions.at(-1)
  if (newest === undefined) throw unreadable(path, format)
  return { folderId, versions, newest }
}

/** Reads a version. Undefined if its file does not exist. @throws CapstanError `invalid_state` for a damaged file */
export async function readEntry(
  path: string,
  folderId: string,
  version: number,
): Promise<EntryFile | undefined> {
  const file = versionPath(path, folderId, version)
  const text = await readFile(file, 'utf8').catch(absent)
  if (text === undefined) return undefined
  const { format: written, runId, writers, entry } = parseFields(text)
  const isComplete = typeof runId === 'string' && Array.isArray(writers) && wrongFieldOf(entry) === undefined
  if (written !== format || !isComplete) throw unreadable(file, written)
  return { runId, entry: entry as RunEntry, version, writers }
}

function versionPath(path: string, folderId: string, version: number): string {
  return join(path, `${version}-${folderId}.json`)
}
