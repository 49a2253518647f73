import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyRunResult } from '@capstan/core'
import { CapstanError } from '@capstan/core'
import { carryOut, endRounds } from './carry-out.js'
import { type DbosAgent, planOf } from './durable.js'
import { addressOf, type Connection, connect, type Engine, type Plan, silent } from './engine.js'
import { abortWorkflow, decisionsQueue, decisionWorkflow, suspectsQueue } from './names.js'
import { publisher } from './publisher.js'
import { type Rescue, rescue, rescueOwn } from './rescue.js'
import type { AbortStart, DecisionStart } from './start.js'
import { definitionHashOf } from './version-for.js'
import { registerWorkflows } from './work-on.js'
import { type Alive, hasWorker, tellAlive, tellGone } from './workers.js'

export interface WorkerOptions {
  /**
   * Who this worker is, among all that share the database: it goes on with what it held when it starts again under the
   * same name. Name it where names last (a pod of a StatefulSet). Default: random, and what it held goes to others.
   */
  readonly id?: string
  /** Runs that it works on at one time. Default 20. */
  readonly concurrency?: number
  /** How often it looks for runs, at least. Default 100. */
  readonly pollMs?: number
  /** For how long a worker may be silent before others take what it held. Default 10,000. */
  readonly deadAfterMs?: number
  /** How many workers in a row may die over a run that comes no further, before it is set aside. Default 20. */
  readonly maxAttempts?: number
  /** Default: made from the tools of the agents. Runs are gone on with by workers of their own version. */
  readonly version?: string
  /** Connections to the database. Default 20. */
  readonly poolSize?: number
  /** Takes what the engine logs, conversations never. Default: nothing is logged. */
  readonly logger?: NonNullable<Parameters<Connection['dbos']['DBOS']['setConfig']>[0]['logger']>
}

export interface Worker {
  readonly id: string
  readonly version: string
  /** Takes no further runs, waits for those it has, `waitMs` at most (default 0), and lets go: others go on with the rest. */
  close(options?: { readonly waitMs?: number }): Promise<void>
}

/**
 * Works on runs of these agents in this process, which can hold one worker.
 * @throws CapstanError `unsupported` when DBOS is not installed, `invalid_state` when there is a worker here already
 */
export async function startWorker(
  agents: readonly DbosAgent<AnyRunResult>[],
  options: WorkerOptions = {},
): Promise<Worker> {
  const plans = agents.map(planOf)
  const [first] = plans
  if (!first) throw new TypeError('A worker needs an agent: startWorker([durable(agent)]).')
  const { application, queue } = onePlace(plans)
  const connection = await connect(first)
  const { DBOS } = connection.dbos
  if (DBOS.isInitialized()) {
    const message = 'There is a DBOS in this process already: a process can hold one worker.'
    throw new CapstanError('invalid_state', message)
  }
  const {
    id = `worker-${crypto.randomUUID()}`,
    concurrency = 20,
    pollMs = 100,
    deadAfterMs = 10_000,
  } = options
  const { maxAttempts = 20, poolSize = 20, logger = silent } = options
  const version = options.version ?? (await versionOf(plans))
  const me: Alive = { application, id, version }
  const { client, pool } = connection
  const polling = { minPollingIntervalMs: pollMs }
  await client.registerQueue(queue, { workerConcurrency: concurrency, ...polling })
  await client.registerQueue(decisionsQueue(queue), polling)
  await client.registerQueue(suspectsQueue(queue), { globalConcurrency: 1, ...polling })
  DBOS.setConfig({
    name: application,
    systemDatabaseUrl: addressOf(first.database),
    systemDatabasePoolSize: poolSize,
    executorID: id,
    applicationVersion: version,
    listenQueues: [queue, decisionsQueue(queue), suspectsQueue(queue)],
    runMigrations: false,
    logger,
  })
  for (const plan of plans) register(plan, connection)
  const watch = { pool, client, application, queue, deadAfterMs, maxAttempts }
  await rescueOwn(id, watch)
  await tellAlive(pool, me)
  await DBOS.launch()
  await client.setLatestApplicationVersion(version)
  const stop = keepWatch(me, watch)
  return {
    id,
    version,
    async close({ waitMs } = {}) {
      await stop()
      await DBOS.shutdown({
        deregister: true,
        ...(waitMs === undefined ? {} : { workflowCompletionTimeoutMS: waitMs }),
      })
      await tellGone(pool, me)
      await client.destroy()
      if (!pool.ended) await pool.end()
    },
  }
}

/** It would count the deaths of workers also over runs that were only beside the one that killed them. */
const maxRecoveryAttempts = 1_000_000

/** Agents of one worker share their runs' place. */
function onePlace(plans: readonly Plan[]): Plan {
  const [first, ...others] = plans as [Plan, ...Plan[]]
  for (const other of others)
    for (const field of ['database', 'queue', 'application'] as const)
      if (other[field] !== first[field])
        throw new TypeError(
          `Agents of one worker need one ${field}: "${first[field]}" and "${other[field]}".`,
        )
  return first
}

/** Changes when the tools of any of the agents do: the engine gives a run to workers of the version that began it. */
async function versionOf(plans: readonly Plan[]): Promise<string> {
  const hashes = await Promise.all(
    plans.map(async ({ agent }) => `${agent.name} ${await definitionHashOf(agent)}`),
  )
  return `capstan-${createHash('sha256').update(hashes.sort().join('\n')).digest('hex').slice(0, 16)}`
}

function register(plan: Plan, { dbos, client, pool }: Connection): void {
  const engine: Engine = {
    dbos,
    publish: (runId) => (plan.live ? publisher(pool, runId) : undefined),
    register: (name, work) => dbos.DBOS.registerWorkflow(work, { name, maxRecoveryAttempts }),
  }
  registerWorkflows(plan, engine)
  const { name } = plan.agent
  engine.register(decisionWorkflow(name), (start: DecisionStart) =>
    carryOut(start, plan, { client, by: String(dbos.DBOS.workflowID) }),
  )
  engine.register(abortWorkflow(name), (start: AbortStart) => endRounds(start, client))
}

/** Says that this worker is there, and takes over from those that are not; gives what ends both. */
function keepWatch(me: Alive, watch: Rescue): () => Promise<void> {
  const end = new AbortController()
  const watching = (async () => {
    for await (const _ of every(watch.deadAfterMs / 4, end.signal)) {
      // The database may be away for a while: then nobody can be told, and nothing be taken.
      await tellAlive(watch.pool, me).catch(() => {})
      await rescue(watch).catch(() => {})
      await promote(me, watch).catch(() => {})
    }
  })()
  return async () => {
    end.abort()
    await watching
  }
}

/** Runs that begin are for the latest version: when nobody of that is left, as after a step back, it is this one. */
async function promote(
  { application, version }: Alive,
  { client, pool, deadAfterMs }: Rescue,
): Promise<void> {
  const { versionName } = await client.getLatestApplicationVersion()
  if (versionName === version || (await hasWorker(pool, { application, version: versionName }, deadAfterMs)))
    return
  await client.setLatestApplicationVersion(version)
}

async function* every(ms: number, signal: AbortSignal): AsyncGenerator<void> {
  while (!signal.aborted) {
    yield
    await sleep(ms, undefined, { signal }).catch(() => {})
  }
}
