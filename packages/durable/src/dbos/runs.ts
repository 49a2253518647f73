import { type AnyRunResult, CapstanError, type Decision, type Json, type RunInput } from '@capstan/core'
import type { DurableAgent, DurableRun, DurableRunOptions, RunStatus } from '../durable-agent.js'
import { EventFeed } from '../event-feed.js'
import { fromRecorded } from '../recorded.js'
import { fromRoundEnd, type RoundEnd } from '../round-end.js'
import { abortedEnd } from './aborted-end.js'
import { endRounds } from './carry-out.js'
import { type Connection, connect, type Plan } from './engine.js'
import { LiveEvents } from './live-events.js'
import { abortId, abortWorkflow, decisionsQueue, runWorkflow } from './names.js'
import { replayed } from './replayed.js'
import { isDeciding, latestRound, type Round, settledRound } from './rounds.js'
import { sendDecision } from './send-decision.js'
import type { RoundStart } from './start.js'
import { recordedOf, toStatus } from './to-status.js'
import { isSetAside } from './workers.js'

/** The runs of an agent, as anybody has them who can reach the database. */
export class Runs implements DurableAgent {
  readonly name: string
  readonly #plan: Plan
  #connecting: Promise<Connection & { readonly events: LiveEvents }> | undefined

  #isClosed = false

  constructor(plan: Plan) {
    this.name = plan.agent.name
    this.#plan = plan
  }

  async start(input: RunInput, options: DurableRunOptions = {}): Promise<string> {
    const { data, unattended, ...rest } = options
    const state = await this.#plan.agent.prepare(input, rest)
    const start: RoundStart = {
      state,
      options: {
        ...(data === undefined ? {} : { data }),
        ...(unattended ? { unattended } : {}),
        ...(rest.allowChangedTools ? { allowChangedTools: true } : {}),
      },
    }
    await this.#enqueue(JSON.parse(JSON.stringify(start)))
    return state.runId
  }

  async run(input: RunInput, options?: DurableRunOptions): Promise<AnyRunResult> {
    return this.result(await this.start(input, options))
  }

  stream(input: RunInput, options: DurableRunOptions = {}): DurableRun<AnyRunResult> {
    const runId = options.runId ?? crypto.randomUUID()
    const feed = new EventFeed()
    const follow = async () => {
      const { events } = await this.#connected()
      const leave = await events.subscribe(runId, feed.hear)
      try {
        return await this.run(input, { ...options, runId })
      } finally {
        feed.end(leave)
      }
    }
    const result = follow()
    result.catch(() => {})
    return { runId, result, [Symbol.asyncIterator]: () => feed[Symbol.asyncIterator]() }
  }

  async result(runId: string): Promise<AnyRunResult> {
    const { client } = await this.#connected()
    for (;;) {
      const round = await settledRound(client, runId)
      if (!round) throw unknownRun(runId)
      if (!(await isDeciding(client, runId, round))) return this.#cameTo(runId, round)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async status(runId: string): Promise<RunStatus> {
    const { client, pool } = await this.#connected()
    const round = await latestRound(client, runId)
    if (!round) throw unknownRun(runId)
    return toStatus(runId, round, {
      client,
      isAborted: (await client.getWorkflow(abortId(runId))) !== undefined,
      isSetAside: await isSetAside(pool, round.status.workflowID),
    })
  }

  async decide(runId: string, callId: string, decision: Decision): Promise<void> {
    const connection = await this.#connected()
    const round = await latestRound(connection.client, runId)
    if (!round) throw unknownRun(runId)
    await sendDecision({ runId, callId, decision: decision as unknown as Json }, round, {
      plan: this.#plan,
      ...connection,
    })
  }

  async abort(runId: string, reason?: string): Promise<void> {
    const { client } = await this.#connected()
    const round = await latestRound(client, runId)
    if (!round) throw unknownRun(runId)
    const { agent, queue } = this.#plan
    const start = { runId, ...(reason === undefined ? {} : { reason }) }
    const workflow = { workflowName: abortWorkflow(agent.name), queueName: decisionsQueue(queue) }
    await client.enqueue({ ...workflow, workflowID: abortId(runId) }, start)
    // Done by a worker as well, should this process end here.
    await endRounds(start, client)
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

  async #connect() {
    const connection = await connect(this.#plan)
    return { ...connection, events: new LiveEvents(connection.pool) }
  }

  async #enqueue(start: RoundStart): Promise<void> {
    const { client, dbos } = await this.#connected()
    const { agent, queue } = this.#plan
    const { runId } = start.state
    const workflow = { workflowName: runWorkflow(agent.name), queueName: queue, workflowID: runId }
    try {
      await client.enqueue({ ...workflow, workflowIDReusePolicy: 'reject' }, start)
    } catch (error) {
      if (!dbos.Error.isWorkflowIDInUseError(error)) throw error
      const status = await client.getWorkflow(runId)
      if (status?.workflowName === workflow.workflowName && isSame(start, (status.input as [RoundStart])[0]))
        return
      const message = `There is a run "${runId}" already, with another input. Give this one another id.`
      throw new CapstanError('conflict', message, { evidence: { runId } })
    }
  }

  /** @throws CapstanError what the run failed with */
  async #cameTo(runId: string, { status: round }: Round): Promise<AnyRunResult> {
    const { client, pool } = await this.#connected()
    if (round.status === 'SUCCESS') {
      const end = round.output as RoundEnd
      const isAborted = end.state.stopReason === 'pending' && (await client.getWorkflow(abortId(runId)))
      return fromRoundEnd(isAborted ? await abortedEnd(this.#plan, end.state, end.toolCalls) : end)
    }
    if (round.status === 'MAX_RECOVERY_ATTEMPTS_EXCEEDED' || (await isSetAside(pool, round.workflowID)))
      throw setAside(runId)
    const result = await replayed(this.#plan, round, client)
    if (round.status === 'CANCELLED') return result
    // Not what it failed with: that is of this program, not of the run.
    throw fromRecorded(recordedOf(round.error))
  }
}

/** Whether two ask for one thing: who asks again after a crash asks the same. */
function isSame(one: RoundStart, other: RoundStart): boolean {
  const facts = ({ state: { messages, limits }, options }: RoundStart) =>
    JSON.stringify([messages, limits, options])
  return facts(one) === facts(other)
}

function unknownRun(runId: string): CapstanError {
  return new CapstanError('not_found', `There is no run "${runId}".`, { evidence: { runId } })
}

function setAside(runId: string): CapstanError {
  const message = `The run "${runId}" was begun again and again and never came to an end: it was set aside. See what it does to its workers.`
  return new CapstanError('stopped', message, { evidence: { runId } })
}
