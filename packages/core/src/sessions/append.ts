import { CapstanError, messageOf } from '../errors.js'
import { checkMessages } from '../run/check-messages.js'
import type { Message } from '../types/message.js'

/** Messages on their way into a store. */
export interface Addition extends Entry {
  readonly id: string
  /** The messages as JSON, made at once: what the caller changes later is not stored. */
  readonly messagesText: string
}

/** @throws CapstanError `invalid_request` for what is no id or no message, and for what JSON cannot hold */
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

/** Goes on when a session has the version that was expected. @throws CapstanError `conflict` */
export function checkVersion({ id, at, count }: Addition, version: number): void {
  if (version === at) return
  const message = `Session "${id}" has version ${version}, and this was to be added to version ${at}: something else was added meanwhile. Nothing of this was added. Load the session, and add to what it holds now.`
  // The messages are with the caller still: their number is enough.
  const evidence = { id, expectedVersion: at, version, messages: count }
  throw new CapstanError('conflict', message, { evidence })
}

/** The JSON of a record with messages, without making that of the messages twice. */
export function withMessages(head: Readonly<Record<string, string | number>>, messagesText: string): string {
  return `${JSON.stringify(head).slice(0, -1)},"messages":${messagesText}}`
}

function toText(messages: readonly Message[]): string {
  try {
    return JSON.stringify(messages)
  } catch (error) {
    const message = `These messages cannot be stored, since JSON cannot hold them: ${messageOf(error)}`
    throw new CapstanError('invalid_request', message, { cause: error })
  }
}

/** Refuses what is no session id. @throws CapstanError `invalid_request` */
export function checkSessionId(id: unknown): asserts id is string {
  const isId = typeof id === 'string' && id !== '' && id.length <= maxLength
  // Half a character has no UTF-8 of its own: two such ids would share one name.
  if (isId && id.isWellFormed() && !/\p{Cc}/u.test(id)) return
  const message = `A session id is text of 1 to ${maxLength} characters, none of them a control character. This is none: ${shown(id)}.`
  throw new CapstanError('invalid_request', message)
}

/**
 * The name of a session where names are files or keys: a readable part, and a hash that tells ids apart which
 * differ in case, accents or punctuation alone. Small letters, digits and dashes, 80 characters at most.
 */
export async function sessionName(id: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id))
  const hash = Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return `${['session', ...words].join('-').slice(0, 47)}-${hash}`
}

const maxLength = 200

function shown(id: unknown): string {
  return typeof id === 'string' ? JSON.stringify(id.slice(0, maxLength)) : typeof id
}

/** One append, as a store keeps it. */
export interface Entry {
  /** How many messages were stored before it. */
  readonly at: number
  /** How many it adds. */
  readonly count: number
  /** Whose append it is: random. */
  readonly by: string
  /** When it was made, in milliseconds since 1970. */
  readonly time: number
}

/** What a session consists of. */
export interface VersionChain<E> {
  readonly taken: readonly E[]
  /** How many messages are stored. */
  readonly version: number
  /** An entry that stands on messages which are not there. */
  readonly loose?: E
}

/**
 * The entries that make up a session: each that begins where those before it end. Of two with the same beginning the
 * first counts; the other lost, and whoever wrote it knows.
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

/** The error for a session that is there and cannot be read in full: reading less would lose the rest unseen. */
export function unreadableSession(
  id: string,
  why: string,
  evidence: Readonly<Record<string, unknown>>,
): CapstanError {
  const message = `Session "${id}" cannot be read: ${why}`
  return new CapstanError('invalid_state', message, { evidence: { id, ...evidence } })
}
