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
