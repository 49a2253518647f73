import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename } from 'node:fs/promises'
import { CapstanError } from '@capstan/core'

/** The version of the file format. Files with a different version are rejected. */
export const format = 1

/**
 * Creates a file with mode 0600. When the promise resolves, the content is on disk. The file's name is on disk only
 * after `syncFolder`.
 */
export async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Creates a folder with mode 0700, and its parents, if it does not exist. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

/** Renames a folder. Returns false if a folder with the new name exists and contains files. */
export async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    // On Windows, the code is EPERM.
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM')) return false
    throw error
  }
}

/** Flushes a folder to disk. Otherwise, file names may not survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and does not need to flush them.
  if (process.platform === 'win32') return
  const handle = await open(folder).catch(absent)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

/** Returns the names of a folder's files. Empty if the folder does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(absent)) ?? []
}

/**
 * Returns undefined for an error about a file or folder that does not exist. Pass it to `catch`.
 * @throws every other error
 */
export function absent(error: unknown): undefined {
  if (hasCode(error, 'ENOENT')) return undefined
  throw error
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String(Object(error).code))
}

/**
 * Returns a file name for an id, which consists of a readable part and a hash. Whatever the id is, the name cannot lead
 * outside the folder or to another id's file.
 */
export function fileName(prefix: string, id: string): string {
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32)
  return `${[prefix, ...words].join('-').slice(0, 40)}-${hash}`
}

/** Returns the error for a file that is damaged or has a newer format. `written` is the format in the file. */
export function unreadable(path: string, written: unknown): CapstanError {
  const isNewer = typeof written === 'number' && written > format
  const why = isNewer
    ? `format ${written} is newer than ${format}. Use the version that wrote it.`
    : 'the content is damaged. Restore it from a backup or delete the run.'
  return new CapstanError('invalid_state', `Cannot read "${path}": ${why}`, { evidence: { path } })
}

/** Parses a JSON object. Returns `{}` if the text is not JSON. */
export function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}
