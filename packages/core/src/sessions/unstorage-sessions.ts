import { isStorage } from '../artifacts/unstorage-artifacts.js'
import { reportFailure, serialByKey } from '../async.js'
import { CapstanError } from '../errors.js'
import { checkRequiredOption } from '../option-names.js'
import type { Message } from '../types/message.js'
import {
  type Addition,
  checkSessionId,
  checkVersion,
  type Entry,
  originOf,
  rootOf,
  sessionName,
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
 * Creates a session store over a storage from the `unstorage` package (Redis, S3, SQL, ...). Each append is one key
 * under `sessions:`, which is written once and never changed. A store object makes one append to a session at a time,
 * so of two appends to the same version, exactly one succeeds. `unstorage` drivers have no compare-and-set, so across
 * processes this is best effort: each writer writes a claim and looks for other claims. If it finds one, it removes its
 * own claim, retries, and finally throws `conflict`; it is possible that all writers fail. A claim is valid for 30
 * seconds, so a process that dies blocks its session for that long. An append can be lost if a writer stalls for
 * longer, or if its clock is wrong by that much. To prevent this, write each session from one process, or use a
 * database store from `@capstan/stores`. The storage must write values atomically; for files, use `folderSessions`.
 * @throws CapstanError `unsupported` if the storage does not list a new key immediately; `invalid_state` for a session
 * that is incomplete or was written by a newer version
 */
export function unstorageSessions(storage: KeyValueStorage): SessionStore {
  checkRequiredOption({ storage }, { storage: isStorage }, { of: 'unstorageSessions', required: 'storage' })
  const turn = serialByKey()
  return sessionStore({
    async load(id) {
      const { root: _, ...session } = await loadFrom(storage, id)
      return session
    },
    async append(id, messages, expectedVersion) {
      const addition = toAddition(id, messages, expectedVersion)
      await turn(id, () => appendTo(storage, addition))
      return expectedVersion + addition.count
    },
    async list(query) {
      const sessions = [...toEntries(await storage.getKeys(sessionsBase)).values()]
      const infos = await Promise.all(sessions.map((entries) => infoOf(storage, entries)))
      return toPage(
        infos.flatMap((one) => one?.info ?? []),
        query,
      )
    },
    async delete(id) {
      checkSessionId(id)
      await turn(id, () => deleteFrom(storage, id))
    },
    async fork(id, at, newId) {
      const origin = await loadFrom(storage, id)
      const addition = toFork(origin, at, newId)
      await turn(newId, async () => {
        // The mark comes first: a mark without a session is ignored.
        await storage.setItem(await markOf(origin.root, newId), 'branch')
        await appendTo(storage, addition)
      })
      return at
    },
    async branches(id) {
      checkSessionId(id)
      const own = await infoIn(storage, await baseOf(id))
      const root = own?.root ?? id
      const start = await markOf(root)
      const marks = (await storage.getKeys(await baseOf(root))).filter((key) => key.startsWith(start))
      const bases = marks.map((key) => `${sessionsBase}${key.slice(start.length)}:`)
      const infos = await Promise.all([await baseOf(root), ...bases].map((base) => infoIn(storage, base)))
      return toTree(
        infos.filter((one) => one !== undefined),
        root,
      )
    },
  })
}

async function loadFrom(storage: KeyValueStorage, id: string): Promise<Session & Tree> {
  checkSessionId(id)
  const base = await baseOf(id)
  for (let left = readTries; ; left--) {
    const { taken, version } = toWhole(id, entriesIn(base, await storage.getKeys(base)))
    const found = await Promise.all(
      taken.map(async ({ key }) => ({ key, value: await storage.getItem(key) })),
    )
    // The value was deleted after the keys were listed.
    if (left > 1 && found.some(({ value }) => typeof value !== 'string')) continue
    const values = found.map((one) => parseValue(id, one))
    const messages = values.flatMap((one) => one.messages)
    const [first] = values
    const origin = originOf({ ...taken[0], from: first?.from })
    return { id, version, messages, ...origin, root: rootOf(id, first) }
  }
}

const readTries = 3

async function appendTo(storage: KeyValueStorage, addition: Addition): Promise<void> {
  const { id, count, from } = addition
  const base = await baseOf(id)
  const check = (keys: readonly string[]) => {
    const { version, taken } = toWhole(id, entriesIn(base, keys))
    checkVersion(addition, version, taken.length > 0)
  }
  if (count === 0 && from === undefined) return check(await storage.getKeys(base))
  await withClaim({ storage, id, base }, async (keys) => {
    check(keys)
    await storage.setItem(toKey(base, addition), toValue(addition))
  })
}

async function deleteFrom(storage: KeyValueStorage, id: string): Promise<void> {
  const base = await baseOf(id)
  const info = await infoIn(storage, base)
  if (entriesIn(base, await storage.getKeys(base)).length === 0) return
  await withClaim({ storage, id, base }, async (keys) => {
    // Removes the last key first, so that the rest is always a valid session.
    for (const { key } of entriesIn(base, keys).toReversed()) await storage.removeItem(key)
  })
  if (info && info.root !== id) await storage.removeItem(await markOf(info.root, id))
}

function entriesIn(base: string, keys: readonly string[]): readonly KeyedEntry[] {
  return toEntries(keys).get(base) ?? []
}

function toWhole(id: string, entries: readonly KeyedEntry[]): VersionChain<KeyedEntry> {
  const chain = toVersionChain(entries)
  if (!chain.loose) return chain
  const missing = `messages ${chain.version + 1} to ${chain.loose.at} are missing, but later ones exist`
  const why = `${missing}. Restore their keys from a copy, or delete the session.`
  throw unreadableSession(id, why, { key: chain.loose.key })
}

async function infoIn(storage: KeyValueStorage, base: string): Promise<Listed | undefined> {
  return infoOf(storage, entriesIn(base, await storage.getKeys(base)))
}

/** A session's info, with the root of its tree. */
interface Listed extends Tree {
  readonly info: SessionInfo
}

/** Returns a session's info. Reads a value, because a key contains only a hash of the session's id. */
async function infoOf(storage: KeyValueStorage, entries: readonly KeyedEntry[]): Promise<Listed | undefined> {
  const { taken, version } = toVersionChain(entries)
  const [first, last] = [taken[0], taken.at(-1)]
  if (!first || !last) return undefined
  const found = { key: first.key, value: await storage.getItem(first.key) }
  // The value was deleted after the keys were listed.
  if (typeof found.value !== 'string') return undefined
  try {
    const value = parseValue(first.key, found)
    const { id, from } = value
    const origin = originOf({ ...first, from })
    return { info: { id, version, updatedAt: last.time, ...origin }, root: rootOf(id, value) }
  } catch (error) {
    // The session's id is unknown, so the warning contains its key.
    return reportFailure(error) as undefined
  }
}

/** An append, with the key whose value contains its messages. */
interface KeyedEntry extends Entry {
  readonly key: string
}

/** The prefix of all session keys. */
const sessionsBase = 'sessions:'

/** Returns a session's key prefix. */
async function baseOf(id: string): Promise<string> {
  return `${sessionsBase}${await sessionName(id)}:`
}

/** Returns the key that records a branch under its root. Without `id`, returns the prefix of these keys. */
async function markOf(root: string, id?: string): Promise<string> {
  const start = `${await baseOf(root)}branch-`
  return id === undefined ? start : start + (await sessionName(id))
}

/** Returns an append's key. The key contains what is needed to determine a session's version without reading values. */
function toKey(base: string, { at, count, by, time }: Entry): string {
  return `${base}${at}-${count}-${time}-${by}`
}

/** Parses keys. Returns the appends in order of precedence, by their session's key prefix. */
function toEntries(keys: readonly string[]): Map<string, KeyedEntry[]> {
  const entries = keys.map(parseKey).filter((entry) => entry !== undefined)
  // A branch without messages sorts before its first append, whose writer's clock may differ.
  const isEmpty = ({ count }: Entry) => Number(count === 0)
  entries.sort((a, b) => a.at - b.at || isEmpty(b) - isEmpty(a) || a.time - b.time || (a.by < b.by ? -1 : 1))
  const sessions = new Map<string, KeyedEntry[]>()
  for (const { base, ...entry } of entries) {
    const before = sessions.get(base)
    if (before) before.push(entry)
    else sessions.set(base, [entry])
  }
  return sessions
}

const keyPattern = /^(sessions:[a-z0-9-]+:)(\d+)-(\d+)-(\d+)-([0-9a-f-]+)$/

function parseKey(key: string): (KeyedEntry & { readonly base: string }) | undefined {
  const [, base, at, count, time, by] = keyPattern.exec(key) ?? []
  if (base === undefined || by === undefined) return undefined
  return { key, base, at: Number(at), count: Number(count), time: Number(time), by }
}

/**
 * Returns the value for an append's key. The value's prefix keeps drivers from parsing the text as JSON, which would
 * lose fields such as `__proto__`.
 */
function toValue({ id, from, root, messagesText }: Addition): string {
  return `session/${format} ${withMessages({ id, from, root }, messagesText)}`
}

/** Parses a value that `toValue` wrote. @throws CapstanError `invalid_state` for any other value */
function parseValue(id: string, { key, value }: { key: string; value: unknown }): StoredValue {
  const [, version, text] = valuePattern.exec(String(value)) ?? []
  if (Number(version) > format)
    throw unreadableSession(id, `it has format ${version}. Use the version that wrote it.`, { key })
  const { id: stored, messages, from, root } = parsed(text)
  const isFork = typeof from === 'string' && typeof root === 'string'
  if (typeof stored === 'string' && Array.isArray(messages))
    return { id: stored, messages, ...(isFork && { from, root }) }
  const what = `the key "${key}" has a different format. Restore it from a copy, or delete the session.`
  throw unreadableSession(id, what, { key })
}

interface StoredValue extends Partial<Tree> {
  readonly id: string
  readonly from?: string
  readonly messages: readonly Message[]
}

const format = 1
const valuePattern = /^session\/(\d+) (.*)$/s

function parsed(text = 'null'): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}

/** A session and the storage that contains its keys. */
interface ClaimedPlace {
  readonly storage: KeyValueStorage
  readonly id: string
  /** The prefix of the session's keys. */
  readonly base: string
}

/**
 * Changes a session's keys while no other writer is changing them. `unstorage` drivers have no locks, so each writer
 * writes a claim and then looks for other claims. If two writers overlap, the later one sees the other's claim or keys.
 * @throws CapstanError `conflict` if every attempt finds another writer; `unsupported` if the storage does not list the
 * claim
 */
async function withClaim(
  { storage, id, base }: ClaimedPlace,
  work: (keys: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let left = claimTries; left > 0; left--) {
    const claim = `${base}claim-${Date.now()}-${crypto.randomUUID()}`
    await storage.setItem(claim, 'claim')
    try {
      const keys = await storage.getKeys(base)
      if (!keys.includes(claim)) throw notKept(claim)
      const others = keys.filter((key) => key !== claim && claimed.test(key))
      if (!others.some(isLive)) {
        for (const key of others) await storage.removeItem(key)
        return await work(keys)
      }
    } finally {
      await storage.removeItem(claim)
    }
    // Pauses for a random time, so that the writers do not collide again.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 100))
  }
  const message = `Other writers are using session "${id}". Nothing was stored. Try again.`
  throw new CapstanError('conflict', message, { evidence: { id }, retryable: true })
}

const claimTries = 8

const claimed = /:claim-(\d+)-[0-9a-f-]+$/

/** Whether a claim is still valid. Claims expire, because a writer that dies leaves its claim behind. */
function isLive(claim: string): boolean {
  return Date.now() - Number(claimed.exec(claim)?.[1]) < claimMs
}

const claimMs = 30_000

function notKept(key: string): CapstanError {
  const message = `The storage does not list the new key "${key}". Use a writable storage that lists new keys immediately.`
  return new CapstanError('unsupported', message, { evidence: { key } })
}

/** The methods of a storage from the `unstorage` package that the store calls. */
export interface KeyValueStorage {
  getItem(key: string): Promise<unknown>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
  /** Returns the keys that start with `base`. */
  getKeys(base: string): Promise<string[]>
}
