import { CapstanError, type LedgerStore, type SessionStore } from '@capstan/core'
import { kindOf, messageOf } from '@capstan/core/internal'
import type { RunStore } from './run-store.js'
import {
  type SqlRow,
  type Statement,
  type Steps,
  stepsOf,
  type TransactionalDatabase,
} from './sql/database.js'
import { sqlLedger } from './sql/ledger.js'
import { sqlRunStore } from './sql/runs.js'
import { sqlSessions } from './sql/sessions.js'
import { sqliteDialect, sqliteTables } from './sql/sqlite-dialect.js'
import { invalid } from './stored-json.js'

/** The methods of a `node:sqlite`, `libsql` or `better-sqlite3` database that the stores use. */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
}

export interface SqliteStatement {
  // The drivers accept different types of values, but each of them accepts `SqlValue`.
  all(...values: never[]): unknown[]
}

/**
 * Creates a run store in an SQLite file, which all processes on one machine can share. Pass a `node:sqlite` (Node
 * 22.13), `libsql` or `better-sqlite3` database. The first use creates the tables and configures the connection: WAL,
 * `synchronous = FULL`, and a busy timeout of at least 5 s. These drivers block this process while another process
 * writes. After the timeout, the method throws a CapstanError `timeout`, and nothing is stored.
 * @throws CapstanError `invalid_request` for a value that is not such a database
 */
export function sqliteRunStore(db: SqliteDatabase): RunStore {
  return sqlRunStore(sqliteDatabase(db, 'sqliteRunStore'))
}

/**
 * Creates a session store in an SQLite file. Takes the same argument and throws the same errors as `sqliteRunStore`.
 */
export function sqliteSessions(db: SqliteDatabase): SessionStore {
  return sqlSessions(sqliteDatabase(db, 'sqliteSessions'))
}

/** Creates a ledger in an SQLite file. Takes the same argument and throws the same errors as `sqliteRunStore`. */
export function sqliteLedger(db: SqliteDatabase): LedgerStore {
  return sqlLedger(sqliteDatabase(db, 'sqliteLedger'))
}

/** Returns the database for a driver's object. All stores with the same object share it. */
function sqliteDatabase(db: SqliteDatabase, of: string): TransactionalDatabase {
  const { exec, prepare } = Object(db) as Partial<SqliteDatabase>
  if (typeof exec !== 'function' || typeof prepare !== 'function')
    throw invalid(`${of} takes a database, not ${kindOf(db)}. Use new DatabaseSync(file) of node:sqlite.`)
  const known = databases.get(db) ?? openDatabase(db)
  databases.set(db, known)
  return known
}

const databases = new WeakMap<SqliteDatabase, TransactionalDatabase>()

function openDatabase(db: SqliteDatabase): TransactionalDatabase {
  let isReady = false
  const execute = async <T>(work: () => T): Promise<T> => {
    try {
      if (!isReady) await retryWhileBusy(() => prepareConnection(db))
      isReady = true
      return work()
    } catch (error) {
      throw failureOf(error)
    }
  }
  const transaction = <T>(steps: () => Steps<T>) => execute(() => runTransaction(db, steps))
  return {
    sql: sqliteDialect,
    query: (statement) => execute(() => rowsOf(db, statement)),
    batch: (statements) => transaction(() => stepsOf(statements)),
    transaction,
    // Only one process writes at a time, and it can read all earlier writes.
    isRace: () => false,
  }
}

function rowsOf(db: SqliteDatabase, { text, values }: Statement): readonly SqlRow[] {
  const rows: unknown = db.prepare(text).all?.(...(values as never[]))
  if (Array.isArray(rows)) return rows
  throw invalid('This database returns promises. Use a database of node:sqlite, libsql or better-sqlite3.')
}

/** Runs a transaction synchronously, so that no other statement on this connection can run in between. */
function runTransaction<T>(db: SqliteDatabase, steps: () => Steps<T>): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const running = steps()
    let step = running.next()
    while (!step.done) step = running.next(rowsOf(db, step.value))
    db.exec('COMMIT')
    return step.value
  } catch (error) {
    rollBack(db)
    throw error
  }
}

/**
 * Rolls back a transaction. Ignores failures, because the transaction has already ended after some errors, such as a
 * full disk.
 */
function rollBack(db: SqliteDatabase): void {
  try {
    db.exec('ROLLBACK')
  } catch {
    // The first error is more useful.
  }
}

/** Minimum busy timeout in milliseconds, which is how long a statement waits for another process. */
const busyMs = 5000

function prepareConnection(db: SqliteDatabase): void {
  const pragma = (name: string) =>
    Object.values(rowsOf(db, { text: `PRAGMA ${name}`, values: [] })[0] ?? {})[0]
  // The driver's own timeout may be longer.
  if (Number(pragma('busy_timeout')) < busyMs) db.exec(`PRAGMA busy_timeout = ${busyMs}`)
  if (pragma('journal_mode') !== 'wal') db.exec('PRAGMA journal_mode = WAL')
  // With the default of some drivers, the last changes are lost if the machine crashes.
  db.exec('PRAGMA synchronous = FULL')
  db.exec(`BEGIN IMMEDIATE; ${sqliteTables.join('; ')}; COMMIT`)
}

/** Retries work while the database is busy. Switching to WAL does not wait for other processes by itself. */
async function retryWhileBusy(work: () => void): Promise<void> {
  for (const end = Date.now() + busyMs; ; ) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || Date.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function isBusy(error: unknown): boolean {
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown }
  // With node:sqlite, the lowest byte of the number contains the kind of error.
  return String(code).startsWith('SQLITE_BUSY') || (Number(errcode) & 255) === 5
}

/** Converts an error from SQLite to a CapstanError: `timeout` if the database is locked, and otherwise `api`. */
function failureOf(error: unknown): CapstanError {
  if (error instanceof CapstanError) return error
  if (!isBusy(error)) return new CapstanError('api', `SQLite failed: ${messageOf(error)}`, { cause: error })
  const message = `Another process has locked SQLite for more than ${busyMs / 1000} s. Nothing was stored. Try again.`
  return new CapstanError('timeout', message, { cause: error, retryable: true })
}
