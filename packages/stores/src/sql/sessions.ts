import {
  type Message,
  type Session,
  type SessionInfo,
  type SessionQuery,
  type SessionStore,
  sessionStore,
} from '@capstan/core'
import {
  type Addition,
  checkSessionId,
  checkVersion,
  toAddition,
  toFork,
  toPage,
  unreadableSession,
} from '@capstan/core/internal'
import type { Database, SqlRow, SqlValue, Statement } from './database.js'

export function sqlSessions(db: Database): SessionStore {
  const [sessions, appends] = [db.sql.table('sessions'), db.sql.table('appends')]
  return sessionStore({
    async load(id) {
      checkSessionId(id)
      const text = `SELECT s.version, s.format, s.origin, s.origin_at, a.at, a.count, a.messages FROM ${sessions} s LEFT JOIN ${appends} a ON a.session_id = s.session_id WHERE s.session_id = ? ORDER BY a.at`
      return toSession(id, await db.query({ text, values: [id] }))
    },
    async append(id, messages, expectedVersion) {
      const addition = toAddition(id, messages, expectedVersion)
      const { at, count } = addition
      for (;;) {
        if (count > 0 && Number.isSafeInteger(at) && at >= 0) {
          const [[appended] = []] = await db.batch(appendStatements(db, addition))
          if (appended) return Number(appended.version)
        }
        const found = await findSession(db, id)
        const version = Number(found?.version ?? 0)
        checkFormat(id, found)
        checkVersion(addition, version)
        // The version matches after all, because another writer has just undone its change. Try again.
        if (count === 0) return version
      }
    },
    async list(query) {
      const statement = listStatement(db, query)
      return statement ? (await db.query(statement)).map(toInfo) : []
    },
    async delete(id) {
      checkSessionId(id)
      await db.batch([
        { text: `DELETE FROM ${appends} WHERE session_id = ? RETURNING at`, values: [id] },
        { text: `DELETE FROM ${sessions} WHERE session_id = ? RETURNING session_id`, values: [id] },
      ])
    },
    ...sqlBranches(db),
  })
}

function sqlBranches(db: Database): Required<Pick<SessionStore, 'fork' | 'branches'>> {
  const sessions = db.sql.table('sessions')
  return {
    async fork(id, at, newId) {
      checkSessionId(id)
      for (;;) {
        const found = await findSession(db, id)
        checkFormat(id, found)
        const { version = 0, root = id } = found ?? {}
        const addition = toFork({ id, version: Number(version), root: String(root), messages: [] }, at, newId)
        const [, [forked] = []] = await db.batch(forkStatements(db, addition))
        if (forked) return at
        const present = await findSession(db, newId)
        if (present) checkVersion(addition, Number(present.version), true)
        // The session has just changed, so read it again.
      }
    },
    async branches(id) {
      checkSessionId(id)
      const text = `SELECT ${infoColumns} FROM ${sessions} WHERE root = coalesce((SELECT root FROM ${sessions} WHERE session_id = ?), ?) ORDER BY updated_at DESC, session_id`
      return (await db.query({ text, values: [id, id] })).map(toInfo)
    },
  }
}

/** The version of the session format. Sessions with a different version are rejected. */
const format = 1

/**
 * Returns the statements for an append. If the session has the expected version, the first statement returns a row, and
 * only then does the second one add a row.
 */
function appendStatements({ sql }: Database, addition: Addition): readonly Statement[] {
  const { id, at, count, by, time, messagesText } = addition
  const [sessions, appends] = [sql.table('sessions'), sql.table('appends')]
  const begin: Statement = {
    // A branch without messages already has a row, whose version is 0.
    text: `INSERT INTO ${sessions} AS s (session_id, version, format, append_id, updated_at, root) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (session_id) DO UPDATE SET version = excluded.version, append_id = excluded.append_id, updated_at = excluded.updated_at WHERE s.version = 0 AND s.format = excluded.format RETURNING version`,
    values: [id, count, format, by, time, id],
  }
  const continued: Statement = {
    text: `UPDATE ${sessions} SET version = ?, append_id = ?, updated_at = ? WHERE session_id = ? AND version = ? AND format = ? RETURNING version`,
    values: [at + count, by, time, id, at, format],
  }
  const add: Statement = {
    text: `INSERT INTO ${appends} (session_id, at, count, messages) SELECT session_id, CAST(? AS bigint), CAST(? AS bigint), ? FROM ${sessions} WHERE session_id = ? AND append_id = ? RETURNING at`,
    values: [at, count, messagesText, id, by],
  }
  return [at === 0 ? begin : continued, add]
}

/**
 * Returns the statements for a fork. If the branch was created, the second statement returns a row, and only then does
 * the third one add rows.
 */
function forkStatements({ sql }: Database, { id, count, by, time, from }: Addition): readonly Statement[] {
  const [sessions, appends] = [sql.table('sessions'), sql.table('appends')]
  const origin = String(from)
  return [
    // Lock the row, so that no other transaction can delete it.
    {
      text: `UPDATE ${sessions} SET version = version WHERE session_id = ? RETURNING version`,
      values: [origin],
    },
    {
      // A session that does not exist has 0 messages.
      text: `INSERT INTO ${sessions} (session_id, version, format, append_id, updated_at, origin, origin_at, root) SELECT CAST(? AS text), CAST(? AS bigint), CAST(? AS bigint), CAST(? AS text), CAST(? AS bigint), CAST(? AS text), CAST(? AS bigint), coalesce((SELECT root FROM ${sessions} WHERE session_id = ?), CAST(? AS text)) WHERE coalesce((SELECT version FROM ${sessions} WHERE session_id = ?), 0) >= ? ON CONFLICT DO NOTHING RETURNING version`,
      values: [id, count, format, by, time, origin, count, origin, origin, origin, count],
    },
    {
      // If the branch starts within an append, `count` is smaller than the number of messages in that append.
      text: `INSERT INTO ${appends} (session_id, at, count, messages) SELECT CAST(? AS text), at, CASE WHEN at + count > ? THEN ? - at ELSE count END, messages FROM ${appends} WHERE session_id = ? AND at < ? AND EXISTS (SELECT 1 FROM ${sessions} WHERE session_id = ? AND append_id = ?) RETURNING at`,
      values: [id, count, count, origin, count, id, by],
    },
  ]
}

async function findSession(db: Database, id: string): Promise<SqlRow | undefined> {
  const text = `SELECT version, format, root FROM ${db.sql.table('sessions')} WHERE session_id = ?`
  const [row] = await db.query({ text, values: [id] })
  return row
}

const infoColumns = 'session_id, version, updated_at, origin, origin_at'

/**
 * Returns the statement that lists sessions. Undefined if no session id can have the prefix.
 * @throws CapstanError `invalid_request` for an invalid query
 */
function listStatement({ sql }: Database, query: SessionQuery = {}): Statement | undefined {
  toPage([], query)
  const { prefix = '', limit, after } = query
  if (after) checkSessionId(after.id)
  if (!prefix.isWellFormed() || /\p{Cc}/u.test(prefix)) return undefined
  const wheres: string[] = []
  const values: SqlValue[] = []
  const where = (condition: string, ...given: readonly SqlValue[]) => {
    wheres.push(condition)
    values.push(...given)
  }
  // The first condition can use the index, and the second one is exact.
  if (prefix !== '')
    where('session_id >= ? AND substr(session_id, 1, ?) = ?', prefix, [...prefix].length, prefix)
  if (after) {
    const time = Math.trunc(after.updatedAt)
    where('(updated_at < ? OR (updated_at = ? AND session_id > ?))', time, time, after.id)
  }
  const condition = wheres.length > 0 ? ` WHERE ${wheres.join(' AND ')}` : ''
  const page = limit === undefined || limit === Infinity ? '' : ' LIMIT ?'
  if (page !== '' && limit !== undefined) values.push(limit)
  return {
    text: `SELECT ${infoColumns} FROM ${sql.table('sessions')}${condition} ORDER BY updated_at DESC, session_id${page}`,
    values,
  }
}

function toInfo(row: SqlRow): SessionInfo {
  return {
    id: String(row.session_id),
    version: Number(row.version),
    updatedAt: Number(row.updated_at),
    ...toOrigin(row),
  }
}

function toOrigin({ origin, origin_at }: SqlRow): Pick<SessionInfo, 'from' | 'at'> {
  return typeof origin === 'string' ? { from: origin, at: Number(origin_at) } : {}
}

/** Creates a session from its rows. @throws CapstanError `invalid_state` if messages are missing or damaged */
function toSession(id: string, rows: readonly SqlRow[]): Session {
  const [first] = rows
  if (!first) return { id, version: 0, messages: [] }
  const version = Number(first.version)
  const fail = (why: string) => unreadableSession(id, why, { version })
  checkFormat(id, first)
  const messages: Message[] = []
  for (const { at, count, messages: text } of rows) {
    if (text === null) continue
    const added = parseMessages(text).slice(0, Number(count))
    if (Number(at) !== messages.length || added.length !== Number(count))
      throw fail(`messages from ${messages.length} on are missing or damaged. Restore or delete it.`)
    for (const message of added) messages.push(message)
  }
  if (messages.length !== version)
    throw fail(`${version} messages were stored, ${messages.length} are there. Restore or delete it.`)
  return { id, version, messages, ...toOrigin(first) }
}

/** Checks that this version can read a session. @throws CapstanError `invalid_state` if its format differs */
function checkFormat(id: string, row: SqlRow | undefined): void {
  if (!row || Number(row.format) === format) return
  throw unreadableSession(id, `it has format ${row.format}. Use the version that wrote it.`, {})
}

function parseMessages(text: unknown): readonly Message[] {
  try {
    const messages: unknown = JSON.parse(String(text))
    return Array.isArray(messages) ? messages : []
  } catch {
    return []
  }
}
