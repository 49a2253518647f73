import type { Pool, PoolClient } from 'pg'

/** A row of the table `capstan.workers`. */
export interface WorkerRow {
  /** The namespace of the worker's queue. Stored in the column `place`. */
  readonly namespace: string
  /** The engine's id for the worker's process. */
  readonly id: string
  readonly version: string
}

/** Creates this package's schema and tables if they do not exist. */
export async function createTables(pool: Pool): Promise<void> {
  await pool.query('CREATE SCHEMA IF NOT EXISTS capstan')
  await pool.query(`CREATE TABLE IF NOT EXISTS capstan.workers (
    place text NOT NULL, id text NOT NULL, version text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (place, id))`)
  await pool.query(`CREATE TABLE IF NOT EXISTS capstan.rescues (
    workflow_id text PRIMARY KEY, place text NOT NULL, times integer NOT NULL, set_aside boolean NOT NULL DEFAULT false)`)
}

/**
 * A worker's heartbeat. It consists of a row with the time of the last heartbeat, and an advisory lock on the
 * connection that writes the row. PostgreSQL releases the lock when the process ends, so a restarted worker with the
 * same name does not have to wait for the timeout.
 */
export class Heartbeat {
  readonly #pool: Pool
  readonly #me: WorkerRow
  readonly #deadAfterMs: number
  #connection: PoolClient | undefined
  #beating: Promise<void> | undefined
  #last: Beat = { at: Number.NEGATIVE_INFINITY, on: 0 }
  #judgesFrom = Number.NEGATIVE_INFINITY

  constructor(pool: Pool, me: WorkerRow, deadAfterMs: number) {
    this.#pool = pool
    this.#me = me
    this.#deadAfterMs = deadAfterMs
  }

  /** The engine's id for this process. */
  get executor(): string {
    return this.#me.id
  }

  get last(): Beat {
    return this.#last
  }

  /** Whether the given heartbeat is so recent that no other worker can have declared this worker dead since. */
  isAlive(since = this.#last): boolean {
    return silence(since) < this.#deadAfterMs
  }

  /** Whether the last heartbeat is older than half the timeout. */
  isLate(): boolean {
    return silence(this.#last) > this.#deadAfterMs / 2
  }

  /**
   * Whether this worker can declare other workers dead. After a database outage or a suspension, it cannot do so for a
   * while, because the other workers' heartbeats may be just as old as its own.
   */
  canJudge(): boolean {
    return this.isAlive() && performance.now() > this.#judgesFrom
  }

  /** Writes the current time to the worker's row. Concurrent calls share one query. */
  beat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined
    })
    return this.#beating
  }

  async #beat(): Promise<void> {
    const { namespace, id, version } = this.#me
    const isFirst = this.#last.on === 0
    if (!isFirst && !this.isAlive()) this.#judgesFrom = performance.now() + this.#deadAfterMs / 2
    try {
      this.#connection ??= await this.#connect()
      const last = { at: performance.now(), on: Date.now() }
      await this.#connection.query(
        `INSERT INTO capstan.workers (place, id, version) VALUES ($1, $2, $3)
         ON CONFLICT (place, id) DO UPDATE SET version = $3, seen_at = now()`,
        [namespace, id, version],
      )
      this.#last = last
    } catch (error) {
      this.#judgesFrom = performance.now() + this.#deadAfterMs
      this.#drop()
      throw error
    }
  }

  /** Marks the worker as gone, so that other workers take over its work immediately. */
  async end(): Promise<void> {
    const left = "UPDATE capstan.workers SET seen_at = 'epoch' WHERE place = $1 AND id = $2"
    try {
      await this.#pool.query(left, [this.#me.namespace, this.#me.id])
    } finally {
      this.#drop()
    }
  }

  async #connect(): Promise<PoolClient> {
    const connection = await this.#pool.connect()
    try {
      const { namespace, id } = this.#me
      // The lock is shared, because a lost connection of this process may still hold it.
      await connection.query('SELECT pg_advisory_lock_shared(hashtext($1), hashtext($2))', [namespace, id])
      return connection
    } catch (error) {
      connection.release(true)
      throw error
    }
  }

  #drop(): void {
    this.#connection?.release(true)
    this.#connection = undefined
  }
}

/**
 * The time of a heartbeat: `at` by the monotonic clock, which stops while the machine sleeps, and `on` by the wall
 * clock.
 */
interface Beat {
  readonly at: number
  readonly on: number
}

function silence({ at, on }: Beat): number {
  return Math.max(performance.now() - at, Date.now() - on)
}

/**
 * Returns an SQL condition that is true while a worker's process is connected. The condition tests the process's lock.
 */
export const isConnected = (namespace: string, executor: string) => `EXISTS (SELECT 1 FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.objsubid = 2
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid = hashtext(${namespace})::oid AND l.objid = hashtext(${executor})::oid)`

/** Whether a worker with this version has sent a heartbeat within the given time. */
export async function hasWorker(
  pool: Pool,
  { namespace, version }: Omit<WorkerRow, 'id'>,
  withinMs: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT 1 FROM capstan.workers WHERE place = $1 AND version = $2
       AND seen_at > now() - make_interval(secs => $3) LIMIT 1`,
    [namespace, version, withinMs / 1000],
  )
  return rowCount !== 0
}

/** Whether a workflow was paused because too many workers died while executing it. */
export async function isPaused(pool: Pool, workflowID: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT 1 FROM capstan.rescues WHERE workflow_id = $1 AND set_aside',
    [workflowID],
  )
  return rowCount !== 0
}
