import { createHash } from 'node:crypto'
import {
  type AnyAgent,
  type AnyRunResult,
  CapstanError,
  type Decision,
  isCapstanError,
  type Limits,
  type RunInput,
  type RunState,
} from '@capstan/core'
import { hasToolsOf } from '@capstan/core/internal'
import {
  clientClosed,
  type DurableAgent,
  type DurableRun,
  type DurableRunOptions,
  type RunStatus,
} from '../durable-agent.js'
import { EventQueue } from '../events.js'
import { fromRecorded, type Recorded, reveal } from '../recorded.js'
import { fromSegmentEnd } from '../segment.js'
import { checkRunId, type RunSettings, toJsonDecision, toRunId } from '../settings.js'
import { runEnded, runPaused, toolsChanged } from './decisions.js'
import type { RestateConfig } from './options.js'
import { getRunInfo, getRunStart, type RunInfo, toRunStatus, wasCancelled } from './run-info.js'
import { RestateServer } from './server.js'
import { checkSize, type RunEnd, type RunStart, type StoredDecision } from './stored.js'

/** For how long a decision is waited for to be looked at by a worker. After that it is kept, and looked at when one is up. */
const decideMs = 3000

/** The runs of one agent on a Restate server. */
export class RestateRuns<Result extends AnyRunResult> implements DurableAgent<Result> {
  readonly name: string
  readonly #plan: RestateConfig
  readonly #server: RestateServer
  readonly #closed = new AbortController()

  constructor(plan: RestateConfig) {
    this.name = plan.agent.name
    this.#plan = plan
    this.#server = new RestateServer(plan)
  }

  async run(input: RunInput, options: DurableRunOptions = {}): Promise<Result> {
    return this.result(await this.start(input, options))
  }

  stream(input: RunInput, options: DurableRunOptions = {}): DurableRun<Result> {
    const runId = toRunId(input, options.runId)
    const feed = new EventQueue()
    const leave = this.#plan.events.subscribe(runId, feed.push)
    const result = this.run(input, { ...options, runId })
      .catch((error: unknown) => {
        feed.fail(error)
        throw error
      })
      .finally(() => feed.end(async () => leave()))
    result.catch(() => {})
    return { runId, result, [Symbol.asyncIterator]: () => feed[Symbol.asyncIterator]() }
  }

  async start(input: RunInput, { data, unattended, ...options }: DurableRunOptions = {}): Promise<string> {
    const { agent, service, maxStateBytes } = this.#plan
    const state = await agent.prepare(input, options)
    checkRunId(state.runId)
    const { allowChangedTools, limits } = options
    const settings = JSON.parse(JSON.stringify({ data, unattended, allowChangedTools }))
    const start: RunStart = { state, settings, digest: hashRun(state, { ...settings, limits }) }
    checkSize(start, maxStateBytes)
    const { id, isNew } = await this.#server.send(service, state.runId, 'run', start)
    if (!isNew) await this.#checkSame(id, start)
    return state.runId
  }

  async result(runId: string): Promise<Result> {
    let sight = await this.#see(runId)
    for (let ms = 50; ; ms = Math.min(ms * 2, 1000)) {
      const { phase, metadata: notes, row } = sight
      if (row.status === 'completed') return this.#ended(runId, sight)
      if (phase === 'pending' && notes.waiting) return fromSegmentEnd(notes.waiting) as Result
      if (phase === 'set_aside') throw runPaused(runId, sight)
      const signal = AbortSignal.any([AbortSignal.timeout(ms), this.#closed.signal])
      const end = (await this.#server.outcome(sight.id, signal)) as RunEnd | undefined
      if (end) return fromRunEnd<Result>(end)
      if (this.#closed.signal.aborted) throw clientClosed(runId)
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, ms))
      sight = await this.#see(runId).catch((error) => {
        // A server that is away comes back, with all it had.
        if (isCapstanError(error) && error.retryable) return sight
        throw error
      })
    }
  }

  async status(runId: string): Promise<RunStatus> {
    return toRunStatus(runId, await this.#see(runId))
  }

  async decide(runId: string, callId: string, decision: Decision): Promise<void> {
    const { agent, service } = this.#plan
    const given: StoredDecision = { callId, decision: toJsonDecision(decision, callId) }
    const { id: workId, metadata: notes, row, phase } = await this.#see(runId)
    if (row.completion_result === 'failure') throw runEnded(runId, callId)
    const isOfOthers = notes.definition !== undefined && !(await hasToolsOf(agent, notes.definition))
    if (isOfOthers && row.deployment === row.latest && !(await this.#mayChange(workId)))
      throw toolsChanged(runId)
    const state = phase === 'pending' ? notes.waiting?.state : undefined
    if (state?.pending.some((call) => call.callId === callId) && !isOfOthers)
      await agent.prepare(state, { decisions: { [callId]: given.decision }, allowChangedTools: true })
    const { id } = await this.#server.send(service, runId, 'decide', given)
    const signal = AbortSignal.any([AbortSignal.timeout(decideMs), this.#closed.signal])
    const recorded = (await this.#server.outcome(id, signal)) as Recorded | undefined
    if (recorded) reveal(recorded)
  }

  async abort(runId: string, reason?: string): Promise<void> {
    const { id, row, paused: stuck } = await this.#see(runId)
    if (row.status === 'completed') return
    for (const one of new Set([...stuck, id])) await this.#server.cancel(one)
    for (const one of stuck) await this.#server.resume(one)
    if (reason !== undefined) await this.#server.send(this.#plan.service, runId, 'abort', reason)
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }

  async #see(runId: string): Promise<RunInfo> {
    const sight = await getRunInfo(this.#server, this.#plan.service, runId)
    if (sight) return sight
    const message = `The agent "${this.name}" has no run "${runId}" on this Restate. It was never started, or ended too long ago.`
    throw new CapstanError('not_found', message, { evidence: { runId } })
  }

  async #ended(runId: string, { id, row }: RunInfo): Promise<Result> {
    const { service, agent } = this.#plan
    if (row.completion_result === 'failure') {
      const start = wasCancelled(row) && (await getRunStart(this.#server, id))
      if (start) return abortedResult(agent, start.state) as Promise<Result>
      throw new CapstanError('api', `The run "${runId}" was ended by Restate: ${row.completion_failure}`)
    }
    return fromRunEnd<Result>((await this.#server.output(service, runId)) as RunEnd)
  }

  /** Whether a run goes on though the tools are other ones. */
  async #mayChange(id: string): Promise<boolean> {
    return (await getRunStart(this.#server, id))?.settings.allowChangedTools ?? false
  }

  /** @throws CapstanError `conflict` when the run of that id was asked for something else */
  async #checkSame(id: string, { state: { runId }, digest }: RunStart): Promise<void> {
    const { metadata: notes } = await this.#see(runId)
    if ((notes.digest ?? (await getRunStart(this.#server, id))?.digest ?? digest) === digest) return
    const message = `The run "${runId}" was started with another input. Take another id, or none.`
    throw new CapstanError('conflict', message, { evidence: { runId } })
  }
}

/** A run that was ended before any worker had it. */
function abortedResult(agent: AnyAgent, state: RunState): Promise<AnyRunResult> {
  return agent.run(state, {
    signal: AbortSignal.abort(),
    allowChangedTools: true,
    silent: true,
    context: undefined as never,
  })
}

/** @throws what the run failed with, and its state */
function fromRunEnd<Result extends AnyRunResult>(end: RunEnd): Result {
  if (end.ok) return fromSegmentEnd(end.end) as Result
  const { state: value } = end
  const error = fromRecorded(end.error)
  throw value
    ? Object.defineProperty(error, 'state', { value, enumerable: false, configurable: true })
    : error
}

/** Of what is asked for, whoever asks, and whatever the tools and the agent's own limits are meanwhile. */
function hashRun(
  { runId: _, definitionHash: __, limits: ___, ...asked }: RunState,
  settings: RunSettings & { readonly limits?: Limits | undefined },
): string {
  return createHash('sha256')
    .update(JSON.stringify([asked, settings]))
    .digest('base64url')
}
