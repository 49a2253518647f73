import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../../../scripts/postgres.mjs'
import { cpuOf } from './cpu-of.js'

/** A PostgreSQL server that can report its statistics. */
export class Database {
  readonly url: string
  readonly #server: PostgresServer
  readonly #pool: pg.Pool
  readonly #pid: number

  private constructor(server: PostgresServer, pool: pg.Pool, pid: number) {
    this.url = server.url
    this.#server = server
    this.#pool = pool
    this.#pid = pid
  }

  static async start(): Promise<Database | undefined> {
    const server = await startPostgres()
    if (!server) return undefined
    const pool = new pg.Pool({ connectionString: server.url, max: 1 })
    const { rows } = await pool.query<{ data_directory: string }>('SHOW data_directory')
    const file = join(rows[0]?.data_directory ?? '', 'postmaster.pid')
    return new Database(server, pool, Number(readFileSync(file, 'utf8').split('\n')[0]))
  }

  cpu(): number | undefined {
    return cpuOf(this.#pid)
  }

  /** Returns its statistics. */
  async load(): Promise<Load> {
    // PostgreSQL updates its processes' counts once per second.
    await sleep(1500)
    const { rows } = await this.#pool.query<Load>(
      `SELECT xact_commit::int AS transactions, pg_database_size(datname)::int AS bytes,
         numbackends::int AS connections FROM pg_stat_database WHERE datname = current_database()`,
    )
    return rows[0] as Load
  }

  /** Returns the number of runs that have ended. */
  async ended(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM dbos.workflow_status WHERE status = 'SUCCESS'`,
    )
    return rows[0]?.count ?? 0
  }

  async endedByWorker(): Promise<readonly number[]> {
    const { rows } = await this.#pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM dbos.workflow_status GROUP BY executor_id ORDER BY executor_id',
    )
    return rows.map(({ count }) => count)
  }

  async stop(): Promise<void> {
    await this.#pool.end()
    this.#server.stop()
  }
}

export interface Load {
  readonly transactions: number
  readonly bytes: number
  readonly connections: number
}
