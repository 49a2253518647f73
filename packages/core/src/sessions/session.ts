import { CapstanError, messageOf } from '../errors.js'
import { sha256 } from '../json.js'
import { checkMessages } from '../run/input.js'
import type { Message } from '../types/message.js'

/** A stored conversation of several runs. */
export interface Session {
  readonly id: string
  /** The number of stored messages; 0 for a session that does not exist. */
  readonly version: number
  /** A copy of the messages; changing it does not change the store. */
  readonly messages: Message[]
}

/** A session without its messages. */
export interface SessionInfo {
  readonly id: string
  readonly version: number
  /** The time of the last append, in milliseconds since 1970. */
  readonly updatedAt: number
}

/**
 * A store of conversations. Implementations: `memorySessions()`, `unstorageSessions(storage)` and, in
 * `@capstan/core/node`, `folderSessions(folder)`.
 *
 * An id is any text of 1 to 200 characters without control characters; every method throws a CapstanError
 * `invalid_request` for any other value. Messages are returned as JSON keeps them.
 */
export interface SessionStore {
  /** Loads a session; version 0 without messages for one that does not exist. */
  load(id: string): Promise<Session>
  /**
   * Appends all messages or none to a session that has `expectedVersion`; 0 starts a session. Returns the new version.
   * @throws CapstanError `conflict`, with the version found, when another writer appended first
   */
  append(id: string, messages: readonly Message[], expectedVersion: number): Promise<number>
  /** Lists all sessions, the most recently changed first. */
  list(): Promise<SessionInfo[]>
  /** Removes a session; it can be started again. A missing session is not an error. */
  delete(id: string): Promise<void>
}

/** A conversation that a run continues and appends to. */
export interface SessionRef {
  readonly store: SessionStore
  readonly id: string
}

/** Creates a store of sessions in the memory of this process. */
export function memorySessions(): SessionStore {
  const sessions = new Map<string, Stored>()
  return {
    async load(id) {
      checkSessionId(id)
      const { version, texts } = sessions.get(id) ?? nothing
      return { id, version, messages: texts.flatMap((text) => JSON.parse(text)) }
    },
    async append(id, messages, expectedVersion) {
      const addition = toAddition(id, messages, expectedVersion)
      const { version, texts } = sessions.get(id) ?? nothing
      checkVersion(addition, version)
      if (addition.count === 0) return version
      const stored = {
        version: version + addition.count,
        texts: [...texts, addition.messagesText],
        updatedAt: addition.time,
      }
      // Deleted first, so that the map keeps the order of the list.
      sessions.delete(id)
      sessions.set(id, stored)
      return stored.version
    },
    async list() {
      const infos = Array.from(sessions, ([id, { version, updatedAt }]) => ({ id, version, updatedAt }))
      return infos.reverse()
    },
    async delete(id) {
      checkSessionId(id)
      sessions.delete(id)
    },
  }
}

interface Stored {
  readonly version: number
  /** The JSON of each append: text cannot be changed from outside. */
  readonly texts: readonly string[]
  readonly updatedAt: number
}

const nothing: Pick<Stored, 'version' | 'texts'> = { version: 0, texts: [] }

/** Messages that are appended to a session. */
export interface Addition extends Entry {
  readonly id: string
  /** The messages as JSON, serialized at once: later changes by the caller are not stored. */
  readonly messagesText: string
}

/** @throws CapstanError `invalid_request` for an invalid id or message, and for values that JSON cannot hold */
export function toAddition(id: string, messages: readonly Message[], expectedVersion: number): Addition {
  checkSessionId(id)
  if (!Array.isArray(messages) || messages.length > 0) checkMessages(messages)
  return {
    id,
    at: expectedVersion,
    count: messages.length,
    by: crypto.randomUUID(),
    time: Date.now(),
    messagesText: toText(messages),
  }
}

/** Checks that a session has the expected version. @throws CapstanError `conflict` */
export function checkVersion({ id, at, count }: Addition, version: number): void {
  if (version === at) return
  const message = `Version conflict in session "${id}": expected ${at}, found ${version}. Nothing was stored. Reload the session and append again.`
  // The caller still has the messages: their number is enough.
  const evidence = { id, expectedVersion: at, version, messages: count }
  throw new CapstanError('conflict', message, { evidence })
}

/** Returns the JSON of a record with messages, without serializing the messages again. */
export function withMessages(head: Readonly<Record<string, string | number>>, messagesText: string): string {
  return `${JSON.stringify(head).slice(0, -1)},"messages":${messagesText}}`
}

function toText(messages: readonly Message[]): string {
  try {
    return JSON.stringify(messages)
  } catch (error) {
    const message = `The messages have a value that JSON cannot hold: ${messageOf(error)}`
    throw new CapstanError('invalid_request', message, { cause: error })
  }
}

/** Rejects an invalid session id. @throws CapstanError `invalid_request` */
export function checkSessionId(id: unknown): asserts id is string {
  const isId = typeof id === 'string' && id !== '' && id.length <= maxLength
  // A lone surrogate has no UTF-8 encoding: two such ids would share one name.
  if (isId && id.isWellFormed() && !/\p{Cc}/u.test(id)) return
  const message = `Invalid session id: ${shown(id)}. Use 1 to ${maxLength} characters without control characters.`
  throw new CapstanError('invalid_request', message)
}

/**
 * Returns the name of a session for files and keys: a readable part, and a hash that distinguishes ids which differ
 * only in case, accents or punctuation. Lower-case letters, digits and dashes, at most 80 characters.
 */
export async function sessionName(id: string): Promise<string> {
  return nameWithHash(id, await sha256(id))
}

/** Returns the name of a session, given the SHA-256 of its id as hexadecimal digits. */
export function nameWithHash(id: string, hash: string): string {
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return `${['session', ...words].join('-').slice(0, 47)}-${hash.slice(0, 32)}`
}

const maxLength = 200

function shown(id: unknown): string {
  return typeof id === 'string' ? JSON.stringify(id.slice(0, maxLength)) : typeof id
}

/** One append, as a store records it. */
export interface Entry {
  /** The number of messages before it. */
  readonly at: number
  /** The number of messages it adds. */
  readonly count: number
  /** A random id of the append. */
  readonly by: string
  /** The time of the append, in milliseconds since 1970. */
  readonly time: number
}

/** The entries of a session. */
export interface VersionChain<E> {
  readonly taken: readonly E[]
  /** The number of messages. */
  readonly version: number
  /** An entry after messages that are missing. */
  readonly loose?: E
}

/**
 * Returns the entries that form a session: each begins where the one before it ends. Of two with the same start the
 * first counts; the writer of the other got a conflict.
 */
export function toVersionChain<E extends Entry>(entries: Iterable<E>, start = 0): VersionChain<E> {
  const taken: E[] = []
  let version = start
  for (const entry of entries) {
    if (entry.at > version) return { taken, version, loose: entry }
    if (entry.at < version) continue
    taken.push(entry)
    version += entry.count
  }
  return { taken, version }
}

/** Returns the error for a session that cannot be read completely: a partial read would silently lose the rest. */
export function unreadableSession(
  id: string,
  why: string,
  evidence: Readonly<Record<string, unknown>>,
): CapstanError {
  const message = `Cannot read session "${id}": ${why}`
  return new CapstanError('invalid_state', message, { evidence: { id, ...evidence } })
}
