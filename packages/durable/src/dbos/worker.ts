import { createHash } from 'node:crypto'
import { CapstanError, type RunResult } from '@capstan/core'
import { toolsHash } from '../settings.js'
import { Claims } from './claims.js'
import { type Connection, connect, type DbosConfig, redactUrl, silentLogger } from './engine.js'
import { Heartbeat, type WorkerRow } from './heartbeat.js'
import { startHeartbeat } from './recovery.js'
import { configOf, type DbosAgent } from './runs.js'
import { decisionsQueue, newExecutorId, suspectsQueue } from './stored.js'
import { registerWorkflows } from './workflows.js'

/**
 * Options for a worker. `concurrency` and `pollMs` belong to the queue: the most recently started worker sets them for
 * all workers.
 */
export interface WorkerOptions {
  /**
   * The worker's name, as shown in `status().worker`. As soon as a worker starts, it takes over the work of a dead
   * process with the same name. A live process with that name keeps its work. Set this option if names are stable, as
   * in a StatefulSet. Default: a random name, so other workers take over the work after `deadAfterMs`.
   */
  readonly id?: string
  /** Maximum number of runs that each worker executes at a time. Default 20. */
  readonly concurrency?: number
  /** How often the queue is polled, in milliseconds. Default 100. */
  readonly pollMs?: number
  /** Milliseconds without a heartbeat after which other workers take over this worker's work. Default 10,000. */
  readonly deadAfterMs?: number
  /**
   * How many workers in a row may die while executing a run that makes no progress, before the run is paused. Default
   * 20.
   */
  readonly maxAttempts?: number
  /**
   * The application's version. Only workers with the same version continue a run. Default: a hash of the agents' tools.
   */
  readonly version?: string
  /** Maximum number of database connections. Default 20. */
  readonly poolSize?: number
  /** A logger for the engine. The log may include errors from runs, with text from servers. Default: no logging. */
  readonly logger?: NonNullable<Parameters<Connection['dbos']['DBOS']['setConfig']>[0]['logger']>
}

/** A running worker. Close it to hand over its work to other workers. */
export interface Worker {
  /** The worker's name. If several processes use the same name, they are still separate workers. */
  readonly id: string
  readonly version: string
  /**
   * Stops taking runs and waits up to `waitMs` milliseconds (default 0) for active runs to end. Then releases the
   * remaining runs to other workers.
   */
  close(options?: { readonly waitMs?: number }): Promise<void>
}

/**
 * Starts a worker that executes runs of these agents. A process can have only one worker.
 * @throws CapstanError `unsupported` if DBOS is not installed, `invalid_state` if this process already has a worker
 */
export async function startWorker(
  agents: readonly DbosAgent<RunResult>[],
  options: WorkerOptions = {},
): Promise<Worker> {
  const configs = agents.map(configOf)
  const [first] = configs
  if (!first) throw new TypeError('startWorker needs at least one agent: startWorker([durable(agent)]).')
  const { namespace } = checkAgents(configs)
  const connection = await connect(first, options.poolSize)
  const { client, pool, dbos, enginePool } = connection
  const closed = new AbortController()
  let isOwner = false
  let heartbeat: Heartbeat | undefined
  const release = async (waitMs?: number) => {
    const wait = waitMs === undefined ? {} : { workflowCompletionTimeoutMS: waitMs }
    if (isOwner) await dbos.DBOS.shutdown({ deregister: true, ...wait })
    // From here on, steps can no longer be recorded.
    if (!enginePool.ended) await enginePool.end()
    // Abort active tool calls, because their results can no longer be recorded here.
    closed.abort(new Error('The worker was closed. Another worker will continue the run.'))
  }
  const close = async () => {
    await heartbeat?.end().catch(() => {})
    await client.destroy()
    if (!pool.ended) await pool.end()
  }
  try {
    if (dbos.DBOS.isInitialized()) throw alreadyRunning()
    isOwner = true
    const { id = `worker-${crypto.randomUUID()}`, deadAfterMs = 10_000, maxAttempts = 20 } = options
    // Version names apply to the whole database.
    const version = `${namespace}@${options.version ?? (await toolsVersion(configs))}`
    const me: WorkerRow = { namespace, id: newExecutorId(id), version }
    const watch = { executor: me.id, pool, client, namespace, deadAfterMs, maxAttempts }
    heartbeat = new Heartbeat(pool, me, deadAfterMs)
    const claims = new Claims(connection, heartbeat)
    for (const config of configs) registerWorkflows(config, connection, { signal: closed.signal, claims })
    await registerQueues(namespace, options, client)
    await heartbeat.beat()
    await launch(me, options, connection)
    await client.setLatestApplicationVersion(version)
    const stop = startHeartbeat(me, { heartbeat, claims }, watch)
    return {
      id,
      version,
      async close({ waitMs } = {}) {
        await stop()
        await release(waitMs)
        await close()
      },
    }
  } catch (error) {
    await release()
    await close()
    throw error
  }
}

async function registerQueues(
  namespace: string,
  { concurrency = 20, pollMs = 100 }: WorkerOptions,
  client: Connection['client'],
): Promise<void> {
  const polling = { minPollingIntervalMs: pollMs }
  await client.registerQueue(namespace, { workerConcurrency: concurrency, ...polling })
  await client.registerQueue(decisionsQueue(namespace), polling)
  await client.registerQueue(suspectsQueue(namespace), { globalConcurrency: 1, ...polling })
}

async function launch(
  { namespace, id, version }: WorkerRow,
  { logger = silentLogger }: WorkerOptions,
  { dbos: { DBOS }, url, enginePool }: Connection,
): Promise<void> {
  DBOS.setConfig({
    name: namespace,
    systemDatabaseUrl: url,
    systemDatabasePool: enginePool,
    executorID: id,
    applicationVersion: version,
    listenQueues: [namespace, decisionsQueue(namespace), suspectsQueue(namespace)],
    runMigrations: false,
    logger,
  })
  await DBOS.launch()
}

function alreadyRunning(): CapstanError {
  const message = 'DBOS is already running in this process. A process can have only one worker.'
  return new CapstanError('invalid_state', message)
}

/**
 * Checks that a worker's agents use the same database and queue, and have unique names. Returns the first
 * configuration.
 * @throws TypeError if they do not
 */
function checkAgents(configs: readonly DbosConfig[]): DbosConfig {
  const [first, ...others] = configs as [DbosConfig, ...DbosConfig[]]
  const describe = ({ namespace, database }: DbosConfig) =>
    `${namespace} at ${database && redactUrl(database)}`
  for (const other of others)
    if (other.namespace !== first.namespace || other.database !== first.database)
      throw new TypeError(
        `A worker's agents must use the same database and queue: "${describe(first)}", "${describe(other)}".`,
      )
  const names = configs.map(({ agent }) => agent.name)
  const duplicate = names.find((name, at) => names.indexOf(name) !== at)
  if (duplicate !== undefined)
    throw new TypeError(`Duplicate agent name "${duplicate}". Agent names must be unique within a worker.`)
  return first
}

/**
 * Returns the default version, a hash of all agents' tools. The engine only gives a run to workers with the version
 * that started it.
 */
async function toolsVersion(configs: readonly DbosConfig[]): Promise<string> {
  const hashes = await Promise.all(
    configs.map(async ({ agent }) => `${agent.name} ${await toolsHash(agent)}`),
  )
  return createHash('sha256').update(hashes.sort().join('\n')).digest('hex').slice(0, 16)
}
