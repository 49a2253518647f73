import { createHash } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reportFailure, serialByKey } from '../async.js'
import { pullStream } from '../bytes.js'
import { checkRequiredOption } from '../option-names.js'
import {
  type Artifact,
  type ArtifactKind,
  type ArtifactStore,
  isArtifact,
  isArtifactId,
  withMark,
} from './artifact.js'
import { type Content, contentOf, eachPart, keepDescribed, noArtifact } from './memory-artifacts.js'

/** An artifact store whose artifacts are files that you can open by path. */
export interface FolderArtifacts extends ArtifactStore {
  /** Returns the path of an artifact's file. Does not check that the file exists. */
  pathOf(artifact: Artifact): string
}

/**
 * Creates an artifact store in a folder, which is created if it is missing. Each artifact is stored as a file with the
 * usual extension for its type, and a JSON file that describes it. An artifact whose file has been deleted or truncated
 * counts as missing until it is stored again. Writes are atomic. Ids are checked, so no id can lead to a path outside
 * the folder. Files have mode 0600; a new folder has mode 0700.
 */
export function folderArtifacts(folder: string): FolderArtifacts {
  checkRequiredOption({ folder }, { folder: 'a string' }, { of: 'folderArtifacts', required: 'folder' })
  const pathOf = (artifact: Artifact) => join(folder, artifactFile(artifact))
  const stat = async (id: string) => (await findEntry(folder, id))?.artifact
  // Also returns entries without a file, because another process may be writing the file.
  const entryOf = async (id: string) => (await readEntry(folder, id))?.artifact
  const turn = serialByKey()
  const keep = <One extends Artifact>(artifact: One, write?: (path: string) => Promise<void>) =>
    turn(artifact.id, async () => {
      const at = performance.timeOrigin + performance.now()
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const { artifact: there, ...entry } = await claimEntry(folder, { artifact, at })
      if (there.sha256 !== artifact.sha256) return undefined
      if (write && !(await findEntry(folder, artifact.id))) await write(pathOf(there))
      const marked = withMark(there, artifact)
      if (marked !== there)
        await writeWhole(
          join(folder, entryFile(there.id)),
          JSON.stringify({ ...entry, artifact: marked } satisfies Entry),
        )
      return marked as One
    })
  // An artifact of another kind with the same bytes already has its own file.
  const keeping = (kind: ArtifactKind, write: (path: string) => Promise<void>) => ({
    stat: entryOf,
    keep: <One extends Artifact>(artifact: One) => keep(artifact, artifact.kind === kind ? write : undefined),
  })
  return {
    pathOf,
    async put(data, info) {
      if (data instanceof Uint8Array) {
        const write = (path: string) => writeWhole(path, data)
        return keepDescribed(await contentOf(data), info, keeping(info.kind, write))
      }
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await using part = await writePart(folder, data)
      const { path, sha256, size } = part
      const write = (to: string) => rename(path, to)
      return await keepDescribed({ sha256, size }, info, keeping(info.kind, write))
    },
    async open(id) {
      const entry = await findEntry(folder, id)
      const stream = entry && (await openFile(pathOf(entry.artifact)))
      if (!stream) throw noArtifact(id)
      return stream
    },
    stat,
    list: async () => (await listEntries(folder)).map(({ artifact }) => artifact),
    async delete(id) {
      const entry = await readEntry(folder, id)
      if (!entry) return
      await turn(id, async () => {
        // The entry is removed last: while the entry exists, no other content can take its id and file name.
        await rm(pathOf(entry.artifact), { force: true })
        await rm(join(folder, entryFile(id)), { force: true })
      })
    },
  }
}

/** Opens the file immediately, so that a file that was deleted after the lookup is reported as missing. */
async function openFile(path: string): Promise<ReadableStream<Uint8Array> | undefined> {
  const file = await open(path).catch(absent)
  if (!file) return undefined
  return pullStream({
    read: async (into) => (await file.read(into, 0, into.byteLength)).bytesRead,
    close: () => file.close(),
  })
}

/** The content of a JSON file that describes an artifact. */
interface Entry {
  readonly artifact: Artifact
  /** When the artifact was first stored, in milliseconds since 1970. Used to sort `list`. */
  readonly at: number
}

/** Reads an id's entry, whether or not the artifact's file exists. */
async function readEntry(folder: string, id: string): Promise<Entry | undefined> {
  if (!isArtifactId(id)) return undefined
  const text = await readFile(join(folder, entryFile(id)), 'utf8').catch(absent)
  return text === undefined ? undefined : toEntry(text, id)
}

/**
 * Writes an id's entry if there is none, and returns the stored entry. Processes that do this at the same time all get
 * the same entry.
 */
async function claimEntry(folder: string, entry: Entry): Promise<Entry> {
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
    // The existing entry is damaged.
    await rename(unfinished, path)
    return (await readEntry(folder, id)) ?? entry
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Creates a file atomically, with its content, unless the file exists. */
async function writeNew(path: string, unfinished: string, text: string): Promise<void> {
  try {
    await link(unfinished, path)
  } catch (error) {
    if (isTaken(error)) return
    // Some file systems do not support links.
    await writeFile(path, text, { mode: 0o600, flag: 'wx' }).catch((error) => {
      if (!isTaken(error)) throw error
    })
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
}

/** Returns an id's entry. Undefined if the artifact's file is missing or has the wrong size. */
async function findEntry(folder: string, id: string): Promise<Entry | undefined> {
  const entry = await readEntry(folder, id)
  if (!entry) return undefined
  const file = await stat(join(folder, artifactFile(entry.artifact))).catch(absent)
  return file?.isFile() && file.size === entry.artifact.size ? entry : undefined
}

/** Returns the entries of all complete artifacts, oldest first. */
async function listEntries(folder: string): Promise<Entry[]> {
  const names = (await readdir(folder).catch(absent)) ?? []
  const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
  const entries = await Promise.all(ids.map((id) => findEntry(folder, id).catch(reportFailure)))
  return entries.filter((entry) => entry !== undefined).sort((a, b) => a.at - b.at)
}

/** Replaces a file atomically: readers see either the old content or the new. */
async function writeWhole(path: string, data: Uint8Array | string): Promise<void> {
  const unfinished = `${path}.${crypto.randomUUID()}.part`
  await writeFile(unfinished, data, { mode: 0o600 })
  await rename(unfinished, path)
}

/** Returns the name of an entry's file. Its ending differs from that of any artifact's file, even a JSON artifact's. */
function entryFile(id: string): string {
  return id + suffix
}

const suffix = '.artifact.json'

/** Parses an entry. Undefined if the entry is damaged or belongs to a different id. */
function toEntry(text: string, id: string): Entry | undefined {
  try {
    const { artifact, at } = JSON.parse(text) as Entry
    const named: unknown = { ...artifact, id }
    return isArtifact(named) ? { artifact: named, at } : undefined
  } catch {
    return undefined
  }
}

/** For `catch`: returns undefined if a file is missing, and rethrows any other error. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}

/**
 * Returns the name of an artifact's file. The name contains only the id and the type, which have been checked for path
 * characters.
 */
function artifactFile({ id, mediaType }: Pick<Artifact, 'id' | 'mediaType'>): string {
  return `${id}.${extensionOf(mediaType)}`
}

const extensions: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['text/plain', 'txt'],
  ['application/x-subrip', 'srt'],
  ['application/octet-stream', 'bin'],
])

function extensionOf(mediaType: string): string {
  const [type = ''] = mediaType.split(';')
  return extensions.get(type.trim()) ?? /^[a-z]+\/(?:x-)?([a-z0-9]+)$/.exec(type.trim())?.[1] ?? 'bin'
}

/** A file with bytes that do not belong to an artifact yet. */
interface PartFile extends Content, AsyncDisposable {
  readonly path: string
}

/** Writes a stream to a file without loading it into memory. Disposing of the result removes the file. */
async function writePart(folder: string, data: ReadableStream<Uint8Array>): Promise<PartFile> {
  const path = join(folder, `${crypto.randomUUID()}.part`)
  const remove = () => rm(path, { force: true })
  const hash = createHash('sha256')
  let size = 0
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of eachPart(data)) {
        hash.update(chunk)
        size += chunk.byteLength
        await file.writeFile(chunk)
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    await remove()
    throw error
  }
  return { path, sha256: hash.digest('hex'), size, [Symbol.asyncDispose]: remove }
}
