import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Dbos } from './load-dbos.js'
import { makeWorkersTable } from './workers.js'

/** Makes the tables, or brings them up to date: one process at a time, since two would deadlock. */
export async function migrate({ DBOS }: Dbos, pool: Pool, url: string): Promise<void> {
  const connection = await pool.connect()
  try {
    // Asked again and again: one that waits in the database holds up the indexes that are being made there.
    while (!(await hasLock(connection))) await sleep(50)
    await DBOS.migrate(url)
    await makeWorkersTable(pool)
  } finally {
    await connection.query('SELECT pg_advisory_unlock($1)', [lock]).catch(() => {})
    connection.release()
  }
}

const lock = 4_015_771

async function hasLock(connection: { query: Pool['query'] }): Promise<boolean> {
  const { rows } = await connection.query('SELECT pg_try_advisory_lock($1) AS has', [lock])
  return rows[0]?.has === true
}
