import { setTimeout as sleep } from 'node:timers/promises'
import { outermostRun } from '@capstan/core/internal'
import type { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { Pool, PoolClient } from 'pg'
import type { Claims } from './claims.js'
import { type Heartbeat, hasWorker, isConnected, type WorkerRow } from './heartbeat.js'
import { decisionsQueue, suspectsQueue, workerName } from './stored.js'

/** Starts this worker's heartbeat, and the recovery of work from dead workers. Returns a function that stops both. */
export function startHeartbeat(me: WorkerRow, { heartbeat, claims }: Life, recovery: Recovery) {
  const end = new AbortController()
  // Heartbeats use a separate loop, because recovery may have to wait for locks.
  const beating = repeat(recovery.deadAfterMs / 4, end.signal, async () => {
    await heartbeat.beat()
    await claims.compare()
  })
  const watching = repeat(recovery.deadAfterMs / 4, end.signal, async () => {
    if (heartbeat.canJudge()) await requeueOrphans(recovery)
    await promote(me, recovery)
  })
  return async (): Promise<void> => {
    end.abort()
    await Promise.all([beating, watching])
  }
}

interface Life {
  readonly heartbeat: Heartbeat
  readonly claims: Claims
}

/**
 * If no worker with the latest version is alive, for example after a rollback, makes this worker's version the latest
 * one. New runs use the latest version.
 */
async function promote(
  { namespace, version }: WorkerRow,
  { client, pool, deadAfterMs }: Recovery,
): Promise<void> {
  const { versionName } = await client.getLatestApplicationVersion()
  if (versionName === version || (await hasWorker(pool, { namespace, version: versionName }, deadAfterMs)))
    return
  await client.setLatestApplicationVersion(version)
}

/** Repeats work at an interval. Ignores failures, because they mean that the database is temporarily unreachable. */
async function repeat(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => {})
    await sleep(ms, undefined, { signal }).catch(() => {})
  }
}

interface Recovery {
  /** The engine's id for this worker. The worker's own work is not requeued. */
  readonly executor: string
  readonly pool: Pool
  readonly client: DBOSClient
  readonly namespace: string
  /** Milliseconds without a heartbeat after which a worker counts as dead. */
  readonly deadAfterMs: number
  /** How many workers in a row may die while executing a run that makes no progress, before the run is paused. */
  readonly maxAttempts: number
}

/** A workflow whose worker is gone. */
interface Orphan {
  readonly id: string
  readonly queue: string | null
  readonly worker: string
  /** Whether the worker released the workflow when it was closed. False if the worker died. */
  readonly isReleased: boolean
}

/**
 * Requeues work from workers that are dead or were closed. If an earlier process with this worker's name is no longer
 * connected, its work is requeued immediately. A worker that was merely slow loses its claims: it does not start any
 * more of that work, and its later writes are rejected.
 */
async function requeueOrphans(recovery: Recovery): Promise<void> {
  const { client, namespace, deadAfterMs } = recovery
  const paused: string[] = []
  await exclusively(recovery, async (connection) => {
    paused.push(...(await requeueAll(await findOrphans(recovery, connection), connection, recovery)))
    await connection.query(
      'DELETE FROM capstan.workers WHERE place = $1 AND seen_at < now() - make_interval(secs => $2)',
      [namespace, (10 * deadAfterMs) / 1000],
    )
  })
  // Cancel the segments only now, because the engine uses another connection, and the rows were locked until the
  // transaction ended.
  for (const segmentId of paused) await client.cancelWorkflow(segmentId, { cancelChildren: true })
}

/**
 * Finds and locks dead workers and their work. The locks exclude heartbeats, so a worker either stays alive or finds
 * that its work has been taken over. If a worker was suspended within a transaction, it keeps its work until the
 * transaction ends.
 */
async function findOrphans(
  { executor, namespace, deadAfterMs }: Recovery,
  connection: PoolClient,
): Promise<readonly Orphan[]> {
  const { rows: gone } = await connection.query<{ id: string }>(
    `SELECT id FROM capstan.workers WHERE place = $1 AND id <> $3
       AND (seen_at < now() - make_interval(secs => $2)
         OR (left(id, -37) = $4 AND NOT ${isConnected('$1', 'id')}))
     FOR UPDATE SKIP LOCKED`,
    [namespace, deadAfterMs / 1000, executor, workerName(executor)],
  )
  const { rows } = await connection.query<Orphan>(
    `SELECT w.workflow_uuid AS id, w.queue_name AS queue, w.executor_id AS worker,
       EXISTS (SELECT 1 FROM capstan.workers k WHERE k.place = $1 AND k.id = w.executor_id
         AND k.seen_at = 'epoch') AS "isReleased"
     FROM dbos.workflow_status w
     WHERE w.status = 'PENDING' AND w.application_name = $1 AND w.executor_id <> $2 AND (w.executor_id = ANY($3)
       OR NOT EXISTS (SELECT 1 FROM capstan.workers k WHERE k.place = $1 AND k.id = w.executor_id))
     FOR NO KEY UPDATE SKIP LOCKED`,
    [namespace, executor, gone.map(({ id }) => id)],
  )
  return rows
}

/** Requeues orphans. Returns the ids of the segments to pause because too many workers died while executing them. */
async function requeueAll(
  orphans: readonly Orphan[],
  connection: PoolClient,
  { namespace, maxAttempts }: Recovery,
): Promise<readonly string[]> {
  const decisions = orphans.filter(({ queue }) => queue === decisionsQueue(namespace))
  // Decisions can be applied by workers with any version, because applying one selects the version that continues the
  // run.
  for (const one of decisions) await requeue(one, { queue: one.queue, anyVersion: true }, connection)
  const paused: string[] = []
  for (const [segmentId, group] of groupBySegment(orphans.filter((one) => !decisions.includes(one)))) {
    const ids = group.map(({ id }) => id)
    const isReleased = group.every((one) => one.isReleased)
    const crashes = isReleased ? 0 : await countCrashes(connection, { segmentId, ids, maxAttempts })
    if (crashes > maxAttempts) paused.push(segmentId)
    else
      for (const one of group)
        await requeue(one, { queue: nextQueue(one, crashes, namespace), anyVersion: false }, connection)
  }
  return paused
}

/**
 * Returns the queue for a requeued workflow. Runs that were in progress during two crashes in a row continue one at a
 * time, because one of them may be causing the crashes. Child runs use the engine's own queue, so that they do not have
 * to wait behind their parents.
 */
function nextQueue({ queue }: Orphan, crashes: number, namespace: string): string | null {
  if (queue === null || queue === engineQueue) return engineQueue
  return crashes > 1 ? suspectsQueue(namespace) : namespace
}

/** The engine's internal queue. All processes that use the engine poll it. */
const engineQueue = '_dbos_internal_queue'

/**
 * Requeues a workflow in the same way as the engine's own recovery does. The engine's `resumeWorkflow` would also
 * revive workflows that have since been cancelled.
 */
async function requeue(
  { id, worker }: Orphan,
  { queue, anyVersion }: { readonly queue: string | null; readonly anyVersion: boolean },
  connection: PoolClient,
): Promise<void> {
  await connection.query(
    `UPDATE dbos.workflow_status SET status = 'ENQUEUED', owner_xid = NULL, started_at_epoch_ms = NULL,
       queue_name = $2, application_version = CASE WHEN $4 THEN NULL ELSE application_version END,
       updated_at = (EXTRACT(EPOCH FROM now()) * 1000)::bigint
     WHERE workflow_uuid = $1 AND status = 'PENDING' AND executor_id = $3`,
    [id, queue, worker, anyVersion],
  )
}

/** Groups workflows by segment. Each group consists of a segment and its child runs. */
function groupBySegment(orphans: readonly Orphan[]): ReadonlyMap<string, readonly Orphan[]> {
  const groups = new Map<string, Orphan[]>()
  for (const one of orphans) {
    const segmentId = outermostRun(one.id)
    groups.set(segmentId, [...(groups.get(segmentId) ?? []), one])
  }
  return groups
}

/** Calls `work` in a transaction, unless another worker is doing so at this moment. */
async function exclusively(
  { pool, namespace, deadAfterMs }: Recovery,
  work: (connection: PoolClient) => Promise<void>,
): Promise<void> {
  const connection = await pool.connect()
  try {
    await connection.query('BEGIN')
    // A stalled worker must not block other workers.
    const { rows } = await connection.query(
      `SELECT set_config('idle_in_transaction_session_timeout', $2, true),
         pg_try_advisory_xact_lock(hashtext($1)) AS has`,
      [namespace, String(deadAfterMs)],
    )
    if (rows[0]?.has) await work(connection)
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    connection.release()
  }
}

/** The workflows of one segment that have lost their worker: its own workflow, those of its child runs, or both. */
interface OrphanGroup {
  readonly segmentId: string
  readonly ids: readonly string[]
  /** The number of crashes without progress after which the segment is paused. */
  readonly maxAttempts: number
}

/**
 * Counts how many workers in a row died while executing a segment that made no progress. Many runs share a worker, but
 * those that did not cause the crash make progress between crashes.
 */
async function countCrashes(
  connection: PoolClient,
  { segmentId, ids, maxAttempts }: OrphanGroup,
): Promise<number> {
  const counted = await connection.query<{ steps: string }>(
    'SELECT count(*) AS steps FROM dbos.operation_outputs WHERE workflow_uuid = ANY($1)',
    [ids],
  )
  // Any progress changes the number of steps or of child runs.
  const progress = `${counted.rows[0]?.steps}/${ids.length}`
  const { rows } = await connection.query<{ times: number }>(
    `INSERT INTO capstan.rescues AS before (workflow_id, place, times) VALUES ($1, $2, 1)
     ON CONFLICT (workflow_id) DO UPDATE SET place = $2,
       times = CASE WHEN before.place = $2 THEN before.times + 1 ELSE 1 END,
       set_aside = before.place = $2 AND before.times >= $3
     RETURNING times`,
    [segmentId, progress, maxAttempts],
  )
  return rows[0]?.times ?? 0
}
