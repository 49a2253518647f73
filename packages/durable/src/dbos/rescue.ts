import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import type { Pool, PoolClient } from 'pg'

export interface Rescue {
  readonly pool: Pool
  readonly client: DBOSClient
  readonly application: string
  /** How long a worker may be silent before it is taken for dead. */
  readonly deadAfterMs: number
  /** How often a workflow is given to another worker before it is set aside. */
  readonly maxAttempts: number
}

/**
 * Gives what dead workers held to whoever is there. A worker that was only slow loses what it held: what it writes of
 * that is refused. Gives how many workflows that were.
 */
export async function rescue({
  pool,
  client,
  application,
  deadAfterMs,
  maxAttempts,
}: Rescue): Promise<number> {
  const connection = await pool.connect()
  try {
    await connection.query('BEGIN')
    // Whoever has the row does it; dies that one as well, the row is still there.
    const { rows } = await connection.query<{ id: string }>(
      `SELECT id FROM capstan.workers WHERE application = $1
         AND seen_at < now() - make_interval(secs => $2) FOR UPDATE SKIP LOCKED`,
      [application, deadAfterMs / 1000],
    )
    let rescued = 0
    for (const { id } of rows) {
      const held = await client.listWorkflows({
        status: 'PENDING',
        executorId: id,
        loadInput: false,
        loadOutput: false,
      })
      rescued += held.length
      await giveAway(held, { client, connection, maxAttempts })
      await connection.query('DELETE FROM capstan.workers WHERE application = $1 AND id = $2', [
        application,
        id,
      ])
    }
    await connection.query('COMMIT')
    return rescued
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    connection.release()
  }
}

async function giveAway(
  held: readonly WorkflowStatus[],
  { client, connection, maxAttempts }: { client: DBOSClient; connection: PoolClient; maxAttempts: number },
): Promise<void> {
  const byQueue = new Map<string | undefined, string[]>()
  for (const { workflowID, queueName } of held) {
    const times = await countRescue(connection, workflowID, maxAttempts)
    if (times > maxAttempts) await client.cancelWorkflow(workflowID, { cancelChildren: true })
    else byQueue.set(queueName, [...(byQueue.get(queueName) ?? []), workflowID])
  }
  // What had no queue, the runs within runs, must not wait behind those that wait for them.
  for (const [queueName, ids] of byQueue)
    await client.resumeWorkflows(ids, queueName === undefined ? {} : { queueName })
}

async function countRescue(connection: PoolClient, workflowID: string, most: number): Promise<number> {
  const { rows } = await connection.query<{ times: number }>(
    `INSERT INTO capstan.rescues (workflow_id, times) VALUES ($1, 1)
     ON CONFLICT (workflow_id) DO UPDATE SET times = capstan.rescues.times + 1,
       set_aside = capstan.rescues.times >= $2
     RETURNING times`,
    [workflowID, most],
  )
  return rows[0]?.times ?? 0
}
