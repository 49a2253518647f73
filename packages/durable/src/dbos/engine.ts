import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyAgent, CapstanError, type Json, type RunEvent } from '@capstan/core'
import type { DBOSClient, DBOSConfig } from '@dbos-inc/dbos-sdk'
import type { Pool } from 'pg'
import { createTables } from './heartbeat.js'

/** How runs of an agent are kept in PostgreSQL and worked on by DBOS. */
export interface DbosOptions {
  /** Address of the database: `postgresql://user:password@host:5432/name`. Default: `DBOS_SYSTEM_DATABASE_URL`. */
  readonly database?: string
  /** The queue that runs wait in until a worker has a place for them. Default `capstan`. */
  readonly queue?: string
  /** Keeps programs apart that share a database. Default `capstan`. */
  readonly application?: string
  /** Bytes that one step may come to. Default 256 KiB. */
  readonly maxStepBytes?: number
  /** Whether workers tell what happens in a run while it happens, and models are asked to stream. Default true. */
  readonly live?: boolean
  /** Whether tables are made and brought up to date. Default true; `false` where the account may not. */
  readonly migrate?: boolean
}

/** What makes the context of a run, wherever it is worked on. */
export type CreateContext = (runId: string, data: Json | undefined) => unknown

/** An agent, and how its runs are kept. */
export interface DbosConfig {
  readonly agent: AnyAgent
  readonly context: CreateContext | undefined
  readonly database: string | undefined
  /** Its application and queue: what the engine calls the queue, and whose versions there are. */
  readonly namespace: string
  readonly maxStepBytes: number
  readonly live: boolean
  readonly migrate: boolean
}

/** The engine with a way to its database. */
export interface Connection {
  readonly dbos: Dbos
  readonly client: DBOSClient
  readonly pool: Pool
  /** For the engine of a worker: nothing is connected before it is used. */
  readonly enginePool: Pool
  readonly url: string
}

/** Tells whoever listens, wherever that is. */
export interface Publisher {
  (event: RunEvent): void
  /** Resolves when all that was told is sent, or lost. */
  sent(): Promise<void>
}

/** What a worker works with. */
export interface Engine {
  readonly dbos: Dbos
  /** Aborts when the worker has let go of its runs. */
  readonly signal: AbortSignal
  publish(runId: string): Publisher | undefined
}

/** @throws CapstanError `unsupported` when the engine is not installed, `network` when the database cannot be reached */
export async function connect(
  { database, namespace: place, migrate: mayMigrate }: DbosConfig,
  poolSize = 20,
): Promise<Connection> {
  const { dbos, pg } = await loadDbos()
  const url = databaseUrl(database)
  const pool = createPool(pg, url, 8)
  try {
    if (mayMigrate) await migrate(dbos, pool, url)
    const client = await dbos.DBOSClient.create({
      systemDatabaseUrl: url,
      systemDatabasePool: pool,
      applicationName: place,
      logger: silentLogger,
    })
    return { dbos, client, pool, enginePool: createPool(pg, url, poolSize), url }
  } catch (cause) {
    await pool.end()
    throw databaseError(url, cause)
  }
}

function createPool(pg: Pg, connectionString: string, max: number): Pool {
  const pool = new pg.Pool({ connectionString, max, idle_in_transaction_session_timeout: 10_000 })
  // A connection that ends tells whoever asks something of it; nobody else needs to hear.
  pool.on('error', () => {})
  pool.on('connect', (connection) => connection.on('error', () => {}))
  return pool
}

/** Where a database is, and never who asks: addresses have passwords in them. */
export function redactUrl(url: string): string {
  const { host = '', pathname = '' } = URL.canParse(url) ? new URL(url) : {}
  return `${host}${pathname}`
}

function databaseError(url: string, cause: unknown): CapstanError {
  const { code, message, errors } = Object(cause) as {
    code?: string
    message?: string
    errors?: readonly Error[]
  }
  const why = message || errors?.[0]?.message || String(code)
  const text = `The database at "${redactUrl(url)}" cannot be used: ${why}`
  return new CapstanError('network', text, { cause, retryable: true, evidence: { code } })
}

function databaseUrl(database: string | undefined): string {
  const url = database ?? process.env.DBOS_SYSTEM_DATABASE_URL
  if (url) return url
  throw new TypeError(
    'No database is named: give { database: "postgresql://..." }, or set DBOS_SYSTEM_DATABASE_URL.',
  )
}

/** What goes wrong is thrown to whoever asked. */
const ignore = () => {}
export const silentLogger: NonNullable<DBOSConfig['logger']> = {
  info: ignore,
  debug: ignore,
  warn: ignore,
  error: ignore,
}

export type Dbos = typeof import('@dbos-inc/dbos-sdk')
type Pg = typeof import('pg')

/** The engine and its driver, which only those install who use them. @throws CapstanError `unsupported` */
async function loadDbos(): Promise<{ readonly dbos: Dbos; readonly pg: Pg }> {
  try {
    const [dbos, pg] = await Promise.all([import('@dbos-inc/dbos-sdk'), import('pg')])
    return { dbos, pg: (pg as Pg & { readonly default?: Pg }).default ?? pg }
  } catch (cause) {
    const message = '@capstan/durable/dbos needs two packages: npm install @dbos-inc/dbos-sdk pg'
    throw new CapstanError('unsupported', message, { cause })
  }
}

/** Makes the tables, or brings them up to date: one process at a time, since two would deadlock. */
async function migrate({ DBOS }: Dbos, pool: Pool, url: string): Promise<void> {
  const connection = await pool.connect()
  try {
    // Asked again and again: one that waits in the database holds up the indexes that are being made there.
    while (!(await tryLock(connection))) await sleep(50)
    await DBOS.migrate(url)
    await createTables(pool)
  } finally {
    await connection.query('SELECT pg_advisory_unlock($1)', [migrationLock]).catch(() => {})
    connection.release()
  }
}

const migrationLock = 4_015_771

async function tryLock(connection: { query: Pool['query'] }): Promise<boolean> {
  const { rows } = await connection.query('SELECT pg_try_advisory_lock($1) AS has', [migrationLock])
  return rows[0]?.has === true
}
