import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { absent } from '../artifacts/folder-artifacts.js'
import { reportFailure, serialByKey } from '../async.js'
import { isRecord } from '../json.js'
import { checkRequiredOption } from '../option-names.js'
import type { Message } from '../types/message.js'
import {
  type Addition,
  checkSessionId,
  checkVersion,
  type Entry,
  nameWithHash,
  originOf,
  rootOf,
  type Tree,
  toAddition,
  toFork,
  toPage,
  toTree,
  toVersionChain,
  unreadableSession,
  type VersionChain,
  withMessages,
} from './session.js'
import { type Session, type SessionInfo, type SessionStore, sessionStore } from './session-store.js'

/**
 * Creates a session store in a folder, which is created if it is missing. Each session is a file of JSON lines. Each
 * append is one line, which is on disk before the promise resolves. A process that is killed leaves no partial append.
 * If several writers append at the same time, even in different processes, the first one wins and the others get
 * `conflict`. Use a local file system: network file systems do not append atomically. `list` reads every file;
 * `branches` reads the files of one tree. Files have mode 0600; a new folder has mode 0700.
 * @throws CapstanError `invalid_state` for a session whose file is incomplete or was written by a newer version
 */
export function folderSessions(folder: string): SessionStore {
  checkRequiredOption({ folder }, { folder: 'a string' }, { of: 'folderSessions', required: 'folder' })
  const turn = serialByKey()
  const pathOf = (id: string) => join(folder, fileOf(id))
  const find = async (id: string): Promise<SessionLog | undefined> => {
    checkSessionId(id)
    const bytes = await readFile(pathOf(id)).catch(absent)
    return bytes && parseLog(readLines(bytes), id)
  }
  const load = async (id: string): Promise<Session & Tree> => {
    const log = await find(id)
    const { taken, version } = log ? readable(pathOf(id), id, log) : nothing
    const messages = taken.flatMap((line) => line.messages)
    return { id, version, messages, ...originOf(taken[0]), root: rootOf(id, taken[0]) }
  }
  return sessionStore({
    async load(id) {
      const { root: _, ...session } = await load(id)
      return session
    },
    async append(id, messages, expectedVersion) {
      const addition = toAddition(id, messages, expectedVersion)
      await turn(id, async () => appendLine(pathOf(id), addition))
      return expectedVersion + addition.count
    },
    async list(query) {
      const names = (await readdir(folder).catch(absent)) ?? []
      const infos = await infosOf(
        folder,
        names.filter((name) => name.endsWith(extension)),
      )
      return toPage(
        infos.map(({ info }) => info),
        query,
      )
    },
    async delete(id) {
      await turn(id, async () => {
        const root = rootOf(id, (await find(id))?.taken[0])
        await rm(pathOf(id), { force: true })
        if (root !== id) await rm(join(folder, markOf(root, id)), { force: true })
        await syncFolder(folder)
      })
    },
    async fork(id, at, newId) {
      const origin = await load(id)
      const addition = toFork(origin, at, newId)
      await turn(newId, async () => {
        // The mark comes first: a mark without a session is ignored.
        await (await openNew(join(folder, markOf(origin.root, newId))))?.close()
        await appendLine(pathOf(newId), addition)
      })
      return at
    },
    async branches(id) {
      const root = rootOf(id, (await find(id))?.taken[0])
      return toTree(await infosOf(folder, await filesOfTree(folder, root)), root)
    },
  })
}

/** Returns the names of the files that contain the root and the branches of a session tree. */
async function filesOfTree(folder: string, root: string): Promise<readonly string[]> {
  const start = markOf(root)
  const names = (await readdir(folder).catch(absent)) ?? []
  const marks = names.filter((name) => name.startsWith(start) && name.endsWith(branchExtension))
  return [fileOf(root), ...marks.map((name) => name.slice(start.length, -branchExtension.length) + extension)]
}

const nothing: VersionChain<SessionLine> = { taken: [], version: 0 }

const extension = '.jsonl'
const branchExtension = '.branch'

/**
 * Returns the name of the empty file that records a branch under its root. Without `id`, returns the prefix of these
 * names.
 */
function markOf(root: string, id?: string): string {
  const start = `${nameOf(root)}_`
  return id === undefined ? start : start + nameOf(id) + branchExtension
}

/** Maximum number of files that `list` and `branches` read concurrently. */
const filesAtOnce = 32

function fileOf(id: string): string {
  return nameOf(id) + extension
}

function nameOf(id: string): string {
  return nameWithHash(id, createHash('sha256').update(id).digest('hex'))
}

/** For `catch`: skips a file that cannot be read, with a process warning unless the file no longer exists. */
function unlisted(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') reportFailure(error)
}

/** A session's info, with the root of its tree. */
interface Listed extends Tree {
  readonly info: SessionInfo
}

async function infosOf(folder: string, files: readonly string[]): Promise<Listed[]> {
  const infos: (Listed | undefined)[] = []
  for (let at = 0; at < files.length; at += filesAtOnce)
    infos.push(...(await Promise.all(files.slice(at, at + filesAtOnce).map((file) => infoOf(folder, file)))))
  return infos.filter((info) => info !== undefined)
}

/**
 * Returns a session's info, even if the session cannot be read completely, because such a session can still be deleted.
 */
async function infoOf(folder: string, file: string): Promise<Listed | undefined> {
  const bytes = await readFile(join(folder, file)).catch(unlisted)
  if (!bytes) return undefined
  const lines = readLines(bytes)
  const id = idsIn(lines).find((id) => fileOf(id) === file)
  if (id === undefined) return undefined
  const { taken, version, fault } = parseLog(lines, id)
  if (taken.length === 0 && fault === undefined) return undefined
  const updatedAt = taken.at(-1)?.time ?? 0
  return { info: { id, version, updatedAt, ...originOf(taken[0]) }, root: rootOf(id, taken[0]) }
}

const flags = constants.O_RDWR | constants.O_APPEND

/** Reads all bytes from `start` to the current end of the file, to which another process may be appending. */
async function bytesFrom(file: FileHandle, start: number): Promise<Buffer> {
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.max(0, size - start))
  let read = 0
  while (read < bytes.length) {
    const { bytesRead } = await file.read(bytes, read, bytes.length - read, start + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.subarray(0, read)
}

/** Flushes a folder to disk, so that a new file in it survives a power failure. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders and does not need this.
  if (process.platform === 'win32') return
  const handle = await open(folder).catch(absent)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

/** The content of a session's file up to its last complete line. */
interface SessionLog extends VersionChain<SessionLine> {
  /** The position in bytes after the last complete line. A truncated line may follow. */
  readonly end: number
  /** Why the session cannot be read completely, and what to do about that. Undefined for a complete session. */
  readonly fault: string | undefined
}

/** Parses a session's lines, or those after its first `version` messages. */
function parseLog({ records, end }: Lines, id: string, version = 0): SessionLog {
  const lines = records.map((record) => parseLine(record, id)).filter((line) => line !== undefined)
  const known = lines.filter((line): line is SessionLine => !isNewer(line))
  const chain = toVersionChain(known, version)
  return { ...chain, end, fault: faultOf(chain, lines.find(isNewer)?.v) }
}

/** Returns the log unchanged. @throws CapstanError `invalid_state` if it cannot be read completely */
function readable(path: string, id: string, log: SessionLog): SessionLog {
  if (log.fault !== undefined) throw unreadableSession(id, log.fault, { path })
  return log
}

/** Returns the session ids in a file's lines, in order. Lines of every format version contain an id. */
function idsIn({ records }: Lines): string[] {
  return [...new Set(records.map(({ id }) => id))].filter((id) => typeof id === 'string')
}

/** The JSON objects in a file's complete lines, and the position in bytes after these lines. */
interface Lines {
  readonly records: readonly Readonly<Record<string, unknown>>[]
  readonly end: number
}

function readLines(bytes: Buffer): Lines {
  const end = bytes.lastIndexOf('\n') + 1
  const texts = bytes.toString('utf8', 0, end).split('\n')
  return { records: texts.map(parseRecord).filter((record) => record !== undefined), end }
}

function faultOf(
  { version, loose }: VersionChain<SessionLine>,
  newer: number | undefined,
): string | undefined {
  if (newer !== undefined) return `it has format ${newer}. Use the version that wrote it.`
  if (!loose) return undefined
  const missing = `messages ${version + 1} to ${loose.at} are missing from its file, but later ones exist`
  return `${missing}. Restore the file from a copy, or delete the session.`
}

/** One append, which is one line of a session's file. */
interface SessionLine extends Entry {
  readonly messages: readonly Message[]
}

/** A line in a newer version of this format. Lines of every version contain `v` and `id`. */
interface NewerLine {
  readonly v: number
}

/** Returns the line for an append, without a line end. */
function toLine({ id, at, by, time, from, root, messagesText }: Addition): string {
  return withMessages({ v: format, id, at, by, time, from, root }, messagesText)
}

/** Parses a line of a session. Undefined if the line is invalid or belongs to a different session. */
function parseLine(line: Lines['records'][number], id: string): SessionLine | NewerLine | undefined {
  if (line.id !== id || typeof line.v !== 'number') return undefined
  const { v, at, by, time, from, root, messages } = line
  if (v > format) return { v }
  if (v !== format || typeof at !== 'number' || typeof by !== 'string') return undefined
  if (typeof time !== 'number' || !Array.isArray(messages)) return undefined
  const isFork = typeof from === 'string' && typeof root === 'string'
  return { at, by, time, count: messages.length, messages, ...(isFork && { from, root }) }
}

function isNewer(line: SessionLine | NewerLine): line is NewerLine {
  return 'v' in line
}

const format = 1

function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Appends a line to a session's file. The line is on disk when the promise resolves.
 * @throws CapstanError `conflict` if the session does not have the expected version, or another writer was first
 */
async function appendLine(path: string, addition: Addition): Promise<void> {
  const isFirst = addition.from !== undefined || (addition.at === 0 && addition.count > 0)
  for (;;) {
    if (isFirst && (await tryCreate(path, addition))) return
    const file = await open(path, flags).catch(absent)
    try {
      if (file && (await tryAppend(path, file, addition))) return
      if (!file && !isFirst) return checkVersion(addition, 0)
    } finally {
      await file?.close()
    }
  }
}

/** Creates a session's file with its first line. Returns false if the file exists. */
async function tryCreate(path: string, addition: Addition): Promise<boolean> {
  const file = await openNew(path)
  if (!file) return false
  try {
    const { bytesWritten } = await file.write(Buffer.from(`${toLine(addition)}\n`))
    await file.sync()
    await syncFolder(dirname(path))
    // Another writer may have found the file empty and written first.
    return (await file.stat()).size === bytesWritten || (await isTaken(file, addition, 0))
  } finally {
    await file.close()
  }
}

/** Creates a file with mode 0600, and its folder if that is missing. Undefined if the file exists. */
async function openNew(path: string): Promise<FileHandle | undefined> {
  const create = () => open(path, flags | constants.O_CREAT | constants.O_EXCL, 0o600).catch(present)
  const file = await create().catch(absent)
  if (file !== undefined) return file ?? undefined
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return (await create()) ?? undefined
}

/** For `catch`: returns null if the file exists, and rethrows any other error. */
function present(error: NodeJS.ErrnoException): null {
  if (error.code === 'EEXIST') return null
  throw error
}

/** Appends a line. Returns false if the line was lost without a conflict and can be written again. */
async function tryAppend(path: string, file: FileHandle, addition: Addition): Promise<boolean> {
  const { id } = addition
  const bytes = await bytesFrom(file, 0)
  const before = readable(path, id, parseLog(readLines(bytes), id))
  checkVersion(addition, before.version, before.taken.length > 0)
  if (addition.count === 0 && addition.from === undefined) return true
  // A truncated line must not merge with this line, or be completed by its line end.
  const start = before.end === bytes.length ? '' : ' (cut off)\n'
  // Uses a single write, so that lines of several writers do not interleave.
  await file.write(Buffer.from(`${start}${toLine(addition)}\n`))
  await file.sync()
  return isTaken(file, addition, before.end)
}

/**
 * Whether an appended line is part of the session. Reads the file from `start`, where the previous lines end.
 * @throws CapstanError `conflict` if another writer was first
 */
async function isTaken(file: FileHandle, addition: Addition, start: number): Promise<boolean> {
  const after = parseLog(readLines(await bytesFrom(file, start)), addition.id, addition.at)
  if (after.taken.some((line) => line.by === addition.by)) return true
  // If no other line came first, this line was either truncated or appended to a line that was.
  checkVersion(addition, after.version)
  return false
}
