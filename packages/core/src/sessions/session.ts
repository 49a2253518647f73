import { CapstanError, invalidRequest, messageOf } from '../errors.js'
import { sha256, withoutUndefined } from '../json.js'
import { checkOptionNames, isCount } from '../option-names.js'
import { checkMessages } from '../run/input.js'
import type { Message } from '../types/message.js'
import {
  type Session,
  type SessionInfo,
  type SessionQuery,
  type SessionStore,
  sessionStore,
} from './session-store.js'

/** Creates a session store in this process's memory. */
export function memorySessions(): SessionStore {
  const sessions = new Map<string, Stored>()
  const load = (id: string): Session => {
    checkSessionId(id)
    const { version, texts, first } = sessions.get(id) ?? nothing
    return { id, version, messages: texts.flatMap((text) => JSON.parse(text)), ...originOf(first) }
  }
  const add = (addition: Addition): number => {
    const { id, count, time, messagesText, from } = addition
    const before = sessions.get(id)
    const { version, texts, first = addition } = before ?? nothing
    checkVersion(addition, version, before !== undefined)
    if (count > 0 || from !== undefined)
      sessions.set(id, { version: version + count, texts: [...texts, messagesText], updatedAt: time, first })
    return version + count
  }
  const infos = () =>
    Array.from(sessions, ([id, { version, updatedAt, first }]) => ({
      root: rootOf(id, first),
      info: { id, version, updatedAt, ...originOf(first) },
    }))
  return sessionStore({
    load: async (id) => load(id),
    append: async (...given) => add(toAddition(...given)),
    list: async (query) =>
      toPage(
        infos().map(({ info }) => info),
        query,
      ),
    async delete(id) {
      checkSessionId(id)
      sessions.delete(id)
    },
    fork: async (id, at, newId) =>
      add(toFork({ ...load(id), root: rootOf(id, sessions.get(id)?.first) }, at, newId)),
    async branches(id) {
      checkSessionId(id)
      return toTree(infos(), rootOf(id, sessions.get(id)?.first))
    },
  })
}

interface Stored {
  readonly version: number
  /** The messages of each append as JSON text, so that callers cannot change them. */
  readonly texts: readonly string[]
  readonly updatedAt: number
  /** The append or fork that created the session. */
  readonly first: Entry
}

const nothing: Pick<Stored, 'version' | 'texts'> & { readonly first?: undefined } = { version: 0, texts: [] }

/** An append or a fork that has not been stored yet. */
export interface Addition extends Entry {
  readonly id: string
  /** The messages as JSON. Serialized immediately, so that later changes by the caller are not stored. */
  readonly messagesText: string
}

/** @throws CapstanError `invalid_request` for an invalid id or message, and for values that JSON cannot represent */
export function toAddition(id: string, messages: readonly Message[], expectedVersion: number): Addition {
  checkSessionId(id)
  if (!Array.isArray(messages) || messages.length > 0) checkMessages(messages)
  return {
    id,
    at: expectedVersion,
    count: messages.length,
    by: crypto.randomUUID(),
    time: nextTime(),
    messagesText: toText(messages),
  }
}

/**
 * Returns the first entry of a new branch, which contains the messages that it has in common with the session.
 * @throws CapstanError `invalid_request` for an invalid id, or if the session has fewer than `at` messages
 */
export function toFork(
  { id: from, version, messages, root }: Session & Tree,
  at: number,
  newId: string,
): Addition {
  checkSessionId(newId)
  if (!Number.isInteger(at) || at < 0 || at > version) {
    const message = `Session "${from}" cannot be forked at ${at}. Use 0 to ${version}, the number of messages to keep.`
    throw invalidRequest(message, { id: from, at, version })
  }
  const kept = messages.slice(0, at)
  return { ...toAddition(newId, [], 0), count: at, messagesText: toText(kept), from, root }
}

let latest = 0

/**
 * Returns the current time, or a later one if an earlier addition in this process has the same time, so that sessions
 * sort in the order of their changes.
 */
function nextTime(): number {
  latest = Math.max(Date.now(), latest + 1)
  return latest
}

/**
 * Checks that a session has the expected version, and that a new branch does not exist yet.
 * @throws CapstanError `conflict` otherwise
 */
export function checkVersion({ id, at, count, from }: Addition, version: number, exists = version > 0): void {
  if (from !== undefined && exists) {
    const message = `Session "${id}" already exists. Nothing was stored. Use a different id for the branch.`
    throw new CapstanError('conflict', message, { evidence: { id, version } })
  }
  if (version === at) return
  const message = `Version conflict in session "${id}": expected ${at}, found ${version}. Nothing was stored. Reload the session and append again.`
  // The caller still has the messages, so their number is enough.
  const evidence = { id, expectedVersion: at, version, messages: count }
  throw new CapstanError('conflict', message, { evidence })
}

/** Returns the JSON of a record with messages, without serializing the messages again. */
export function withMessages(
  head: Readonly<Record<string, string | number | undefined>>,
  messagesText: string,
): string {
  return `${JSON.stringify(head).slice(0, -1)},"messages":${messagesText}}`
}

function toText(messages: readonly Message[]): string {
  try {
    return JSON.stringify(messages)
  } catch (error) {
    const message = `The messages contain a value that is not JSON: ${messageOf(error)}`
    throw new CapstanError('invalid_request', message, { cause: error })
  }
}

/** Asserts that a value is a valid session id. @throws CapstanError `invalid_request` otherwise */
export function checkSessionId(id: unknown): asserts id is string {
  const isId = typeof id === 'string' && id !== '' && id.length <= maxLength
  // A lone surrogate has no UTF-8 encoding, so two such ids would have the same name.
  if (isId && id.isWellFormed() && !/\p{Cc}/u.test(id)) return
  const message = `Invalid session id: ${shown(id)}. Use 1 to ${maxLength} characters without control characters.`
  throw invalidRequest(message)
}

/**
 * Returns a session's name in files and keys: a readable part, and a hash that tells apart ids that differ only in
 * case, accents or punctuation. The name has at most 80 lower-case letters, digits and dashes.
 */
export async function sessionName(id: string): Promise<string> {
  return nameWithHash(id, await sha256(id))
}

/** Returns a session's name in files and keys. `hash` is the SHA-256 of its id, as hexadecimal digits. */
export function nameWithHash(id: string, hash: string): string {
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return `${['session', ...words].join('-').slice(0, 47)}-${hash.slice(0, 32)}`
}

const maxLength = 200

function shown(id: unknown): string {
  return typeof id === 'string' ? JSON.stringify(id.slice(0, maxLength)) : typeof id
}

/** The tree that a session belongs to. `root` is the id of the session that all branches of the tree come from. */
export interface Tree {
  readonly root: string
}

/** Returns the id of the root of a session's tree. If a session is not a branch, its root is the session itself. */
export function rootOf(id: string, { root = id }: Partial<Tree> = {}): string {
  return root
}

/** Returns a branch's origin, from its first entry; `{}` for other sessions. */
export function originOf({ from, count: at }: Partial<Entry> = {}): Pick<SessionInfo, 'from' | 'at'> {
  return from === undefined ? {} : withoutUndefined({ from, at })
}

/** Returns the sessions of a tree, most recently changed first. */
export function toTree(all: readonly (Tree & { readonly info: SessionInfo })[], root: string): SessionInfo[] {
  return toPage(all.flatMap((one) => (one.root === root ? one.info : [])))
}

/** Returns the sessions that a query selects. @throws CapstanError `invalid_request` for an invalid query */
export function toPage(all: readonly SessionInfo[], query: SessionQuery = {}): SessionInfo[] {
  checkOptionNames(query, queryKinds, { of: 'list' })
  const { prefix = '', limit, after } = query
  return all
    .filter((one) => one.id.startsWith(prefix) && (!after || byTime(after, one) < 0))
    .sort(byTime)
    .slice(0, limit)
}

const queryKinds = {
  prefix: 'a string',
  limit: ['a whole number of at least 1', isCount],
  after: ['the last session of the previous page', isPlace],
} as const

function isPlace(value: unknown): boolean {
  const { id, updatedAt } = Object(value)
  return typeof id === 'string' && Number.isFinite(updatedAt)
}

/** Compares sessions by the time of their last change, latest first, and then by id. */
function byTime(a: Pick<SessionInfo, 'id' | 'updatedAt'>, b: typeof a): number {
  return b.updatedAt - a.updatedAt || Number(a.id > b.id) - Number(a.id < b.id)
}

/** One append, as a store records it. */
export interface Entry extends Partial<Tree> {
  /** The number of messages before this append. */
  readonly at: number
  /** The number of messages that this append adds. */
  readonly count: number
  /** A random id for the append. */
  readonly by: string
  /** When the messages were appended, in milliseconds since 1970. */
  readonly time: number
  /** The id of the session that this branch was forked from. Set only in a branch's first entry. */
  readonly from?: string | undefined
}

/** The entries that form a session. */
export interface VersionChain<E> {
  readonly taken: readonly E[]
  /** The number of messages before and in these entries. */
  readonly version: number
  /** An entry that comes after missing messages. Absent if the session is complete. */
  readonly loose?: E
}

/**
 * Returns the entries that form a session: each starts where the previous one ends. If two entries start at the same
 * position, the first applies; the other writer got a `conflict`.
 */
export function toVersionChain<E extends Entry>(entries: Iterable<E>, start = 0): VersionChain<E> {
  const taken: E[] = []
  let version = start
  for (const entry of entries) {
    if (entry.at > version) return { taken, version, loose: entry }
    // Likewise, the first of several forks to one id applies. A fork may have no messages.
    if (entry.at < version || (entry.count === 0 && taken.length > 0)) continue
    taken.push(entry)
    version += entry.count
  }
  return { taken, version }
}

/**
 * Returns the error for a session that cannot be read completely. Returning only a part of the session would silently
 * lose the rest.
 */
export function unreadableSession(
  id: string,
  why: string,
  evidence: Readonly<Record<string, unknown>>,
): CapstanError {
  const message = `Cannot read session "${id}": ${why}`
  return new CapstanError('invalid_state', message, { evidence: { id, ...evidence } })
}
