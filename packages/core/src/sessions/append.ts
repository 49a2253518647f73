import { CapstanError, messageOf } from '../errors.js'
import { sha256 } from '../json.js'
import { checkMessages } from '../run/check-messages.js'
import type { Message } from '../types/message.js'

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
