import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename } from 'node:fs/promises'
import { CapstanError } from '@capstan/core'

/** The format version of all files. */
export const format = 1

/** Creates a file with mode 0600. Its content is on disk when this returns; its name is on disk after `syncFolder`. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Creates a folder and its parents with mode 0700 if they are missing. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

/** Renames a folder. Returns false if the name belongs to a folder with files. */
export async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    // The last is what Windows reports.
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM')) return false
    throw error
  }
}

/** Flushes a folder. Only then do file names survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders and does not need this.
  if (process.platform === 'win32') return
  const handle = await open(folder).catch(absent)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

/** Returns the names in a folder; none if it is missing. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(absent)) ?? []
}

/** For `catch`: returns undefined if a file or folder is missing. */
export function absent(error: unknown): undefined {
  if (hasCode(error, 'ENOENT')) return undefined
  throw error
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String(Object(error).code))
}

/** Returns a file name for an id: a readable part and a hash. No id leads outside its folder or to another id's file. */
export function fileName(prefix: string, id: string): string {
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32)
  return `${[prefix, ...words].join('-').slice(0, 40)}-${hash}`
}

/** Creates the error for a file that cannot be read. */
export function unreadable(path: string, written: unknown): CapstanError {
  const isNewer = typeof written === 'number' && written > format
  const why = isNewer
    ? `format ${written} is newer than ${format}. Use the version that wrote it.`
    : 'the content is damaged. Restore it from a backup or delete the run.'
  return new CapstanError('invalid_state', `Cannot read "${path}": ${why}`, { evidence: { path } })
}

/** Parses a JSON object. Returns `{}` for any other text. */
export function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}
