import type { Pool } from 'pg'

/** A worker as the table has it. */
export interface Alive {
  /** Where its runs are queued. */
  readonly place: string
  readonly id: string
  readonly version: string
}

/** Makes our tables where they are not there. */
export async function makeWorkersTable(pool: Pool): Promise<void> {
  await pool.query('CREATE SCHEMA IF NOT EXISTS capstan')
  await pool.query(`CREATE TABLE IF NOT EXISTS capstan.workers (
    place text NOT NULL, id text NOT NULL, version text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (place, id))`)
  await pool.query(`CREATE TABLE IF NOT EXISTS capstan.rescues (
    workflow_id text PRIMARY KEY, place text NOT NULL, times integer NOT NULL, set_aside boolean NOT NULL DEFAULT false)`)
}

/** Says that a worker is there, by the clock of the database. */
export async function tellAlive(pool: Pool, { place, id, version }: Alive): Promise<void> {
  await pool.query(
    `INSERT INTO capstan.workers (place, id, version) VALUES ($1, $2, $3)
     ON CONFLICT (place, id) DO UPDATE SET version = $3, seen_at = now()`,
    [place, id, version],
  )
}

/** Says that a worker leaves: what it held is for others at once. */
export async function tellGone(pool: Pool, { place, id }: Alive): Promise<void> {
  await pool.query("UPDATE capstan.workers SET seen_at = 'epoch' WHERE place = $1 AND id = $2", [place, id])
}

/** Whether a worker of a version was seen of late. */
export async function hasWorker(
  pool: Pool,
  { place, version }: Omit<Alive, 'id'>,
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
export async function isSetAside(pool: Pool, workflowID: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT 1 FROM capstan.rescues WHERE workflow_id = $1 AND set_aside',
    [workflowID],
  )
  return rowCount !== 0
}
