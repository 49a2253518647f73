import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import type { Pool, PoolClient } from 'pg'
import { countDeaths } from './count-deaths.js'
import { suspectsQueue } from './names.js'

export interface Rescue {
  readonly pool: Pool
  readonly client: DBOSClient
  readonly application: string
  readonly queue: string
  /** How long a worker may be silent before it is taken for dead. */
  readonly deadAfterMs: number
  /** How many workers may die over a run that comes no further before it is set aside. */
  readonly maxAttempts: number
}

/**
 * Gives what dead workers held to whoever is there. A worker that was only slow loses what it held: what it writes of
 * that is refused.
 */
export async function rescue(site: Rescue): Promise<void> {
  const { pool, application, deadAfterMs } = site
  await inTransaction(pool, async (connection) => {
    // Whoever has the row does it; dies that one as well, the row is still there.
    const { rows } = await connection.query<{ id: string }>(
      `SELECT id FROM capstan.workers WHERE application = $1
         AND seen_at < now() - make_interval(secs => $2) FOR UPDATE SKIP LOCKED`,
      [application, deadAfterMs / 1000],
    )
    for (const { id } of rows) {
      await takeFrom(id, connection, site)
      await connection.query('DELETE FROM capstan.workers WHERE application = $1 AND id = $2', [
        application,
        id,
      ])
    }
  })
}

/** The same of a worker that starts again under its name, before it does: it takes what it can get, like all others. */
export async function rescueOwn(id: string, site: Rescue): Promise<void> {
  await inTransaction(site.pool, (connection) => takeFrom(id, connection, site))
}

async function takeFrom(executorId: string, connection: PoolClient, site: Rescue): Promise<void> {
  const { client, maxAttempts } = site
  const held = await client.listWorkflows({
    status: 'PENDING',
    executorId,
    loadInput: false,
    loadOutput: false,
  })
  for (const [top, group] of byTop(held)) {
    const ids = group.map(({ workflowID }) => workflowID)
    const deaths = await countDeaths(connection, { top, ids, most: maxAttempts })
    if (deaths > maxAttempts) await client.cancelWorkflow(top, { cancelChildren: true })
    else await giveAway(group, deaths, site)
  }
}

/** A round with the runs within it. */
function byTop(held: readonly WorkflowStatus[]): ReadonlyMap<string, readonly WorkflowStatus[]> {
  const groups = new Map<string, WorkflowStatus[]>()
  for (const one of held) {
    const top = one.workflowID.replace(/(\/t\d+\/child\d+(r\d+)?)+$/, '')
    groups.set(top, [...(groups.get(top) ?? []), one])
  }
  return groups
}

/** What was there at two deaths in a row goes on one at a time: one of them may be what kills, and the others are spared. */
async function giveAway(
  group: readonly WorkflowStatus[],
  deaths: number,
  { client, queue }: Rescue,
): Promise<void> {
  for (const { workflowID, queueName } of group) {
    const next = queueName === queue && deaths > 1 ? suspectsQueue(queue) : queueName
    // What had no queue, the runs within runs, must not wait behind those that wait for them.
    await client.resumeWorkflow(workflowID, next === undefined ? {} : { queueName: next })
  }
}

async function inTransaction<T>(pool: Pool, work: (connection: PoolClient) => Promise<T>): Promise<T> {
  const connection = await pool.connect()
  try {
    await connection.query('BEGIN')
    const value = await work(connection)
    await connection.query('COMMIT')
    return value
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    connection.release()
  }
}
