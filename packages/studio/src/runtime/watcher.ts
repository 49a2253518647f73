import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * Watches files for changes. Watches the folders of the files, because editors replace files instead of changing them.
 */
export class FileWatcher {
  readonly #onChange: () => void
  readonly #folders = new Map<string, { readonly watcher: FSWatcher; readonly names: Set<string> }>()
  readonly #stamps = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Watches more files, which do not have to exist yet. */
  add(files: readonly string[]): void {
    for (const file of files) {
      if (this.#stamps.has(file)) continue
      this.#stamps.set(file, stampOf(file))
      const folder = dirname(file)
      const known = this.#folders.get(folder)
      if (known) known.names.add(basename(file))
      else this.#watch(folder, new Set([basename(file)]))
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const { watcher } of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #watch(folder: string, names: Set<string>): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || names.has(name)) this.#check()
      })
      watcher.on('error', () => watcher.close())
      this.#folders.set(folder, { watcher, names })
    } catch {
      // The folder no longer exists, so it cannot be watched.
    }
  }

  /** Waits until the editor has finished writing. Then, if one of the files has actually changed, reports a change. */
  #check(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      let isChanged = false
      for (const [file, before] of this.#stamps) {
        const now = stampOf(file)
        if (now === before) continue
        this.#stamps.set(file, now)
        isChanged = true
      }
      if (isChanged) this.#onChange()
    }, debounceMs)
  }
}

const debounceMs = 50

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : ''
}
