import { CapstanError, type SessionStore } from '@capstan/core'
import { kindOf, messageOf } from '@capstan/core/internal'
import type { RunStore } from './run-store.js'
import type { Database, SqlRow, Statement } from './sql/database.js'
import { sqlRunStore } from './sql/runs.js'
import { sqlSessions } from './sql/sessions.js'
import { sqliteDialect, sqliteTables } from './sql/sqlite-dialect.js'
import { invalid } from './stored-json.js'

/** The methods of Cloudflare's `D1Database` that the stores use. */
export interface D1Like {
  prepare(sql: string): D1LikeStatement
  batch(statements: D1LikeStatement[]): Promise<readonly D1LikeResult[]>
}

export interface D1LikeStatement {
  bind(...values: unknown[]): D1LikeStatement
  all(): Promise<D1LikeResult>
}

export interface D1LikeResult {
  readonly results: readonly unknown[]
}

/**
 * Creates a run store in D1, for any number of Workers: `d1RunStore(env.DB)`. The store creates its tables on first
 * use, and uses the database's clock. D1 limits an entry, an event, and the data of one `append` to 2 MB each. Pass the
 * database itself, not a D1 session, because a session may return old data. Workers KV cannot be used instead: its
 * writes are not visible immediately, and it has no conditional writes.
 * @throws CapstanError `invalid_request` for a value that is not a D1 database, such as a KV namespace
 */
export function d1RunStore(db: D1Like): RunStore {
  return sqlRunStore(d1Database(db, 'd1RunStore'))
}

/**
 * Creates a session store in D1, for any number of Workers. Takes the same argument and throws the same errors as
 * `d1RunStore`.
 */
export function d1Sessions(db: D1Like): SessionStore {
  return sqlSessions(d1Database(db, 'd1Sessions'))
}

/** Returns the database for a D1 binding. All stores with the same binding share it. */
function d1Database(db: D1Like, of: string): Database {
  const { prepare, batch } = Object(db) as Partial<D1Like>
  if (typeof prepare !== 'function' || typeof batch !== 'function')
    throw invalid(
      `${of} takes a D1 database, not ${kindOf(db)}. Pass env.DB. A KV namespace is not consistent enough.`,
    )
  const known = databases.get(db) ?? openDatabase(db)
  databases.set(db, known)
  return known
}

const databases = new WeakMap<D1Like, Database>()

function openDatabase(db: D1Like): Database {
  // This is not a promise, because a request to a Worker cannot wait for work that another request started.
  let isReady = false
  const execute = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      if (!isReady) await db.batch(sqliteTables.map((text) => db.prepare(text)))
      isReady = true
      return await work()
    } catch (error) {
      throw failureOf(error)
    }
  }
  const bound = ({ text, values }: Statement) => db.prepare(text).bind(...values)
  return {
    sql: sqliteDialect,
    query: (statement) => execute(async () => rowsOf(await bound(statement).all())),
    batch: (statements) => execute(async () => (await db.batch(statements.map(bound))).map(rowsOf)),
    // D1 executes one batch at a time, so there are no races.
    isRace: () => false,
  }
}

function rowsOf({ results }: D1LikeResult): readonly SqlRow[] {
  return results as SqlRow[]
}

/**
 * Converts an error from D1 to a CapstanError: `invalid_request` for too much data, `network` if the connection was
 * lost, and otherwise `api`.
 */
function failureOf(error: unknown): CapstanError {
  const reason = messageOf(error)
  if (/too.?big/i.test(reason)) {
    const message = `D1 accepts values of at most 2 MB: ${reason}. Nothing was stored. Store large data as artifacts.`
    return new CapstanError('invalid_request', message, { cause: error })
  }
  // Cloudflare documents these messages, but no error names.
  const isLost = /connection lost|overloaded|reset|exceeded timeout|storage operation/i.test(reason)
  const message = isLost
    ? `Cannot reach D1: ${reason}. Try again; the change may already be stored.`
    : `D1 failed: ${reason}`
  return new CapstanError(isLost ? 'network' : 'api', message, { cause: error, retryable: isLost })
}
