import { setTimeout as sleep } from 'node:timers/promises'
import type { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { Pool, PoolClient } from 'pg'
import { type Heartbeat, hasWorker, isConnected, type WorkerRow } from './heartbeat.js'
import { decisionsQueue, suspectsQueue, workerName } from './stored.js'

/** Says that this worker is there, and takes over from those that are not; gives what ends both. */
export function startHeartbeat(me: WorkerRow, heartbeat: Heartbeat, watch: Recovery): () => Promise<void> {
  const end = new AbortController()
  let lastAway = Number.NEGATIVE_INFINITY
  const watching = (async () => {
    for await (const _ of every(watch.deadAfterMs / 4, end.signal)) {
      try {
        await heartbeat.beat()
        // After the database was away all have been silent: they get the time to say that they are there.
        if (performance.now() - lastAway > watch.deadAfterMs) await requeueOrphans(watch)
        await promote(me, watch)
      } catch {
        lastAway = performance.now()
      }
    }
  })()
  return async () => {
    end.abort()
    await watching
  }
}

/** Runs that begin are for the latest version: when nobody of that is left, as after a step back, it is this one. */
async function promote(
  { namespace: place, version }: WorkerRow,
  { client, pool, deadAfterMs }: Recovery,
): Promise<void> {
  const { versionName } = await client.getLatestApplicationVersion()
  if (
    versionName === version ||
    (await hasWorker(pool, { namespace: place, version: versionName }, deadAfterMs))
  )
    return
  await client.setLatestApplicationVersion(version)
}

async function* every(ms: number, signal: AbortSignal): AsyncGenerator<void> {
  while (!signal.aborted) {
    yield
    await sleep(ms, undefined, { signal }).catch(() => {})
  }
}

interface Recovery {
  /** The engine's id of the worker that looks: what it holds itself is in good hands. */
  readonly executor: string
  readonly pool: Pool
  readonly client: DBOSClient
  readonly namespace: string
  /** How long a worker may be silent before it is taken for dead. */
  readonly deadAfterMs: number
  /** How many workers may die over a run that comes no further before it is set aside. */
  readonly maxAttempts: number
}

/** A workflow that nobody works on any more. */
interface Orphan {
  readonly id: string
  readonly queue: string | null
  readonly worker: string
  /** Whether its worker let go of it, in place of dying. */
  readonly isGiven: boolean
}

/**
 * Gives what dead workers held, and what those that left did not finish, to whoever is there: at once where one of the
 * same name is not connected any more. A worker that was only slow loses what it held: what it writes of that is refused.
 */
async function requeueOrphans(site: Recovery): Promise<void> {
  const { namespace: place, deadAfterMs } = site
  await exclusively(site, async (connection) => {
    await requeueAll(await findOrphans(site, connection), connection, site)
    await connection.query(
      'DELETE FROM capstan.workers WHERE place = $1 AND seen_at < now() - make_interval(secs => $2)',
      [place, (10 * deadAfterMs) / 1000],
    )
  })
}

/** Workers of earlier versions have no lock: their ids have no "~" with what follows. */
const sameNameSql = "w.executor_id ~ '~[0-9a-f-]{36}$' AND left(w.executor_id, -37) = $4"

async function findOrphans(
  { executor, namespace: place, deadAfterMs }: Recovery,
  connection: PoolClient,
): Promise<readonly Orphan[]> {
  const { rows } = await connection.query<Orphan>(
    `SELECT w.workflow_uuid AS id, w.queue_name AS queue, w.executor_id AS worker,
       k.seen_at IS NOT DISTINCT FROM 'epoch'::timestamptz AS "isGiven"
     FROM dbos.workflow_status w LEFT JOIN capstan.workers k ON k.place = $1 AND k.id = w.executor_id
     WHERE w.status = 'PENDING' AND w.application_name = $1 AND w.executor_id <> $3
       AND (k.seen_at IS NULL OR k.seen_at < now() - make_interval(secs => $2)
         OR (${sameNameSql} AND NOT ${isConnected('$1', 'w.executor_id')}))`,
    [place, deadAfterMs / 1000, executor, workerName(executor)],
  )
  return rows
}

async function requeueAll(left: readonly Orphan[], connection: PoolClient, site: Recovery): Promise<void> {
  const { client, namespace: place, maxAttempts } = site
  const decisions = left.filter(({ queue }) => queue === decisionsQueue(place))
  // Whoever takes it on finds out which version may go on.
  for (const one of decisions) await requeue(one, { queue: one.queue, anyVersion: true }, connection)
  for (const [top, group] of groupBySegment(left.filter((one) => !decisions.includes(one)))) {
    const ids = group.map(({ id }) => id)
    const isGiven = group.every((one) => one.isGiven)
    const deaths = isGiven
      ? 0
      : await countCrashes(connection, { segmentId: top, ids, maxAttempts: maxAttempts })
    if (deaths > maxAttempts) await client.cancelWorkflow(top, { cancelChildren: true })
    else
      for (const one of group)
        await requeue(one, { queue: nextQueue(one, deaths, place), anyVersion: false }, connection)
  }
}

/**
 * What was there at two deaths in a row goes on one at a time: one of them may be what kills, and the others are
 * spared. What had no queue, the runs within runs, must not wait behind those that wait for them.
 */
function nextQueue({ queue }: Orphan, deaths: number, place: string): string | null {
  if (queue === null || queue === engineQueue) return engineQueue
  return deaths > 1 ? suspectsQueue(place) : place
}

/** The engine's own, which all its processes look at. */
const engineQueue = '_dbos_internal_queue'

/** As the engine does it on recovery; not by its `resumeWorkflow`, which would also bring back what was ended meanwhile. */
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

/** A round with the runs within it. */
function groupBySegment(left: readonly Orphan[]): ReadonlyMap<string, readonly Orphan[]> {
  const groups = new Map<string, Orphan[]>()
  for (const one of left) {
    const top = one.id.replace(/(\/t\d+\/child\d+(r\d+)?)+$/, '')
    groups.set(top, [...(groups.get(top) ?? []), one])
  }
  return groups
}

/** Does something that one worker does at a time; others leave it to that one. */
async function exclusively(
  { pool, namespace: place, deadAfterMs }: Recovery,
  work: (connection: PoolClient) => Promise<void>,
): Promise<void> {
  const connection = await pool.connect()
  try {
    await connection.query('BEGIN')
    // One that is held up in the middle must not hold up all others.
    const { rows } = await connection.query(
      `SELECT set_config('idle_in_transaction_session_timeout', $2, true),
         pg_try_advisory_xact_lock(hashtext($1)) AS has`,
      [place, String(deadAfterMs)],
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

/** A round of a run with the runs within it that a dead worker held. */
interface OrphanGroup {
  readonly segmentId: string
  readonly ids: readonly string[]
  /** How many deaths it may cost. */
  readonly maxAttempts: number
}

/**
 * How many workers in a row have died over a run while it came no further. Many runs share a worker: those that were
 * only beside the one that killed it come further from one death to the next.
 */
async function countCrashes(
  connection: PoolClient,
  { segmentId: top, ids, maxAttempts: most }: OrphanGroup,
): Promise<number> {
  const counted = await connection.query<{ steps: string }>(
    'SELECT count(*) AS steps FROM dbos.operation_outputs WHERE workflow_uuid = ANY($1)',
    [ids],
  )
  // What comes further begins and ends runs within it: any other sum is another place.
  const place = `${counted.rows[0]?.steps}/${ids.length}`
  const { rows } = await connection.query<{ times: number }>(
    `INSERT INTO capstan.rescues AS before (workflow_id, place, times) VALUES ($1, $2, 1)
     ON CONFLICT (workflow_id) DO UPDATE SET place = $2,
       times = CASE WHEN before.place = $2 THEN before.times + 1 ELSE 1 END,
       set_aside = before.place = $2 AND before.times >= $3
     RETURNING times`,
    [top, place, most],
  )
  return rows[0]?.times ?? 0
}
