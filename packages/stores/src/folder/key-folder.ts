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
 * Stores the values of `setOnce`. Each key has a folder with one file. The file's name contains the time at which the
 * value expires, and a unique part. When the folder is complete, it is renamed to its final name. The rename fails if
 * a folder with that name already contains a file. Because file names are unique, removing an expired file cannot
 * remove the value that replaced it.
 */
export class KeyFolder {
  readonly #keys: string
  readonly #parts: string
  /**
   * How many more values can be stored before expired ones are removed. After each removal, this is set to the number
   * of remaining values, or to 100 if fewer remain.
   */
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
        // On Windows, the rename fails even if the existing folder is empty, so remove that folder.
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

  /** Returns a key's value. Undefined if there is none. @throws CapstanError `invalid_state` for a damaged file */
  async find(key: string): Promise<Json | undefined> {
    for (;;) {
      const file = await this.#current(this.#pathOf(key))
      if (file === undefined) return undefined
      const text = await readFile(file, 'utf8').catch(absent)
      // The value has expired, and another process has removed its file since the folder was listed.
      if (text === undefined) continue
      const { format: written, key: stored, value } = parseFields(text)
      if (written !== format || stored !== key || value === undefined) throw unreadable(file, written)
      return value as Json
    }
  }

  /**
   * Returns the path of a key's file. Undefined if there is none. An expired file is removed, and counts as missing.
   */
  async #current(path: string): Promise<string | undefined> {
    for (const name of await namesIn(path)) {
      const file = join(path, name)
      const end = name.split('.')[0]
      if (end === 'always' || Number(end) > Date.now()) return file
      await rm(file, { force: true })
    }
    return undefined
  }

  /** Removes expired values, and folders that become empty. Returns the number of remaining values. */
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

/** Ignores the error that a folder no longer exists or contains a file again. Pass it to `catch`. */
function ignoreUsed(error: unknown): void {
  if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM')) throw error
}
