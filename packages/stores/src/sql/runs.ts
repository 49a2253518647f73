import { CapstanError, type Json } from '@capstan/core'
import { placeAfter, toPage } from '../list-query.js'
import {
  checkKey,
  checkRunId,
  entryConflict,
  eventConflict,
  missingRun,
  type RunEntry,
  type RunQuery,
  type RunStore,
  type StoredEvent,
} from '../run-store.js'
import {
  checkAfterSeq,
  checkExpiry,
  checkLimit,
  checkVersion,
  toEntryText,
  toEventTexts,
  toValueText,
  wrongFieldOf,
} from '../stored-json.js'
import { type Database, type SqlRow, type SqlValue, type Statement, toColumn } from './database.js'
import { everyMinute } from './every-minute.js'

/** Creates a run store in an SQL database. The store has no `watch`. */
export function sqlRunStore(db: Database): Omit<RunStore, 'watch'> & Required<Pick<RunStore, 'now'>> {
  const { sql } = db
  const [runs, events] = [sql.table('runs'), sql.table('events')]
  const versionOf = async (runId: string): Promise<number> => {
    const [row] = await db.query({
      text: `SELECT version FROM ${runs} WHERE run_id = ?`,
      values: [runId],
    })
    return Number(row?.version ?? 0)
  }
  return {
    async get(runId) {
      checkRunId(runId)
      const [row] = await db.query({
        text: `SELECT version, format, entry FROM ${runs} WHERE run_id = ?`,
        values: [runId],
      })
      return row && { entry: toEntry(row, runId), version: Number(row.version) }
    },
    async put(runId, entry, version) {
      checkRunId(runId)
      checkVersion(version)
      const [row] = await db.query(putStatement(db, { runId, text: toEntryText(entry), version }))
      if (row) return Number(row.version)
      throw entryConflict(runId, version, await versionOf(runId))
    },
    async list(query) {
      const rows = await db.query(listStatement(db, query))
      const toRun = (row: SqlRow) => {
        const runId = String(row.run_id)
        return { runId, entry: toEntry(row, runId), version: Number(row.version) }
      }
      return toPage(rows.map(toRun), query)
    },
    async delete(runId) {
      checkRunId(runId)
      await db.batch([
        { text: `DELETE FROM ${events} WHERE run_id = ? RETURNING seq`, values: [runId] },
        { text: `DELETE FROM ${runs} WHERE run_id = ? RETURNING run_id`, values: [runId], changes: runId },
      ])
    },
    async now() {
      const [row] = await db.query({ text: `SELECT ${sql.now} AS now`, values: [] })
      return Number(row?.now)
    },
    ...sqlEvents(db),
    ...sqlKeys(db),
  }
}

interface Put {
  readonly runId: string
  readonly text: string
  readonly version: number
}

function putStatement({ sql }: Database, { runId, text, version }: Put): Statement {
  const runs = sql.table('runs')
  const { owner, status, callIds, chat, dueAt, updatedAt }: RunEntry = JSON.parse(text)
  const fields: readonly SqlValue[] = [
    format,
    toColumn(owner),
    status,
    JSON.stringify(callIds.map(toColumn)),
    chat === undefined ? null : toColumn(chat),
    dueAt ?? null,
    updatedAt,
    text,
  ]
  if (version > 0) {
    return {
      text: `UPDATE ${runs} SET version = version + 1, format = ?, owner = ?, status = ?, call_ids = ${sql.callIds}, chat = ?, due_at = ?, updated_at = ?, entry = ? WHERE run_id = ? AND version = ? RETURNING version`,
      values: [...fields, runId, version],
      changes: runId,
    }
  }
  return {
    text: `INSERT INTO ${runs} (run_id, version, format, owner, status, call_ids, chat, due_at, updated_at, entry) VALUES (?, 1, ?, ?, ?, ${sql.callIds}, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING version`,
    values: [runId, ...fields],
    changes: runId,
  }
}

function sqlEvents(db: Database): Pick<RunStore, 'append' | 'read'> {
  const [runs, events] = [db.sql.table('runs'), db.sql.table('events')]
  return {
    async append(runId, added, afterSeq) {
      checkRunId(runId)
      const statement = appendStatement(db, { runId, texts: toEventTexts(added, afterSeq), afterSeq })
      const rows = await unlessRace(db, statement)
      if (rows && rows.length > 0) return
      const [run] = await db.query({
        text: `SELECT (SELECT max(seq) FROM ${events} WHERE run_id = r.run_id) AS last FROM ${runs} r WHERE run_id = ?`,
        values: [runId],
      })
      if (!run) throw missingRun(runId)
      const last = Number(run.last ?? -1)
      // An append without events returns no row, so compare the last event instead.
      if (added.length > 0 || last !== afterSeq) throw eventConflict(runId, afterSeq, last)
    },
    async read(runId, afterSeq, limit = 1000) {
      checkRunId(runId)
      checkAfterSeq(afterSeq)
      checkLimit(limit)
      const rows = await db.query({
        text: `SELECT seq, event FROM ${events} WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
        values: [runId, afterSeq, limit],
      })
      return rows.map((row, at) => toEvent(row, { runId, seq: at + afterSeq + 1 }))
    },
  }
}

interface Append {
  readonly runId: string
  readonly texts: readonly string[]
  readonly afterSeq: number
}

/**
 * Returns the statement that appends events. If two such statements run at the same time in PostgreSQL, the second one
 * waits, and then violates the primary key.
 */
function appendStatement({ sql }: Database, { runId, texts, afterSeq }: Append): Statement {
  const [runs, events] = [sql.table('runs'), sql.table('events')]
  return {
    text:
      `INSERT INTO ${events} (run_id, seq, event) SELECT r.run_id, CAST(? AS bigint) + e.n, e.value FROM ${runs} r CROSS JOIN ${sql.elements} ` +
      `WHERE r.run_id = ? AND coalesce((SELECT max(seq) FROM ${events} WHERE run_id = ?), -1) = ? RETURNING seq`,
    values: [afterSeq, JSON.stringify(texts), runId, runId, afterSeq],
    changes: runId,
  }
}

async function unlessRace(db: Database, statement: Statement): Promise<readonly SqlRow[] | undefined> {
  try {
    return await db.query(statement)
  } catch (error) {
    if (db.isRace(error)) return undefined
    throw error
  }
}

function listStatement({ sql }: Database, query: RunQuery): Statement {
  const { owner, status, callId, chat, dueBefore, limit } = query
  checkLimit(limit)
  const place = placeAfter(query)
  const wheres: string[] = []
  const values: SqlValue[] = []
  const where = (condition: string, ...given: readonly SqlValue[]) => {
    wheres.push(condition)
    values.push(...given)
  }
  if (owner !== undefined) where('owner = ?', toColumn(owner))
  if (status !== undefined) where('status = ?', status)
  if (callId !== undefined) where(sql.hasCallId, JSON.stringify(toColumn(callId)))
  if (chat !== undefined) where('chat = ?', toColumn(chat))
  if (dueBefore !== undefined) where('due_at < ?', dueBefore)
  if (place) {
    const { updatedAt, runId } = place
    where('(updated_at < ? OR (updated_at = ? AND run_id > ?))', updatedAt, updatedAt, runId)
  }
  const condition = wheres.length > 0 ? ` WHERE ${wheres.join(' AND ')}` : ''
  return {
    text: `SELECT run_id, version, format, entry FROM ${sql.table('runs')}${condition} ORDER BY updated_at DESC, run_id LIMIT ?`,
    values: [...values, limit + 1],
  }
}

/** The version of the entry format. Entries with a different version are rejected. */
const format = 1

function toEntry(row: SqlRow, runId: string): RunEntry {
  if (Number(row.format) !== format)
    throw unreadable(runId, `has format ${Number(row.format)}. Use the version that wrote it.`)
  const entry = parse(row.entry)
  const wrong = wrongFieldOf(entry)
  if (wrong === undefined) return entry as RunEntry
  throw unreadable(
    runId,
    `is damaged: ${wrong} is missing or invalid. Restore it from a backup, or delete it.`,
  )
}

function toEvent(row: SqlRow, { runId, seq }: { readonly runId: string; readonly seq: number }): StoredEvent {
  const event = parse(row.event) as StoredEvent | null | undefined
  if (Number(row.seq) === seq && event?.seq === seq) return event
  throw unreadable(
    runId,
    `is damaged: event ${seq} is missing or invalid. Restore it from a backup, or delete it.`,
  )
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

function unreadable(runId: string, why: string): CapstanError {
  return new CapstanError('invalid_state', `Run "${runId}" ${why}`, { evidence: { runId } })
}

function sqlKeys(db: Database): Pick<RunStore, 'setOnce' | 'find'> {
  const keys = db.sql.table('keys')
  const { now } = db.sql
  const sweep = everyMinute(() =>
    db.query({ text: `DELETE FROM ${keys} WHERE expires_at <= ${now} RETURNING 1 AS gone`, values: [] }),
  )
  return {
    async setOnce(key, value, expiresAt) {
      checkKey(key)
      checkExpiry(expiresAt)
      const values = [key, toValueText(value), expiresAt ?? null]
      await sweep()
      const rows = await db.query({
        text: `INSERT INTO ${keys} AS k (key, value, expires_at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at WHERE k.expires_at <= ${now} RETURNING key`,
        values,
      })
      return rows.length > 0
    },
    async find(key) {
      checkKey(key)
      const text = `SELECT value FROM ${keys} WHERE key = ? AND (expires_at IS NULL OR expires_at > ${now})`
      const [row] = await db.query({ text, values: [key] })
      if (!row) return undefined
      const value = parse(row.value)
      if (value !== undefined) return value as Json
      const message = `The value of key "${key}" is damaged. Restore it from a backup.`
      throw new CapstanError('invalid_state', message, { evidence: { key } })
    },
  }
}
