import { inTurn } from '../words/in-turn.js'
import type { Session, SessionInfo, SessionStore } from '../words/session.js'
import { type Addition, checkVersion, toAddition } from './addition.js'
import { type Chain, toChain } from './chain.js'
import type { KeyValueStorage } from './key-value-storage.js'
import { baseOf, type KeyedEntry, sessionsBase, toEntries, toKey } from './session-key.js'
import { checkSessionId } from './session-name.js'
import { parseValue, toValue } from './session-value.js'
import { unreadableSession } from './unreadable-session.js'
import { withClaim } from './with-claim.js'

/**
 * A store over a storage of the package `unstorage` (Redis, S3, SQL, ...): each append is one key under `sessions:`,
 * written once and never changed. Through one store object, appends to a session are made one after another, and of
 * two for one version exactly one wins. A storage has no compare-and-set, so between processes this is best effort:
 * each puts up a key as its claim, looks for the claims of others and, when it finds one, takes its own back, to try
 * again and, in the end, to throw `conflict`: of several all may lose. A claim counts for 30 seconds: one that a dead
 * process left blocks its session so long, and of a writer that stalls longer between looking and writing, or whose
 * clock is off by as much, an append may be lost. Where that must not be, let one process write a session, or write a
 * `SessionStore` over a database with transactions. The storage must write a value whole or not at all: for files use
 * `folderSessions`.
 * @throws CapstanError `unsupported` for a storage that does not list at once what was written; `invalid_state` for a
 * session of which a part is missing or that a newer version wrote
 */
export function unstorageSessions(storage: KeyValueStorage): SessionStore {
  const turn = inTurn()
  return {
    async load(id) {
      checkSessionId(id)
      return loadFrom(storage, id)
    },
    async append(id, messages, expectedVersion) {
      const addition = toAddition(id, messages, expectedVersion)
      await turn(id, () => appendTo(storage, addition))
      return expectedVersion + addition.count
    },
    async list() {
      const sessions = [...toEntries(await storage.getKeys(sessionsBase)).values()]
      const infos = await Promise.all(sessions.map((entries) => infoOf(storage, toChain(entries))))
      return infos.filter((info) => info !== undefined).sort((a, b) => b.updatedAt - a.updatedAt)
    },
    async delete(id) {
      checkSessionId(id)
      await turn(id, () => deleteFrom(storage, id))
    },
  }
}

async function loadFrom(storage: KeyValueStorage, id: string): Promise<Session> {
  const base = await baseOf(id)
  for (let left = tries; ; left--) {
    const { taken, version } = toWhole(id, entriesIn(base, await storage.getKeys(base)))
    const found = await Promise.all(
      taken.map(async ({ key }) => ({ key, value: await storage.getItem(key) })),
    )
    // Deleted since the keys were listed.
    if (left > 1 && found.some(({ value }) => typeof value !== 'string')) continue
    return { id, version, messages: found.flatMap((one) => parseValue(id, one).messages) }
  }
}

const tries = 3

async function appendTo(storage: KeyValueStorage, addition: Addition): Promise<void> {
  const { id, count } = addition
  const base = await baseOf(id)
  const check = (keys: readonly string[]) =>
    checkVersion(addition, toWhole(id, entriesIn(base, keys)).version)
  if (count === 0) return check(await storage.getKeys(base))
  await withClaim({ storage, id, base }, async (keys) => {
    check(keys)
    await storage.setItem(toKey(base, addition), toValue(addition))
  })
}

async function deleteFrom(storage: KeyValueStorage, id: string): Promise<void> {
  const base = await baseOf(id)
  if ((await storage.getKeys(base)).length === 0) return
  await withClaim({ storage, id, base }, async (keys) => {
    // From its end, so that what is there meanwhile is a session too.
    for (const { key } of entriesIn(base, keys).toReversed()) await storage.removeItem(key)
  })
}

function entriesIn(base: string, keys: readonly string[]): readonly KeyedEntry[] {
  return toEntries(keys).get(base) ?? []
}

function toWhole(id: string, entries: readonly KeyedEntry[]): Chain<KeyedEntry> {
  const chain = toChain(entries)
  if (!chain.loose) return chain
  const missing = `messages ${chain.version + 1} to ${chain.loose.at} are missing, and later ones are there`
  const why = `${missing}. Restore their keys from a copy, or delete the session.`
  throw unreadableSession(id, why, { key: chain.loose.key })
}

/** A key names its session by a hash: the value has the id. */
async function infoOf(
  storage: KeyValueStorage,
  { taken, version }: Chain<KeyedEntry>,
): Promise<SessionInfo | undefined> {
  const [first, last] = [taken[0], taken.at(-1)]
  if (!first || !last) return undefined
  const found = { key: first.key, value: await storage.getItem(first.key) }
  // Deleted since the keys were listed.
  if (typeof found.value !== 'string') return undefined
  return { id: parseValue(first.key, found).id, version, updatedAt: last.time }
}
