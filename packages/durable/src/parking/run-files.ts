import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Files of one run in a folder: each version is a file of its own, which never changes once it has its name. */
export class RunFiles {
  readonly #folder: string
  readonly #name: string

  constructor(folder: string, name: string) {
    this.#folder = folder
    this.#name = name
  }

  /** The versions that are there, the oldest first. */
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

  /** Writes a version, whole and for good. False when somebody else has written it. */
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
      // A second name is given only where nobody has it: of two writers one comes first, in whatever processes.
      await link(part, this.path(version))
      await syncFolder(this.#folder)
      return true
    } catch (error) {
      if (isCode(error, 'EEXIST')) return false
      throw error
    } finally {
      await rm(part, { force: true })
    }
  }

  async remove(version: number): Promise<void> {
    await rm(this.path(version), { force: true })
  }

  /** Removes all of the run, the newest last: nobody finds an older one meanwhile. */
  async removeAll(): Promise<void> {
    for (let left = await this.versions(); left.length > 0; left = await this.versions())
      for (const version of left) await this.remove(version)
    await syncFolder(this.#folder)
  }
}

/** The newest file of each run. */
export async function newestFiles(folder: string): Promise<readonly string[]> {
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
    if (isCode(error, 'ENOENT')) return []
    throw error
  })
}

/** Which files a folder has outlasts a power failure only when the folder is written out as well. */
async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and needs none of this.
  if (process.platform === 'win32') return
  const handle = await open(folder).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  })
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
