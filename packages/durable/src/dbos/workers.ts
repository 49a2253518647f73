import type { Pool } from 'pg'

/** A worker as the table has it. */
export interface Alive {
  readonly application: string
  readonly id: string
  readonly version: string
}

/** Makes our tables where they are not there. */
export async function makeWorkersTable(pool: Pool): Promise<void> {
  await pool.query('CREATE SCHEMA IF NOT EXISTS capstan')
  await pool.query(`CREATE TABLE IF NOT EXISTS capstan.workers (
    application text NOT NULL, id text NOT NULL, version text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (application, id))`)
  await pool.query(`CREATE TABLE IF NOT EXISTS capstan.rescues (
    workflow_id text PRIMARY KEY, place text NOT NULL, times integer NOT NULL, set_aside boolean NOT NULL DEFAULT false)`)
}

/** Says that a worker is there, by the clock of the database. */
export async function tellAlive(pool: Pool, { application, id, version }: Alive): Promise<void> {
  await pool.query(
    `INSERT INTO capstan.workers (application, id, version) VALUES ($1, $2, $3)
     ON CONFLICT (application, id) DO UPDATE SET version = $3, seen_at = now()`,
    [application, id, version],
  )
}

/** Says that a worker leaves: what it held is for others at once. */
export async function tellGone(pool: Pool, { application, id }: Alive): Promise<void> {
  await pool.query("UPDATE capstan.workers SET seen_at = 'epoch' WHERE application = $1 AND id = $2", [
    application,
    id,
  ])
}

/** Whether a worker of a version was seen of late. */
export async function hasWorker(
  pool: Pool,
  { application, version }: Omit<Alive, 'id'>,
  withinMs: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT 1 FROM capstan.workers WHERE application = $1 AND version = $2
       AND seen_at > now() - make_interval(secs => $3) LIMIT 1`,
    [application, version, withinMs / 1000],
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
