import {
  CapstanError,
  type Decision,
  isCapstanError,
  type Limits,
  type RunInput,
  type RunResult,
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
import { LiveEvents } from '../events.js'
import { fromRecorded, type Recorded, reveal, withState } from '../recorded.js'
import { abortedResult, fromSegmentEnd, toSegmentEnd, withAbortReason } from '../segment.js'
import {
  checkRunId,
  hashInput,
  type RunSettings,
  readRunOptions,
  toJsonDecision,
  toRunId,
} from '../settings.js'
import { runEnded, runPaused, toolsChanged } from './decisions.js'
import type { RestateConfig } from './options.js'
import { getRunInfo, getRunStart, type RunInfo, toRunStatus, wasCancelled } from './run-info.js'
import { RestateServer } from './server.js'
import { checkSize, type RunEnd, type RunStart, type StoredDecision } from './stored.js'

/**
 * Milliseconds to wait for a worker to check a decision. If no worker does, the decision stays stored until a worker is
 * running.
 */
const decisionWaitMs = 3000

/** An agent's runs on a Restate server. They can be started and read in any process that can reach the server. */
export class RestateRuns<Result extends RunResult> implements DurableAgent<Result> {
  readonly name: string
  readonly #config: RestateConfig
  readonly #server: RestateServer
  readonly #closed = new AbortController()

  constructor(config: RestateConfig) {
    this.name = config.agent.name
    this.#config = config
    this.#server = new RestateServer(config)
  }

  async run(input: RunInput, options: DurableRunOptions = {}): Promise<Result> {
    return this.result(await this.start(input, options))
  }

  stream(input: RunInput, options: DurableRunOptions = {}): DurableRun<Result> {
    const runId = toRunId(input, options.runId)
    const events = new LiveEvents()
    const close = this.#config.events.subscribe(runId, events.push)
    return events.follow(runId, this.run(input, { ...options, runId }), () => ({ close }))
  }

  async start(input: RunInput, given: DurableRunOptions = {}): Promise<string> {
    const { data, unattended, ...options } = readRunOptions(given)
    const { agent, service, maxStateBytes } = this.#config
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
    let info = await this.#info(runId)
    for (let ms = 50; ; ms = Math.min(ms * 2, 1000)) {
      const { phase, metadata, row } = info
      if (row.status === 'completed') return this.#toResult(runId, info)
      if (phase === 'pending' && metadata.waiting) return fromSegmentEnd(metadata.waiting) as Result
      if (phase === 'set_aside') throw runPaused(runId, info)
      const signal = AbortSignal.any([AbortSignal.timeout(ms), this.#closed.signal])
      const end = (await this.#server.outcome(info.id, signal)) as RunEnd | undefined
      if (end) return fromRunEnd<Result>(end, info.reason)
      if (this.#closed.signal.aborted) throw clientClosed(runId)
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, ms))
      info = await this.#info(runId).catch((error) => {
        // The server may be restarting. Its data is not lost.
        if (isCapstanError(error) && error.retryable) return info
        throw error
      })
    }
  }

  async status(runId: string): Promise<RunStatus> {
    return toRunStatus(runId, await this.#info(runId))
  }

  async decide(runId: string, callId: string, decision: Decision): Promise<void> {
    const { agent, service } = this.#config
    const stored: StoredDecision = { callId, decision: toJsonDecision(decision, callId) }
    const { id: invocationId, metadata, row, phase } = await this.#info(runId)
    if (row.completion_result === 'failure') throw runEnded(runId, callId)
    const hasOtherTools = metadata.definition !== undefined && !(await hasToolsOf(agent, metadata.definition))
    if (hasOtherTools && row.deployment === row.latest && !(await this.#allowsChangedTools(invocationId)))
      throw toolsChanged(runId)
    const state = phase === 'pending' ? metadata.waiting?.state : undefined
    if (state?.pending.some((call) => call.callId === callId) && !hasOtherTools)
      await agent.prepare(state, { decisions: { [callId]: stored.decision }, allowChangedTools: true })
    const { id } = await this.#server.send(service, runId, 'decide', stored)
    const signal = AbortSignal.any([AbortSignal.timeout(decisionWaitMs), this.#closed.signal])
    const recorded = (await this.#server.outcome(id, signal)) as Recorded | undefined
    if (recorded) reveal(recorded)
  }

  async abort(runId: string, reason?: string): Promise<void> {
    const { id, row, paused } = await this.#info(runId)
    if (row.status === 'completed') return
    for (const one of new Set([...paused, id])) await this.#server.cancel(one)
    for (const one of paused) await this.#server.resume(one)
    if (reason !== undefined) await this.#server.send(this.#config.service, runId, 'abort', reason)
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }

  async #info(runId: string): Promise<RunInfo> {
    const info = await getRunInfo(this.#server, this.#config.service, runId)
    if (info) return info
    const message = `Agent "${this.name}" has no run "${runId}". It was never started, or its retention time has passed.`
    throw new CapstanError('not_found', message, { evidence: { runId } })
  }

  async #toResult(runId: string, { id, row, reason }: RunInfo): Promise<Result> {
    const { service, agent } = this.#config
    if (row.completion_result === 'failure') {
      const start = wasCancelled(row) && (await getRunStart(this.#server, id))
      if (start) return toAborted(await abortedResult(agent, start.state), reason) as Result
      throw new CapstanError('api', `Restate ended run "${runId}": ${row.completion_failure}`)
    }
    return fromRunEnd<Result>((await this.#server.output(service, runId)) as RunEnd, reason)
  }

  /** Whether a run was started with `allowChangedTools`. */
  async #allowsChangedTools(id: string): Promise<boolean> {
    return (await getRunStart(this.#server, id))?.settings.allowChangedTools ?? false
  }

  /**
   * Checks that the existing run with this id was started with the same input.
   * @throws CapstanError `conflict` if the input differs
   */
  async #checkSame(id: string, { state: { runId }, digest }: RunStart): Promise<void> {
    const { metadata } = await this.#info(runId)
    if ((metadata.digest ?? (await getRunStart(this.#server, id))?.digest ?? digest) === digest) return
    const message = `The run "${runId}" was started with different input. Use a different id, or omit it.`
    throw new CapstanError('conflict', message, { evidence: { runId } })
  }
}

function toAborted(result: RunResult, reason: string | undefined): RunResult {
  return fromSegmentEnd(withAbortReason(toSegmentEnd(result), reason))
}

/** Restores a run's result. @throws the error of a failed run, with its state */
function fromRunEnd<Result extends RunResult>(end: RunEnd, reason: string | undefined): Result {
  if (end.ok) return fromSegmentEnd(withAbortReason(end.end, reason)) as Result
  const { state: value } = end
  const error = fromRecorded(end.error)
  throw value ? withState(error, value) : error
}

/**
 * Returns a hash of a run's input. Omits the run's id, the tools and the agent's own limits, because these can change.
 */
function hashRun(
  { runId: _, definitionHash: __, limits: ___, ...asked }: RunState,
  settings: RunSettings & { readonly limits?: Limits | undefined },
): string {
  return hashInput([asked, settings], 'base64url')
}
