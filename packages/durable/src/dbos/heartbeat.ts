import type { Pool, PoolClient } from 'pg'

/** A worker as the table has it. */
export interface WorkerRow {
  /** Where its runs are queued. */
  readonly namespace: string
  /** The engine's id of its process. */
  readonly id: string
  readonly version: string
}

/** Makes our tables where they are not there. */
export async function createTables(pool: Pool): Promise<void> {
  await pool.query('CREATE SCHEMA IF NOT EXISTS capstan')
  await pool.query(`CREATE TABLE IF NOT EXISTS capstan.workers (
    place text NOT NULL, id text NOT NULL, version text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (place, id))`)
  await pool.query(`CREATE TABLE IF NOT EXISTS capstan.rescues (
    workflow_id text PRIMARY KEY, place text NOT NULL, times integer NOT NULL, set_aside boolean NOT NULL DEFAULT false)`)
}

/**
 * A worker's signs of life: a row with the time, by the clock of the database, and a lock of the connection that writes
 * it. The lock goes with the process, so that a worker that starts again under its name need not wait for the time.
 */
export class Heartbeat {
  readonly #pool: Pool
  readonly #me: WorkerRow
  #connection: PoolClient | undefined

  constructor(pool: Pool, me: WorkerRow) {
    this.#pool = pool
    this.#me = me
  }

  async beat(): Promise<void> {
    const { namespace: place, id, version } = this.#me
    try {
      this.#connection ??= await this.#connect()
      await this.#connection.query(
        `INSERT INTO capstan.workers (place, id, version) VALUES ($1, $2, $3)
         ON CONFLICT (place, id) DO UPDATE SET version = $3, seen_at = now()`,
        [place, id, version],
      )
    } catch (error) {
      this.#drop()
      throw error
    }
  }

  /** The worker leaves: others take at once what it held. */
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
      const { namespace: place, id } = this.#me
      // Shared: a connection that was lost may hold it still.
      await connection.query('SELECT pg_advisory_lock_shared(hashtext($1), hashtext($2))', [place, id])
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

/** SQL: whether the process of a worker is connected, by the lock of its heartbeat. */
export const isConnected = (place: string, executor: string) => `EXISTS (SELECT 1 FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.objsubid = 2
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid = hashtext(${place})::oid AND l.objid = hashtext(${executor})::oid)`

/** Whether a worker of a version was seen of late. */
export async function hasWorker(
  pool: Pool,
  { namespace: place, version }: Omit<WorkerRow, 'id'>,
  withinMs: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT 1 FROM capstan.workers WHERE place = $1 AND version = $2
       AND seen_at > now() - make_interval(secs => $3) LIMIT 1`,
    [place, version, withinMs / 1000],
  )
  return rowCount !== 0
}

/** Whether a workflow was given up, by how often it was taken from a dead worker. */
export async function isPaused(pool: Pool, workflowID: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT 1 FROM capstan.rescues WHERE workflow_id = $1 AND set_aside',
    [workflowID],
  )
  return rowCount !== 0
}
