import { randomUUID } from 'node:crypto'
import { readFile, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json } from '@capstan/core'
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

/**
 * The values of `setOnce`. Each key has a folder with one file, whose name contains the expiry of the value and a
 * unique part. The folder is created complete, by a rename, which fails if a folder with a file exists. So removing an
 * expired file by its name cannot remove the value that replaced it.
 */
export class KeyFolder {
  readonly #keys: string
  readonly #parts: string
  /** The number of new values before expired ones are removed: at least as many as existed last time. */
  #untilSweep = 100

  constructor(folder: string) {
    this.#keys = join(folder, 'keys')
    this.#parts = join(folder, 'parts')
  }

  async setOnce(key: string, valueText: string, expiresAt: number | undefined): Promise<boolean> {
    const path = this.#pathOf(key)
    if (await this.#current(path)) return false
    const part = join(this.#parts, randomUUID())
    try {
      await makeFolder(part)
      const head = JSON.stringify({ format, key })
      const file = `${expiresAt ?? 'always'}.${randomUUID()}.json`
      await writeNewFile(join(part, file), `${head.slice(0, -1)},"value":${valueText}}`)
      await syncFolder(part)
      await makeFolder(this.#keys)
      while (!(await tryRename(part, path))) {
        if (await this.#current(path)) return false
        // Windows gives a folder no name that an empty folder has.
        await rmdir(path).catch(ignoreUsed)
      }
      await syncFolder(this.#keys)
    } finally {
      await rm(part, { recursive: true, force: true })
    }
    this.#untilSweep--
    if (this.#untilSweep === 0) this.#untilSweep = Math.max(100, await this.#sweep())
    return true
  }

  /** Returns the value of a key. @throws CapstanError `invalid_state` */
  async find(key: string): Promise<Json | undefined> {
    for (;;) {
      const file = await this.#current(this.#pathOf(key))
      if (file === undefined) return undefined
      const text = await readFile(file, 'utf8').catch(absent)
      // Expired, and removed by another process since the folder was listed.
      if (text === undefined) continue
      const { format: written, key: stored, value } = parseFields(text)
      if (written !== format || stored !== key || value === undefined) throw unreadable(file, written)
      return value as Json
    }
  }

  /** Returns the file of a valid key. Removes an expired one. */
  async #current(path: string): Promise<string | undefined> {
    for (const name of await namesIn(path)) {
      const file = join(path, name)
      const end = name.split('.')[0]
      if (end === 'always' || Number(end) > Date.now()) return file
      await rm(file, { force: true })
    }
    return undefined
  }

  /** Removes expired values, and folders that become empty. Returns the number of values that stay. */
  async #sweep(): Promise<number> {
    let left = 0
    for (const name of await namesIn(this.#keys)) {
      const path = join(this.#keys, name)
      if (await this.#current(path)) left++
      else await rmdir(path).catch(ignoreUsed)
    }
    return left
  }

  #pathOf(key: string): string {
    return join(this.#keys, fileName('key', key))
  }
}

/** For `catch`: ignores a folder that is missing, or that contains files again. */
function ignoreUsed(error: unknown): void {
  if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM')) throw error
}
