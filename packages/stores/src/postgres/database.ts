import { CapstanError } from '@capstan/core'
import { messageOf } from '@capstan/core/internal'
import {
  type Dialect,
  type Statement,
  type Steps,
  stepsOf,
  type TransactionalDatabase,
  tableNames,
} from '../sql/database.js'
import { createTables } from '../sql/tables.js'
import type { PgClient, PgPool } from './pool.js'

/** The channel on which all notifications are sent. */
export const channel = 'capstan_runs'

/** Returns the database for a pool and schema. All stores with the same pool and schema share it. */
export function pgDatabase(pool: PgPool, schema: string): TransactionalDatabase {
  const known = databases.get(pool) ?? new Map<string, TransactionalDatabase>()
  const database = known.get(schema) ?? openDatabase(pool, schema)
  databases.set(pool, known.set(schema, database))
  return database
}

const databases = new WeakMap<PgPool, Map<string, TransactionalDatabase>>()

function openDatabase(pool: PgPool, schema: string): TransactionalDatabase {
  // `pg` removes a lost idle connection from the pool, and emits this event. Without a listener, the event would end
  // the process.
  pool.on?.('error', () => {})
  const sql = dialectOf(schema)
  let ready: Promise<void> | undefined
  const prepare = async () => {
    ready ??= prepareTables(pool, sql, schema)
    try {
      await ready
    } catch (error) {
      ready = undefined
      throw error
    }
  }
  /**
   * Waits until the tables exist, then calls `work`. Calls `work` again if the database rolled it back because of a
   * concurrent transaction.
   */
  const execute = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await prepare()
      for (let left = 10; ; left--) {
        try {
          return await work()
        } catch (error) {
          if (left === 0 || !undone.has(sqlState(error))) throw error
        }
      }
    } catch (error) {
      throw races.has(sqlState(error)) ? error : failureOf(error)
    }
  }
  const transaction = <T>(steps: () => Steps<T>) => execute(() => runTransaction(pool, steps, schema))
  return {
    sql,
    query: (statement) => execute(async () => (await pool.query(...toQuery(statement, schema))).rows),
    batch: (statements) => transaction(() => stepsOf(statements)),
    transaction,
    isRace: (error) => races.has(sqlState(error)),
  }
}

function dialectOf(schema: string): Dialect {
  return {
    table: (name) => `"${schema}"."${name}"`,
    now: 'CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)',
    elements: 'json_array_elements_text(CAST(? AS json)) WITH ORDINALITY AS e(value, n)',
    callIds: 'CAST(? AS jsonb)',
    hasCallId: 'call_ids @> CAST(? AS jsonb)',
  }
}

/** Converts a statement to `pg`'s form. A statement that changes a run also notifies the run's watchers. */
function toQuery({ text, values, changes }: Statement, schema: string): [string, unknown[]] {
  const whole =
    changes === undefined
      ? text
      : `WITH changed AS (${text}) SELECT changed.*, pg_notify('${channel}', ?) FROM changed`
  let at = 0
  const numbered = whole.replace(/\?/g, () => `$${++at}`)
  return [numbered, [...values, ...(changes === undefined ? [] : [payloadOf(schema, changes)])]]
}

/** Returns the payload of the notifications for a run's watchers. */
export function payloadOf(schema: string, runId: string): string {
  return `${schema}/${runId}`
}

async function runTransaction<T>(pool: PgPool, steps: () => Steps<T>, schema: string): Promise<T> {
  const client = await pool.connect()
  guard(client)
  let isBroken = true
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
    const running = steps()
    let step = running.next()
    while (!step.done) step = running.next((await client.query(...toQuery(step.value, schema))).rows)
    await client.query('COMMIT')
    isBroken = false
    return step.value
  } catch (error) {
    // After a failed statement, the connection can still be used unless the rollback also fails.
    await client.query('ROLLBACK').then(
      () => {
        isBroken = false
      },
      () => {},
    )
    throw error
  } finally {
    client.release(isBroken)
  }
}

/**
 * Ignores a client's `error` events. If the connection is lost, the query fails anyway, but without a listener the
 * event would end the process.
 */
export function guard(client: PgClient): void {
  if (guarded.has(client)) return
  guarded.add(client)
  client.on?.('error', () => {})
}

const guarded = new WeakSet<PgClient>()

/**
 * Creates tables that do not exist. A user who is not allowed to create tables can use existing ones. If several
 * processes start at the same time, one of them creates the tables while the others wait for its lock.
 */
async function prepareTables(pool: PgPool, sql: Dialect, schema: string): Promise<void> {
  const present = tableNames.map((name) => `to_regclass('${sql.table(name)}') IS NOT NULL`).join(' AND ')
  const { rows } = await pool.query(
    `SELECT to_regnamespace('"${schema}"') IS NOT NULL AS has_schema, ${present} AS has_tables`,
  )
  if (rows[0]?.has_tables === true) return
  const runs = sql.table('runs')
  const create = [
    `SELECT pg_advisory_xact_lock(${lockKey})`,
    // This statement requires a privilege, even if the schema exists.
    ...(rows[0]?.has_schema === true ? [] : [`CREATE SCHEMA IF NOT EXISTS "${schema}"`]),
    ...createTables(sql, { key: 'text COLLATE "C"', callIds: 'jsonb' }),
    // A B-tree index limits the length of values, and owners and chats may be longer.
    `CREATE INDEX IF NOT EXISTS runs_owner ON ${runs} USING hash (owner)`,
    `CREATE INDEX IF NOT EXISTS runs_chat ON ${runs} USING hash (chat)`,
    `CREATE INDEX IF NOT EXISTS runs_call_ids ON ${runs} USING gin (call_ids)`,
    `CREATE INDEX IF NOT EXISTS runs_due_at ON ${runs} (due_at)`,
    `CREATE INDEX IF NOT EXISTS runs_updated_at ON ${runs} (updated_at DESC, run_id)`,
    `CREATE INDEX IF NOT EXISTS keys_expires_at ON ${sql.table('keys')} (expires_at)`,
    `CREATE INDEX IF NOT EXISTS sessions_updated_at ON ${sql.table('sessions')} (updated_at DESC, session_id)`,
    `CREATE INDEX IF NOT EXISTS ledger_reservations_open ON ${sql.table('ledger_reservations')} (account, period) WHERE is_settled = 0`,
    `CREATE INDEX IF NOT EXISTS ledger_reservations_ends_at ON ${sql.table('ledger_reservations')} (ends_at)`,
    `CREATE INDEX IF NOT EXISTS ledger_windows_ends_at ON ${sql.table('ledger_windows')} (ends_at)`,
    `CREATE INDEX IF NOT EXISTS sessions_root ON ${sql.table('sessions')} (root)`,
  ]
  // Several statements in one query form a transaction.
  await pool.query(create.join('; '))
}

/** The key of the lock for creating tables. It can be any number that is not used for another lock. */
const lockKey = 4_731_902_255_018

function sqlState(error: unknown): string {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : ''
}

/**
 * SQLSTATE codes that mean another writer was first: the key already exists, or the referenced row has been deleted.
 */
const races = new Set(['23505', '23503'])

/**
 * SQLSTATE codes that mean the work was rolled back because of a concurrent transaction: a serialization failure or a
 * deadlock.
 */
const undone = new Set(['40001', '40P01'])

/**
 * Converts an error from PostgreSQL to a CapstanError: `network` if the connection was lost or refused, and otherwise
 * `api`.
 */
function failureOf(error: unknown): CapstanError {
  if (error instanceof CapstanError) return error
  const state = sqlState(error)
  // Classes 08, 53 and 57P stand for connection errors, too many connections, and shutdown. An error without an
  // SQLSTATE code is not from the server.
  const isLost = /^(08|53|57P)/.test(state) || (state === '' && !(error instanceof SyntaxError))
  const message = isLost
    ? `Cannot reach PostgreSQL: ${reasonOf(error)}. Try again; the change may already be stored.`
    : `PostgreSQL failed: ${reasonOf(error)}`
  const evidence = state === '' ? {} : { state }
  return new CapstanError(isLost ? 'network' : 'api', message, { cause: error, retryable: isLost, evidence })
}

/** Returns the reason for an error. An error that combines several causes, one per address, has no message. */
function reasonOf(error: unknown): string {
  const { errors } = Object(error) as { errors?: unknown }
  return messageOf(Array.isArray(errors) ? errors[0] : error)
}
