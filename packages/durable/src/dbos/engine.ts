import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyAgent, CapstanError, type Json, type RunEvent } from '@capstan/core'
import type { DBOSClient, DBOSConfig } from '@dbos-inc/dbos-sdk'
import type { Pool } from 'pg'
import type { Claims } from './claims.js'
import { createTables } from './heartbeat.js'

/** Options for an agent whose runs are stored in PostgreSQL and executed by DBOS. */
export interface DbosOptions {
  /** The database URL: `postgresql://user:password@host:5432/name`. Default: `DBOS_SYSTEM_DATABASE_URL`. */
  readonly database?: string
  /** The name of the queue in which runs wait for a worker. Default: `capstan`. */
  readonly queue?: string
  /** The application's name. Applications that share a database must have different names. Default: `capstan`. */
  readonly application?: string
  /** Maximum size of a step's result, in bytes of JSON. Default 256 KiB. */
  readonly maxStepBytes?: number
  /** Whether models stream their replies and workers publish events while runs are in progress. Default true. */
  readonly live?: boolean
  /**
   * Whether to create and migrate tables. Default true. Set it to `false` if the database user is not allowed to change
   * tables.
   */
  readonly migrate?: boolean
}

/** Creates a run's context in its worker, from the run's id and the `data` that it was started with. */
export type CreateContext = (runId: string, data: Json | undefined) => unknown

/** A durable agent's configuration: the agent, and its options with defaults. */
export interface DbosConfig {
  readonly agent: AnyAgent
  readonly context: CreateContext | undefined
  readonly database: string | undefined
  /**
   * `application/queue`: the name of the engine's queue. Worker versions start with this name, so applications never
   * share a version.
   */
  readonly namespace: string
  readonly maxStepBytes: number
  readonly live: boolean
  readonly migrate: boolean
}

/** A loaded engine and its database connections. */
export interface Connection {
  readonly dbos: Dbos
  readonly client: DBOSClient
  readonly pool: Pool
  /** The connection pool for a worker's engine. The pool connects on first use. */
  readonly enginePool: Pool
  readonly url: string
}

/** Publishes a run's events to subscribers in any process. */
export interface Publisher {
  (event: RunEvent): void
  /** Resolves when every published event has been sent, or has been lost because the database was unreachable. */
  sent(): Promise<void>
}

/** The engine that a running worker uses. */
export interface Engine {
  readonly dbos: Dbos
  /** Aborts when the worker has released its runs. */
  readonly signal: AbortSignal
  readonly claims: Claims
  publish(runId: string): Publisher | undefined
}

/**
 * Loads the engine and connects to the database.
 * @throws CapstanError `unsupported` if the engine is not installed, `network` if the database is unreachable
 */
export async function connect(
  { database, namespace, migrate: mayMigrate }: DbosConfig,
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
      applicationName: namespace,
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
  // Ignore the errors of idle connections, because queries report lost connections.
  pool.on('error', () => {})
  pool.on('connect', (connection) => connection.on('error', () => {}))
  return pool
}

/** Returns a database URL's host and path, without the user and password. */
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
  const text = `Cannot use the database at "${redactUrl(url)}": ${why}`
  return new CapstanError('network', text, { cause, retryable: true, evidence: { code } })
}

function databaseUrl(database: string | undefined): string {
  const url = database ?? process.env.DBOS_SYSTEM_DATABASE_URL
  if (url) return url
  throw new TypeError(
    'No database URL. Pass { database: "postgresql://..." } or set DBOS_SYSTEM_DATABASE_URL.',
  )
}

/** Discards the engine's log messages, because failures reach the caller as errors. */
const ignore = () => {}
export const silentLogger: NonNullable<DBOSConfig['logger']> = {
  info: ignore,
  debug: ignore,
  warn: ignore,
  error: ignore,
}

export type Dbos = typeof import('@dbos-inc/dbos-sdk')
type Pg = typeof import('pg')

/**
 * Loads the engine and its PostgreSQL driver, which are optional dependencies.
 * @throws CapstanError `unsupported` if one is not installed
 */
async function loadDbos(): Promise<{ readonly dbos: Dbos; readonly pg: Pg }> {
  try {
    // A separate `catch` for each import lets esbuild bundle this code without the packages. The comments have the same
    // purpose for webpack.
    const [dbos, pg] = await Promise.all([
      import(/* webpackIgnore: true */ '@dbos-inc/dbos-sdk').catch((cause) => Promise.reject(cause)),
      import(/* webpackIgnore: true */ 'pg').catch((cause) => Promise.reject(cause)),
    ])
    return { dbos, pg: (pg as Pg & { readonly default?: Pg }).default ?? pg }
  } catch (cause) {
    const message = '@capstan/durable/dbos needs two packages. Run npm install @dbos-inc/dbos-sdk pg'
    throw new CapstanError('unsupported', message, { cause })
  }
}

/**
 * Creates or migrates the tables. The lock ensures that only one process does so at a time, because two would deadlock.
 */
async function migrate({ DBOS }: Dbos, pool: Pool, url: string): Promise<void> {
  const connection = await pool.connect()
  try {
    // Poll for the lock, because a waiting transaction would block the creation of indexes.
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
