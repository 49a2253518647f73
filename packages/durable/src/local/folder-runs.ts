import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CapstanError } from '@capstan/core'
import { reportFailure } from '@capstan/core/internal'
import { checkRunId } from '../settings.js'
import { type RunRecord, type RunStateStore, runConflict } from './run-store.js'

/**
 * Creates a store for runs in a folder, and creates the folder if it does not exist. Each version of a run is a
 * separate file, which gets its name only when it is complete, so a killed process or a full disk leaves the previous
 * version intact. If several writers save at the same time, even from different processes, one succeeds and the others
 * get `conflict`. This requires hard links, which local file systems support. Files have mode 0600, and a new folder
 * has mode 0700.
 * @throws CapstanError `invalid_state` for a run that is damaged or was written by a newer version; file system errors
 * unchanged
 */
export function folderRuns(folder: string): RunStateStore {
  const filesOf = (runId: string) => {
    checkRunId(runId)
    return new RunFiles(folder, runName(runId))
  }
  return {
    async load(runId) {
      const files = filesOf(runId)
      for (;;) {
        const version = (await files.versions()).at(-1)
        if (version === undefined) return undefined
        const run = await readRunFile(files.path(version), runId)
        // If the file is gone, a newer version has replaced it since the folder was listed.
        if (run) return { run, version }
      }
    },
    async save(runId, run, version) {
      const files = filesOf(runId)
      const newest = async () => (await files.versions()).at(-1) ?? 0
      if ((await newest()) !== version) throw runConflict(runId)
      const text = JSON.stringify({ format, runId, run })
      if (!(await files.write(version + 1, text))) throw runConflict(runId)
      const now = await files.versions()
      const isGone = version > 0 && now.at(-1) === version + 1 && !now.includes(version)
      // A version is removed once there are two newer ones, so this write can succeed for a version that existed
      // before. In that case, newer versions exist now.
      if (isGone || (now.at(-1) ?? 0) > version + 2) {
        await files.remove(version + 1)
        throw runConflict(runId)
      }
      for (const old of now) if (old < version) await files.remove(old)
      return version + 1
    },
    delete: (runId) => filesOf(runId).removeAll(),
    async list() {
      const found: (string | undefined)[] = []
      // A damaged file does not stop the listing. A warning names the file.
      for (const path of await newestFiles(folder)) found.push(await idIn(path).catch(ignoreFailure))
      return found.filter((id) => id !== undefined)
    },
  }
}

const format = 1

/**
 * Reads the run in a file. Undefined if the file does not exist.
 * @throws CapstanError `invalid_state` if it contains no valid run
 */
async function readRunFile(path: string, id: string): Promise<RunRecord | undefined> {
  const text = await readText(path)
  if (text === undefined) return undefined
  const { format: written, runId, run } = parseFile(text)
  if (written === format && runId === id && Object(run) === run) return run as RunRecord
  const why =
    typeof written === 'number' && written > format
      ? `format ${written} is newer than ${format}. Use the version that wrote it.`
      : incomplete
  throw unreadableFile(path, why)
}

/**
 * Reads the id of a file's run, even if the rest of the run is invalid. Undefined if the file does not exist.
 * @throws CapstanError `invalid_state` if the file contains no id that matches its name
 */
async function idIn(path: string): Promise<string | undefined> {
  const text = await readText(path)
  if (text === undefined) return undefined
  const { runId } = parseFile(text)
  if (typeof runId === 'string' && basename(path).startsWith(`${runName(runId)}.`)) return runId
  throw unreadableFile(path, incomplete)
}

function ignoreFailure(error: unknown): undefined {
  reportFailure(error)
}

const incomplete = 'the content is incomplete or not a run. Restore it from a backup or delete it.'

function unreadableFile(path: string, why: string): CapstanError {
  return new CapstanError('invalid_state', `Cannot read the run in "${path}": ${why}`, { evidence: { path } })
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
}

function parseFile(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}

/** A run's files in the folder, one per version. Once a file has its final name, it never changes. */
class RunFiles {
  readonly #folder: string
  readonly #name: string

  constructor(folder: string, name: string) {
    this.#folder = folder
    this.#name = name
  }

  /** Returns the existing versions, oldest first. */
  async versions(): Promise<readonly number[]> {
    const found = (await filesIn(this.#folder)).flatMap((file) => {
      const version = file.startsWith(`${this.#name}.`) && versionFile.exec(file)?.[1]
      return version ? [Number(version)] : []
    })
    return found.sort((a, b) => a - b)
  }

  path(version: number): string {
    return join(this.#folder, `${this.#name}.${version}.json`)
  }

  /**
   * Writes a version atomically and flushes it to disk. Returns false if another writer has already written this
   * version.
   */
  async write(version: number, text: string): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const part = join(this.#folder, `${this.#name}.${randomUUID()}.part`)
    try {
      const file = await open(part, 'wx', 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      // link() fails if the name exists, so only one writer succeeds, even across processes.
      await link(part, this.path(version))
      await syncFolder(this.#folder)
      return true
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false
      throw error
    } finally {
      await rm(part, { force: true })
    }
  }

  async remove(version: number): Promise<void> {
    await rm(this.path(version), { force: true })
  }

  /** Removes all versions. Removes the newest one last, so that no reader finds an older one in the meantime. */
  async removeAll(): Promise<void> {
    for (let left = await this.versions(); left.length > 0; left = await this.versions())
      for (const version of left) await this.remove(version)
    await syncFolder(this.#folder)
  }
}

/** Returns the paths of the newest version of each run. */
async function newestFiles(folder: string): Promise<readonly string[]> {
  const newest = new Map<string, number>()
  for (const file of await filesIn(folder)) {
    const version = Number(versionFile.exec(file)?.[1] ?? 0)
    const name = file.slice(0, file.indexOf('.'))
    if (version > (newest.get(name) ?? 0)) newest.set(name, version)
  }
  return [...newest].map(([name, version]) => join(folder, `${name}.${version}.json`))
}

const versionFile = /^[a-z0-9-]+\.(\d+)\.json$/

async function filesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
}

/** Flushes a folder to disk. Otherwise, file names may not survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and does not need to flush them.
  if (process.platform === 'win32') return
  const handle = await open(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/**
 * Returns the start of a run's file names, which consists of a readable part and a hash. Whatever the id is, the name
 * cannot lead outside the folder or to another run's file.
 */
function runName(id: string): string {
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32)
  return `${['run', ...words].join('-').slice(0, 40)}-${hash}`
}
