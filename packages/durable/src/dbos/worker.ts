import { createHash } from 'node:crypto'
import { type AnyRunResult, CapstanError } from '@capstan/core'
import { toolsHash } from './decisions.js'
import { type Connection, connect, type DbosConfig, redactUrl, silentLogger } from './engine.js'
import { Heartbeat, type WorkerRow } from './heartbeat.js'
import { startHeartbeat } from './recovery.js'
import { configOf, type DbosAgent } from './runs.js'
import { decisionsQueue, newExecutorId, suspectsQueue } from './stored.js'
import { registerWorkflows } from './workflows.js'

export interface WorkerOptions {
  /**
   * The name of this worker, as `status().worker` tells it. A worker that starts takes up at once what a process of the
   * same name held that is dead; what one of the same name holds that lives stays with that one. Name it where names
   * last (a pod of a StatefulSet). Default: random, and others take up what it held after `deadAfterMs`.
   */
  readonly id?: string
  /** Runs that each worker of its queue works on at one time: of the queue, as the last worker that started says. Default 20. */
  readonly concurrency?: number
  /** How often workers of its queue look for runs, in milliseconds: as the last one that started says. Default 100. */
  readonly pollMs?: number
  /** For how long a worker may be silent before others take what it held. Default 10,000. */
  readonly deadAfterMs?: number
  /** How many workers in a row may die over a run that comes no further, before it is set aside. Default 20. */
  readonly maxAttempts?: number
  /** Default: made from the tools of the agents. Runs are gone on with by workers of their own version. */
  readonly version?: string
  /** Connections to the database. Default 20. */
  readonly poolSize?: number
  /** Takes what the engine logs: what runs failed with is among it, in the words of servers. Default: nothing is logged. */
  readonly logger?: NonNullable<Parameters<Connection['dbos']['DBOS']['setConfig']>[0]['logger']>
}

export interface Worker {
  /** The name of the worker: of several processes of one name each is a worker of its own. */
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
  const plans = agents.map(configOf)
  const [first] = plans
  if (!first) throw new TypeError('A worker needs an agent: startWorker([durable(agent)]).')
  const { namespace: place } = checkAgents(plans)
  const connection = await connect(first, options.poolSize)
  const { client, pool, dbos, enginePool } = connection
  const left = new AbortController()
  let isOurs = false
  let heartbeat: Heartbeat | undefined
  const letGo = async (waitMs?: number) => {
    const wait = waitMs === undefined ? {} : { workflowCompletionTimeoutMS: waitMs }
    if (isOurs) await dbos.DBOS.shutdown({ deregister: true, ...wait })
    // Nothing is recorded from here on.
    if (!enginePool.ended) await enginePool.end()
    // Calls that are still at work hear that nobody waits for them here.
    left.abort(new Error('The worker was closed: another one goes on.'))
  }
  const close = async () => {
    await heartbeat?.end().catch(() => {})
    await client.destroy()
    if (!pool.ended) await pool.end()
  }
  try {
    if (dbos.DBOS.isInitialized()) throw alreadyRunning()
    isOurs = true
    const { id = `worker-${crypto.randomUUID()}`, deadAfterMs = 10_000, maxAttempts = 20 } = options
    // Versions are those of a whole database.
    const version = `${place}@${options.version ?? (await toolsVersion(plans))}`
    const me: WorkerRow = { namespace: place, id: newExecutorId(id), version }
    const watch = { executor: me.id, pool, client, namespace: place, deadAfterMs, maxAttempts }
    heartbeat = new Heartbeat(pool, me)
    for (const plan of plans) registerWorkflows(plan, connection, left.signal)
    await registerQueues(place, options, client)
    await heartbeat.beat()
    await launch(me, options, connection)
    await client.setLatestApplicationVersion(version)
    const stop = startHeartbeat(me, heartbeat, watch)
    return {
      id,
      version,
      async close({ waitMs } = {}) {
        await stop()
        await letGo(waitMs)
        await close()
      },
    }
  } catch (error) {
    await letGo()
    await close()
    throw error
  }
}

async function registerQueues(
  place: string,
  { concurrency = 20, pollMs = 100 }: WorkerOptions,
  client: Connection['client'],
): Promise<void> {
  const polling = { minPollingIntervalMs: pollMs }
  await client.registerQueue(place, { workerConcurrency: concurrency, ...polling })
  await client.registerQueue(decisionsQueue(place), polling)
  await client.registerQueue(suspectsQueue(place), { globalConcurrency: 1, ...polling })
}

async function launch(
  { namespace: place, id, version }: WorkerRow,
  { logger = silentLogger }: WorkerOptions,
  { dbos: { DBOS }, url, enginePool }: Connection,
): Promise<void> {
  DBOS.setConfig({
    name: place,
    systemDatabaseUrl: url,
    systemDatabasePool: enginePool,
    executorID: id,
    applicationVersion: version,
    listenQueues: [place, decisionsQueue(place), suspectsQueue(place)],
    runMigrations: false,
    logger,
  })
  await DBOS.launch()
}

function alreadyRunning(): CapstanError {
  const message = 'There is a DBOS in this process already: a process can hold one worker.'
  return new CapstanError('invalid_state', message)
}

/** Agents of one worker share their runs' place, and are told apart by their names. */
function checkAgents(plans: readonly DbosConfig[]): DbosConfig {
  const [first, ...others] = plans as [DbosConfig, ...DbosConfig[]]
  const told = ({ namespace: place, database }: DbosConfig) =>
    `${place} at ${database && redactUrl(database)}`
  for (const other of others)
    if (other.namespace !== first.namespace || other.database !== first.database)
      throw new TypeError(`Agents of one worker need one place: "${told(first)}" and "${told(other)}".`)
  const names = plans.map(({ agent }) => agent.name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined)
    throw new TypeError(`Two agents of this worker are named "${twice}": give one another name.`)
  return first
}

/** Changes when the tools of any of the agents do: the engine gives a run to workers of the version that began it. */
async function toolsVersion(plans: readonly DbosConfig[]): Promise<string> {
  const hashes = await Promise.all(plans.map(async ({ agent }) => `${agent.name} ${await toolsHash(agent)}`))
  return createHash('sha256').update(hashes.sort().join('\n')).digest('hex').slice(0, 16)
}
