import { createHash } from 'node:crypto'
import { type AnyRunResult, CapstanError } from '@capstan/core'
import { type DbosAgent, planOf } from './durable.js'
import { addressOf, type Connection, connect, type Plan, silent } from './engine.js'
import { keepWatch } from './keep-watch.js'
import { decisionsQueue, suspectsQueue } from './names.js'
import { registerWorkflows } from './register-workflows.js'
import { rescueOwn } from './rescue.js'
import { definitionHashOf } from './version-for.js'
import { type Alive, tellAlive, tellGone } from './workers.js'

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
  const { client, pool, dbos } = connection
  const letGo = async () => {
    await client.destroy()
    if (!pool.ended) await pool.end()
  }
  try {
    if (dbos.DBOS.isInitialized()) throw anotherWorker()
    const { id = `worker-${crypto.randomUUID()}`, deadAfterMs = 10_000, maxAttempts = 20 } = options
    const version = options.version ?? (await versionOf(plans))
    const me: Alive = { application, id, version }
    const watch = { pool, client, application, queue, deadAfterMs, maxAttempts }
    for (const plan of plans) registerWorkflows(plan, connection)
    await makeQueues(first, options, client)
    await rescueOwn(id, watch)
    await tellAlive(pool, me)
    await launch(first, { me, options, dbos })
    await client.setLatestApplicationVersion(version)
    const stop = keepWatch(me, watch)
    return {
      id,
      version,
      async close({ waitMs } = {}) {
        await stop()
        await dbos.DBOS.shutdown({
          deregister: true,
          ...(waitMs === undefined ? {} : { workflowCompletionTimeoutMS: waitMs }),
        })
        await tellGone(pool, me)
        await letGo()
      },
    }
  } catch (error) {
    await letGo()
    throw error
  }
}

async function makeQueues(
  { queue }: Plan,
  { concurrency = 20, pollMs = 100 }: WorkerOptions,
  client: Connection['client'],
): Promise<void> {
  const polling = { minPollingIntervalMs: pollMs }
  await client.registerQueue(queue, { workerConcurrency: concurrency, ...polling })
  await client.registerQueue(decisionsQueue(queue), polling)
  await client.registerQueue(suspectsQueue(queue), { globalConcurrency: 1, ...polling })
}

async function launch(
  { database, queue }: Plan,
  {
    me,
    options,
    dbos,
  }: { readonly me: Alive; readonly options: WorkerOptions; readonly dbos: Connection['dbos'] },
): Promise<void> {
  const { poolSize = 20, logger = silent } = options
  dbos.DBOS.setConfig({
    name: me.application,
    systemDatabaseUrl: addressOf(database),
    systemDatabasePoolSize: poolSize,
    executorID: me.id,
    applicationVersion: me.version,
    listenQueues: [queue, decisionsQueue(queue), suspectsQueue(queue)],
    runMigrations: false,
    logger,
  })
  await dbos.DBOS.launch()
}

function anotherWorker(): CapstanError {
  const message = 'There is a DBOS in this process already: a process can hold one worker.'
  return new CapstanError('invalid_state', message)
}

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
    plans.map(
      async ({ application, agent }) => `${application} ${agent.name} ${await definitionHashOf(agent)}`,
    ),
  )
  return `capstan-${createHash('sha256').update(hashes.sort().join('\n')).digest('hex').slice(0, 16)}`
}
