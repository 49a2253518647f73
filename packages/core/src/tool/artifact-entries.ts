import { link, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Artifact, isArtifact, isArtifactId } from '../words/artifact.js'
import { artifactFile } from './artifact-file.js'

/** What a folder's JSON files say of its artifacts. */
export interface Entry {
  readonly artifact: Artifact
  /** When it was put, in milliseconds: the order of the list. */
  readonly at: number
}

/** What is said of an id, whether or not its bytes are there. */
export async function readEntry(folder: string, id: string): Promise<Entry | undefined> {
  if (!isArtifactId(id)) return undefined
  const text = await readFile(join(folder, entryFile(id)), 'utf8').catch(absent)
  return text === undefined ? undefined : toEntry(text, id)
}

/** Writes an entry, unless its id has one, and returns the one that the id has. One of several processes wins. */
export async function claimEntry(folder: string, entry: Entry): Promise<Entry> {
  const { id } = entry.artifact
  const there = await readEntry(folder, id)
  if (there) return there
  const path = join(folder, entryFile(id))
  const unfinished = `${path}.${crypto.randomUUID()}.part`
  const text = JSON.stringify(entry)
  await writeFile(unfinished, text, { mode: 0o600 })
  try {
    await writeNew(path, unfinished, text)
    const written = await readEntry(folder, id)
    if (written) return written
    // The one that was there is spoilt.
    await rename(unfinished, path)
    return (await readEntry(folder, id)) ?? entry
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Writes a file as a whole, unless there is one. */
async function writeNew(path: string, unfinished: string, text: string): Promise<void> {
  try {
    await link(unfinished, path)
  } catch (error) {
    if (isTaken(error)) return
    // Not every file system has links.
    await writeFile(path, text, { mode: 0o600, flag: 'wx' }).catch((error) => {
      if (!isTaken(error)) throw error
    })
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
}

/** The entry of an artifact that is there: with a file of the size that is said of it. */
export async function findEntry(folder: string, id: string): Promise<Entry | undefined> {
  const entry = await readEntry(folder, id)
  if (!entry) return undefined
  const file = await stat(join(folder, artifactFile(entry.artifact))).catch(absent)
  return file?.isFile() && file.size === entry.artifact.bytes ? entry : undefined
}

/** Entries of all artifacts that are there, oldest first. */
export async function listEntries(folder: string): Promise<Entry[]> {
  const names = (await readdir(folder).catch(absent)) ?? []
  const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
  const entries = await Promise.all(ids.map((id) => findEntry(folder, id)))
  return entries.filter((entry) => entry !== undefined).sort((a, b) => a.at - b.at)
}

/** A reader sees the old file or the new one, never half of it. */
export async function writeWhole(path: string, data: Uint8Array | string): Promise<void> {
  const unfinished = `${path}.${crypto.randomUUID()}.part`
  await writeFile(unfinished, data, { mode: 0o600 })
  await rename(unfinished, path)
}

/** The name of an entry's file: no artifact's own file ends so, not even one of JSON. */
export function entryFile(id: string): string {
  return id + suffix
}

const suffix = '.artifact.json'

/** An entry describes the id it is named for, and nothing else; a spoilt description describes nothing. */
function toEntry(text: string, id: string): Entry | undefined {
  try {
    const { artifact, at } = JSON.parse(text) as Entry
    const named: unknown = { ...artifact, id }
    return isArtifact(named) ? { artifact: named, at } : undefined
  } catch {
    return undefined
  }
}

/** For `catch`: a file that is not there is no error. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
