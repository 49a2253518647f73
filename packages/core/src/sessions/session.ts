import type { Message } from '../types/message.js'

/** A conversation that outlasts its runs. */
export interface Session {
  readonly id: string
  /** How many messages are stored: 0 for a session that is not there. */
  readonly version: number
  /** A copy: changing it changes nothing that is stored. */
  readonly messages: Message[]
}

/** What is told of a session without its messages. */
export interface SessionInfo {
  readonly id: string
  readonly version: number
  /** When it was last added to, in milliseconds since 1970. */
  readonly updatedAt: number
}

/**
 * Where conversations live. Implementations: `memorySessions()`, `unstorageSessions(storage)` and, in
 * `@capstan/core/node`, `folderSessions(folder)`.
 *
 * An id is any text of 1 to 200 characters without control characters; every method throws a CapstanError
 * `invalid_request` for another. Messages come back as JSON holds them.
 */
export interface SessionStore {
  /** What is stored of a session; version 0 and no messages for one that is not there. */
  load(id: string): Promise<Session>
  /**
   * Adds messages, all of them or none, to a session that still has this version; 0 begins a session. Returns its
   * new version. @throws CapstanError `conflict`, with the version found, when something else was added meanwhile
   */
  append(id: string, messages: readonly Message[], expectedVersion: number): Promise<number>
  /** All sessions, the one last added to first. */
  list(): Promise<SessionInfo[]>
  /** Removes a session, which can be begun anew; one that is not here is no error. */
  delete(id: string): Promise<void>
}

/** A conversation that a run goes on with, and adds to. */
export interface SessionRef {
  readonly store: SessionStore
  readonly id: string
}
