import {
  type AnyAgent,
  CapstanError,
  type Decision,
  type Json,
  type RunInput,
  type RunResult,
} from '@capstan/core'
import type {
  DurableAgent,
  DurableArguments,
  DurableRun,
  DurableRunOptions,
  ResultOf,
  RunStatus,
} from '../durable-agent.js'
import { LiveEvents } from '../events.js'
import { defaultMaxStepBytes, fromRecorded, withState } from '../recorded.js'
import { abortedResult, fromSegmentEnd, type SegmentEnd, toSegmentEnd, withAbortReason } from '../segment.js'
import { checkRunId, hashInput, readRunOptions, toJsonDecision, toRunId } from '../settings.js'
import { cancelSegments, sendDecision } from './decisions.js'
import { type Connection, type CreateContext, connect, type DbosConfig, type DbosOptions } from './engine.js'
import { EventSubscriptions } from './events.js'
import { isPaused } from './heartbeat.js'
import { replay } from './replay.js'
import { type Segment, Segments, storedError, toRunStatus } from './segments.js'
import {
  type AbortStart,
  abortId,
  abortWorkflow,
  decisionsQueue,
  runWorkflow,
  type SegmentStart,
  toNamespace,
} from './stored.js'

/** An agent whose runs are stored in PostgreSQL and executed by DBOS. */
export type DbosAgent<Result extends RunResult = RunResult> = DurableAgent<Result>

const configs = new WeakMap<object, DbosConfig>()

/** Returns the configuration of a durable agent. @throws TypeError for an object that `durable` did not return */
export function configOf(runs: object): DbosConfig {
  const config = configs.get(runs)
  if (!config)
    throw new TypeError('startWorker accepts only agents created by durable(...) from @capstan/durable/dbos.')
  return config
}

/**
 * Makes an agent durable: PostgreSQL stores its runs, and DBOS executes them in processes that have called
 * `startWorker`. Connects on first use.
 */
export function durable<const A extends AnyAgent>(
  agent: A,
  ...[given]: DurableArguments<A, DbosOptions>
): DbosAgent<ResultOf<A>> {
  const options: DbosOptions & { readonly context?: CreateContext } = given ?? {}
  const config: DbosConfig = {
    agent,
    context: options.context,
    database: options.database,
    namespace: toNamespace(options.application ?? 'capstan', options.queue ?? 'capstan'),
    maxStepBytes: options.maxStepBytes ?? defaultMaxStepBytes,
    live: options.live ?? true,
    migrate: options.migrate ?? true,
  }
  const runs = new DbosRuns(config)
  configs.set(runs, config)
  return runs as unknown as DbosAgent<ResultOf<A>>
}

/** A client's database connections. */
interface RunsConnection extends Connection {
  readonly events: EventSubscriptions
  readonly segments: Segments
}

/** An agent's runs. They can be started and read in any process that can reach the database. */
class DbosRuns implements DurableAgent {
  readonly name: string
  readonly #config: DbosConfig
  #connecting: Promise<RunsConnection> | undefined
  #isClosed = false

  constructor(config: DbosConfig) {
    this.name = config.agent.name
    this.#config = config
  }

  async start(input: RunInput, options: DurableRunOptions = {}): Promise<string> {
    const { data, unattended, ...rest } = readRunOptions(options)
    const state = await this.#config.agent.prepare(input, rest)
    checkRunId(state.runId)
    const { allowChangedTools, limits } = rest
    const settings = { data, unattended, allowChangedTools }
    // Include only the limits from the options, because the agent's own limits can change between deployments.
    const asked = hashInput([state.messages, limits, settings])
    const start: SegmentStart = JSON.parse(JSON.stringify({ state, options: settings, asked }))
    await this.#enqueue(start)
    return state.runId
  }

  async run(input: RunInput, options?: DurableRunOptions): Promise<RunResult> {
    return this.result(await this.start(input, options))
  }

  stream(input: RunInput, options: DurableRunOptions = {}): DurableRun<RunResult> {
    const runId = toRunId(input, options.runId)
    const live = new LiveEvents()
    let subscription: ReturnType<Parameters<typeof live.follow>[2]>
    const follow = async () => {
      readRunOptions(options)
      const { events } = await this.#connected()
      const close = await events.subscribe(runId, live.push)
      subscription = { close, caughtUp: () => events.caughtUp().catch(() => {}) }
      return this.run(input, { ...options, runId })
    }
    return live.follow(runId, follow(), () => subscription)
  }

  async result(runId: string): Promise<RunResult> {
    const { segments } = await this.#connected()
    for (;;) {
      const segment = await segments.settled(runId)
      if (!segment) throw unknownRun(runId)
      if (!(await segments.hasDueDecision(runId, segment))) return this.#toResult(runId, segment)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async status(runId: string): Promise<RunStatus> {
    const { client, pool, segments } = await this.#connected()
    const segment = await segments.latest(runId)
    if (!segment) throw unknownRun(runId)
    const aborted = await findAbort(runId, client)
    return toRunStatus(runId, segment, {
      client,
      aborted,
      isPaused: await isPaused(pool, segment.status.workflowID),
    })
  }

  async decide(runId: string, callId: string, decision: Decision): Promise<void> {
    const stored = toJsonDecision(decision, callId) as unknown as Json
    const connection = await this.#connected()
    const segment = await connection.segments.latest(runId)
    if (!segment) throw unknownRun(runId)
    await sendDecision({ runId, callId, decision: stored }, segment, {
      config: this.#config,
      ...connection,
    })
  }

  async abort(runId: string, reason?: string): Promise<void> {
    const { client, segments } = await this.#connected()
    if (!(await segments.latest(runId))) throw unknownRun(runId)
    const { agent, namespace } = this.#config
    const start = { runId, ...(reason === undefined ? {} : { reason }) }
    const workflow = { workflowName: abortWorkflow(agent.name), queueName: decisionsQueue(namespace) }
    await client.enqueue({ ...workflow, workflowID: abortId(runId) }, start)
    // A worker also cancels them, in case this process ends before it has done so.
    await cancelSegments(start, client)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const connecting = this.#connecting
    this.#connecting = undefined
    const connection = await connecting?.catch(() => undefined)
    await connection?.events.close()
    await connection?.client.destroy()
    if (connection && !connection.pool.ended) await connection.pool.end()
  }

  #connected() {
    if (this.#isClosed)
      throw new CapstanError(
        'invalid_state',
        'This client has been closed. Call durable(agent) again to create a new one.',
      )
    this.#connecting ??= this.#connect()
    this.#connecting.catch(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #connect(): Promise<RunsConnection> {
    const connection = await connect(this.#config)
    const { client, pool } = connection
    return {
      ...connection,
      events: new EventSubscriptions(pool),
      segments: new Segments(this.#config, client),
    }
  }

  async #enqueue(start: SegmentStart): Promise<void> {
    const { client, dbos, segments } = await this.#connected()
    const { agent, namespace } = this.#config
    const { runId } = start.state
    const workflow = { workflowName: runWorkflow(agent.name), queueName: namespace, workflowID: runId }
    try {
      await client.enqueue({ ...workflow, workflowIDReusePolicy: 'reject' }, start)
    } catch (error) {
      if (!dbos.Error.isWorkflowIDInUseError(error)) throw error
      const { status } = (await segments.latest(runId)) ?? {}
      // If a start is repeated after a crash, its input is the same.
      if (status && (await storedHash(runId, client)) === start.asked) return
      const message = `Run id "${runId}" belongs to a run with different input, or to a run of a different agent. Use a different id.`
      throw new CapstanError('conflict', message, { evidence: { runId } })
    }
  }

  /** Returns the result of a settled segment. @throws the error of a run that failed or is paused */
  async #toResult(runId: string, { status: segment }: Segment): Promise<RunResult> {
    const { client, pool } = await this.#connected()
    if (segment.status === 'SUCCESS') {
      const end = segment.output as SegmentEnd
      const aborted = end.state.stopReason === 'pending' && (await findAbort(runId, client))
      if (!aborted) return fromSegmentEnd(end)
      const last = toSegmentEnd(await abortedResult(this.#config.agent, end.state), end)
      return fromSegmentEnd(withAbortReason(last, aborted.reason))
    }
    if (segment.status === 'MAX_RECOVERY_ATTEMPTS_EXCEEDED' || (await isPaused(pool, segment.workflowID)))
      throw runPaused(runId)
    const [before] = segment.input as [SegmentStart]
    const result = await replay(this.#config, segment, client)
    if (segment.status === 'CANCELLED') {
      const aborted = await findAbort(runId, client)
      return fromSegmentEnd(withAbortReason(toSegmentEnd(result, before), aborted?.reason))
    }
    // The run failed outside its steps, so the replay only restores its last state.
    throw withState(fromRecorded(storedError(segment.error)), result.state)
  }
}

/** Returns the abort that was requested for a run, with its reason. Undefined if none was requested. */
async function findAbort(runId: string, client: Connection['client']): Promise<AbortStart | undefined> {
  const aborted = await client.getWorkflow(abortId(runId))
  return aborted?.input?.[0] as AbortStart | undefined
}

/** Returns the hash of the input with which a run was started. */
async function storedHash(runId: string, client: Connection['client']): Promise<string | undefined> {
  return ((await client.getWorkflow(runId))?.input as [SegmentStart] | undefined)?.[0].asked
}

function unknownRun(runId: string): CapstanError {
  return new CapstanError(
    'not_found',
    `Unknown run "${runId}". Check the id, the application and the queue.`,
    { evidence: { runId } },
  )
}

function runPaused(runId: string): CapstanError {
  const message = `Run "${runId}" is paused: too many workers died while executing it. Look for the cause in the workers' logs.`
  return new CapstanError('stopped', message, { evidence: { runId } })
}
