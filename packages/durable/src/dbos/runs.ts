import {
  type AnyAgent,
  type AnyRunResult,
  CapstanError,
  type Decision,
  type Json,
  type RunInput,
} from '@capstan/core'
import type {
  DurableAgent,
  DurableArguments,
  DurableRun,
  DurableRunOptions,
  ResultOf,
  RunStatus,
} from '../durable-agent.js'
import { EventQueue } from '../events.js'
import { defaultMaxStepBytes, fromRecorded } from '../recorded.js'
import { fromSegmentEnd, type SegmentEnd, toSegmentEnd } from '../segment.js'
import { checkRunId, hashInput, toJsonDecision, toRunId } from '../settings.js'
import { cancelSegments, sendDecision } from './decisions.js'
import { type Connection, type CreateContext, connect, type DbosConfig, type DbosOptions } from './engine.js'
import { EventSubscriptions } from './events.js'
import { isPaused } from './heartbeat.js'
import { replay } from './replay.js'
import { abortedEnd, type Segment, Segments, storedError, toRunStatus } from './segments.js'
import {
  type AbortStart,
  abortId,
  abortWorkflow,
  decisionsQueue,
  runWorkflow,
  type SegmentStart,
  toNamespace,
} from './stored.js'

/** An agent whose runs are kept in PostgreSQL. */
export type DbosAgent<Result extends AnyRunResult = AnyRunResult> = DurableAgent<Result>

const configs = new WeakMap<object, DbosConfig>()

/** How the runs of an agent are kept. @throws TypeError for what `durable` did not make */
export function configOf(runs: object): DbosConfig {
  const plan = configs.get(runs)
  if (!plan) throw new TypeError('startWorker takes what durable(...) of @capstan/durable/dbos made.')
  return plan
}

/**
 * An agent whose runs are kept in PostgreSQL and worked on by DBOS, by any process that `startWorker` was called in.
 * Nothing is connected before it is used.
 */
export function durable<const A extends AnyAgent>(
  agent: A,
  ...[given]: DurableArguments<A, DbosOptions>
): DbosAgent<ResultOf<A>> {
  const options: DbosOptions & { readonly context?: CreateContext } = given ?? {}
  const plan: DbosConfig = {
    agent,
    context: options.context,
    database: options.database,
    namespace: toNamespace(options.application ?? 'capstan', options.queue ?? 'capstan'),
    maxStepBytes: options.maxStepBytes ?? defaultMaxStepBytes,
    live: options.live ?? true,
    migrate: options.migrate ?? true,
  }
  const runs = new DbosRuns(plan)
  configs.set(runs, plan)
  return runs as unknown as DbosAgent<ResultOf<A>>
}

/** What runs are looked after with. */
interface RunsConnection extends Connection {
  readonly events: EventSubscriptions
  readonly segments: Segments
}

/** The runs of an agent, as anybody has them who can reach the database. */
class DbosRuns implements DurableAgent {
  readonly name: string
  readonly #plan: DbosConfig
  #connecting: Promise<RunsConnection> | undefined
  #isClosed = false

  constructor(plan: DbosConfig) {
    this.name = plan.agent.name
    this.#plan = plan
  }

  async start(input: RunInput, options: DurableRunOptions = {}): Promise<string> {
    const { data, unattended, ...rest } = options
    const state = await this.#plan.agent.prepare(input, rest)
    checkRunId(state.runId)
    const { allowChangedTools, limits } = rest
    const settings = { data, unattended, allowChangedTools }
    // As it was said: what an agent's own limits are may change from one deployment to the next.
    const asked = hashInput([state.messages, limits, settings])
    const start: SegmentStart = JSON.parse(JSON.stringify({ state, options: settings, asked }))
    await this.#enqueue(start)
    return state.runId
  }

  async run(input: RunInput, options?: DurableRunOptions): Promise<AnyRunResult> {
    return this.result(await this.start(input, options))
  }

  stream(input: RunInput, options: DurableRunOptions = {}): DurableRun<AnyRunResult> {
    const runId = toRunId(input, options.runId)
    const feed = new EventQueue()
    const follow = async () => {
      let leave: (() => Promise<void>) | undefined
      let caughtUp = async () => {}
      try {
        const { events } = await this.#connected()
        leave = await events.subscribe(runId, feed.push)
        caughtUp = () => events.caughtUp().catch(() => {})
        return await this.run(input, { ...options, runId })
      } catch (error) {
        feed.fail(error)
        throw error
      } finally {
        void caughtUp().then(() => feed.end(leave))
      }
    }
    const result = follow()
    result.catch(() => {})
    return { runId, result, [Symbol.asyncIterator]: () => feed[Symbol.asyncIterator]() }
  }

  async result(runId: string): Promise<AnyRunResult> {
    const { segments: rounds } = await this.#connected()
    for (;;) {
      const round = await rounds.settled(runId)
      if (!round) throw unknownRun(runId)
      if (!(await rounds.hasDueDecision(runId, round))) return this.#cameTo(runId, round)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async status(runId: string): Promise<RunStatus> {
    const { client, pool, segments: rounds } = await this.#connected()
    const round = await rounds.latest(runId)
    if (!round) throw unknownRun(runId)
    const aborted = await client.getWorkflow(abortId(runId))
    return toRunStatus(runId, round, {
      client,
      aborted: aborted?.input?.[0] as AbortStart | undefined,
      isPaused: await isPaused(pool, round.status.workflowID),
    })
  }

  async decide(runId: string, callId: string, decision: Decision): Promise<void> {
    const kept = toJsonDecision(decision, callId) as unknown as Json
    const connection = await this.#connected()
    const round = await connection.segments.latest(runId)
    if (!round) throw unknownRun(runId)
    await sendDecision({ runId, callId, decision: kept }, round, {
      plan: this.#plan,
      ...connection,
    })
  }

  async abort(runId: string, reason?: string): Promise<void> {
    const { client, segments: rounds } = await this.#connected()
    if (!(await rounds.latest(runId))) throw unknownRun(runId)
    const { agent, namespace: place } = this.#plan
    const start = { runId, ...(reason === undefined ? {} : { reason }) }
    const workflow = { workflowName: abortWorkflow(agent.name), queueName: decisionsQueue(place) }
    await client.enqueue({ ...workflow, workflowID: abortId(runId) }, start)
    // Done by a worker as well, should this process end here.
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
    if (this.#isClosed) throw new CapstanError('invalid_state', 'These runs were closed: make them anew.')
    this.#connecting ??= this.#connect()
    this.#connecting.catch(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #connect(): Promise<RunsConnection> {
    const connection = await connect(this.#plan)
    const { client, pool } = connection
    return { ...connection, events: new EventSubscriptions(pool), segments: new Segments(this.#plan, client) }
  }

  async #enqueue(start: SegmentStart): Promise<void> {
    const { client, dbos, segments: rounds } = await this.#connected()
    const { agent, namespace: place } = this.#plan
    const { runId } = start.state
    const workflow = { workflowName: runWorkflow(agent.name), queueName: place, workflowID: runId }
    try {
      await client.enqueue({ ...workflow, workflowIDReusePolicy: 'reject' }, start)
    } catch (error) {
      if (!dbos.Error.isWorkflowIDInUseError(error)) throw error
      const { status } = (await rounds.latest(runId)) ?? {}
      // Who asks again after a crash asks the same.
      if (status && (await storedHash(runId, client)) === start.asked) return
      const message = `There is a run "${runId}" already, with another input or of another agent. Give this one another id.`
      throw new CapstanError('conflict', message, { evidence: { runId } })
    }
  }

  /** @throws CapstanError what the run failed with */
  async #cameTo(runId: string, { status: round }: Segment): Promise<AnyRunResult> {
    const { client, pool } = await this.#connected()
    if (round.status === 'SUCCESS') {
      const end = round.output as SegmentEnd
      const isAborted = end.state.stopReason === 'pending' && (await client.getWorkflow(abortId(runId)))
      return fromSegmentEnd(isAborted ? await abortedEnd(this.#plan, end.state, end.toolCalls) : end)
    }
    if (round.status === 'MAX_RECOVERY_ATTEMPTS_EXCEEDED' || (await isPaused(pool, round.workflowID)))
      throw runPaused(runId)
    const { toolCalls } = (round.input as [SegmentStart])[0]
    const result = await replay(this.#plan, round, client)
    if (round.status === 'CANCELLED') return fromSegmentEnd(toSegmentEnd(result, toolCalls))
    // It failed beside its steps: what it had is known all the same.
    throw Object.defineProperty(fromRecorded(storedError(round.error)), 'state', { value: result.state })
  }
}

/** What the first round of a run was asked. */
async function storedHash(runId: string, client: Connection['client']): Promise<string | undefined> {
  return ((await client.getWorkflow(runId))?.input as [SegmentStart] | undefined)?.[0].asked
}

function unknownRun(runId: string): CapstanError {
  return new CapstanError('not_found', `There is no run "${runId}".`, { evidence: { runId } })
}

function runPaused(runId: string): CapstanError {
  const message = `The run "${runId}" was begun again and again and never came to an end: it was set aside. See what it does to its workers.`
  return new CapstanError('stopped', message, { evidence: { runId } })
}
