import type { Message } from '../types/message.js'
import { checkSessionId, checkVersion, toAddition } from './append.js'

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
