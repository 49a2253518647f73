import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type AnyAgent,
  type AnyRunResult,
  CapstanError,
  type Decision,
  isCapstanError,
  type Json,
  type RunEvent,
  type RunInput,
} from '@capstan/core'
import {
  type ContextOption,
  clientClosed,
  type DurableAgent,
  type DurableRun,
  type DurableRunOptions,
  type ResultOf,
  type RunStatus,
} from '../durable-agent.js'
import { EventQueue } from '../events.js'
import { fromRecorded } from '../recorded.js'
import { fromSegmentEnd } from '../segment.js'
import { checkRunId, hashInput, toJsonDecision, toRunId } from '../settings.js'
import { abortIfRequested, executeRun, type PersistentConfig } from './execute.js'
import { type Change, type RunRecord, type RunStateStore, unknownRun, updateRun } from './run-store.js'

export interface PersistentOptions {
  /** Where the runs are kept: `folderRuns(folder)`, `memoryRuns()`, or your own. */
  readonly store: RunStateStore
  /** How often a run is looked at that another process works on. Default 200. */
  readonly pollMs?: number
}

/**
 * An agent whose runs are worked on in this process and kept in a store: a run that waits for decisions waits there,
 * and goes on in whatever process decides on it. A store of snapshots is no engine. A run is kept before each of its
 * steps; when its process dies, nothing goes on with it by itself: `takeUp` does, and the calls or the request of the
 * step in flight are made again. For runs that go on by themselves use `@capstan/durable/dbos` or
 * `@capstan/durable/restate`.
 */
export function persistent<const A extends AnyAgent>(
  agent: A,
  options: PersistentOptions & ContextOption<A>,
): PersistentAgent<ResultOf<A>> {
  const {
    store,
    pollMs = 200,
    context,
  } = options as PersistentOptions & {
    readonly context?: (runId: string, data: Json | undefined) => unknown
  }
  return new PersistentRuns({ agent, store, context, pollMs }) as unknown as PersistentAgent<ResultOf<A>>
}

/** An agent whose runs are kept in a store. */
export interface PersistentAgent<Result extends AnyRunResult = AnyRunResult> extends DurableAgent<Result> {
  /**
   * Goes on with a run whose process has died, from before the step that it was in: its calls then run again, under the
   * same keys. A process that is alive after all stops at its next step. Its result tells the calls from here on. Does
   * nothing for a run that is not running.
   * @throws CapstanError `not_found`
   */
  recover(runId: string): Promise<void>
}

type OnEvent = (event: RunEvent) => void

/** A run that is worked on in this process. */
interface ActiveRun {
  readonly attempts: number
  readonly controller: AbortController
  readonly result: Promise<AnyRunResult>
  /** It could not go on, though nobody else has it: who asks is told why. */
  isStuck: boolean
}

/** The runs of an agent, as a store has them and this process works on them. */
class PersistentRuns implements PersistentAgent {
  readonly name: string
  readonly #plan: PersistentConfig
  readonly #live = new Map<string, ActiveRun>()
  readonly #closed = new AbortController()
  readonly #worker = `${process.pid}-${crypto.randomUUID()}`

  constructor(plan: PersistentConfig) {
    this.name = plan.agent.name
    this.#plan = plan
  }

  async run(input: RunInput, options?: DurableRunOptions): Promise<AnyRunResult> {
    return this.result(await this.start(input, options))
  }

  stream(input: RunInput, options: DurableRunOptions = {}): DurableRun<AnyRunResult> {
    const runId = toRunId(input, options.runId)
    const feed = new EventQueue()
    const follow = async () => {
      try {
        return await this.result(await this.#begin(input, { ...options, runId }, feed.push))
      } catch (error) {
        feed.fail(error)
        throw error
      } finally {
        feed.end(async () => {})
      }
    }
    const result = follow()
    result.catch(() => {})
    return { runId, result, [Symbol.asyncIterator]: () => feed[Symbol.asyncIterator]() }
  }

  async start(input: RunInput, options?: DurableRunOptions): Promise<string> {
    return this.#begin(input, options)
  }

  async result(runId: string): Promise<AnyRunResult> {
    for (;;) {
      const live = this.#live.get(runId)
      if (live && !live.isStuck) return live.result
      const run = await this.#kept(runId)
      if (live && run.phase === 'running' && run.attempts === live.attempts) return live.result
      if (run.phase === 'failed') throw toError(run)
      if (run.phase !== 'running' && run.end) return fromSegmentEnd({ ...run.end, state: run.state })
      await sleep(this.#plan.pollMs, undefined, { signal: this.#closed.signal }).catch(() => {
        throw clientClosed(runId)
      })
    }
  }

  async status(runId: string): Promise<RunStatus> {
    return toRunStatus(runId, await this.#kept(runId))
  }

  async decide(runId: string, callId: string, decision: Decision): Promise<void> {
    const { agent } = this.#plan
    const kept = toJsonDecision(decision, callId)
    const { phase, state, settings, decisions } = await this.#kept(runId)
    if (phase === 'pending' && !Object.hasOwn(decisions, callId)) {
      const { allowChangedTools = false } = settings
      await agent.prepare(state, { decisions: { [callId]: kept }, allowChangedTools })
    }
    const run = await this.#change(runId, (now) => {
      const before = Object.hasOwn(now.decisions, callId) ? now.decisions[callId] : undefined
      if (before && isDeepStrictEqual(before, kept)) return undefined
      if (before) throw alreadyDecided(callId)
      if (now.phase === 'ended' || now.phase === 'failed') throw runEnded(runId, callId)
      const waits = now.phase === 'pending' && now.state.pending.some((call) => call.callId === callId)
      return { ...(waits ? this.#taken(now) : now), decisions: { ...now.decisions, [callId]: kept } }
    })
    this.#workIfOwn(runId, run)
  }

  async abort(runId: string, reason?: string): Promise<void> {
    const aborted = reason === undefined ? {} : { reason }
    const run = await this.#change(runId, (now) => {
      if (now.phase === 'ended' || now.phase === 'failed' || now.aborted) return undefined
      return { ...(now.phase === 'pending' ? this.#taken(now) : now), aborted }
    })
    const live = this.#live.get(runId)
    if (live) abortIfRequested(run, live.controller)
    this.#workIfOwn(runId, run)
  }

  async recover(runId: string): Promise<void> {
    if (this.#live.get(runId)?.isStuck === false) return
    const run = await this.#change(runId, (now) => (now.phase === 'running' ? this.#taken(now) : undefined))
    this.#workIfOwn(runId, run)
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }

  async #begin(input: RunInput, options: DurableRunOptions = {}, hear?: OnEvent): Promise<string> {
    const { agent, store } = this.#plan
    const { data, unattended, ...rest } = options
    const state = await agent.prepare(input, rest)
    const { runId } = state
    checkRunId(runId)
    const settings = {
      ...(data === undefined ? {} : { data }),
      ...(unattended ? { unattended } : {}),
      ...(rest.allowChangedTools ? { allowChangedTools: true } : {}),
    }
    const given = {
      agent: agent.name,
      state,
      phase: 'running',
      digest: hashInput([agent.name, input, data ?? null]),
      settings,
    } as const
    const fresh = { ...given, decisions: {}, attempts: 1, worker: this.#worker }
    const run = JSON.parse(JSON.stringify(fresh)) as RunRecord
    try {
      await store.save(runId, run, 0)
    } catch (error) {
      const found = isCapstanError(error) && error.code === 'conflict' ? await store.load(runId) : undefined
      if (!found) throw error
      if (found.run.digest !== run.digest) throw inputConflict(runId)
      return runId
    }
    this.#workIfOwn(runId, run, hear)
    return runId
  }

  #taken(run: RunRecord): RunRecord {
    return { ...run, phase: 'running', attempts: run.attempts + 1, worker: this.#worker }
  }

  /** Works on a run that this process has, unless it does already. */
  #workIfOwn(runId: string, run: RunRecord, hear?: OnEvent): void {
    const { attempts } = run
    const before = this.#live.get(runId)
    const isOwn = run.phase === 'running' && run.worker === this.#worker
    if (!isOwn || (before?.attempts === attempts && !before.isStuck)) return
    const controller = new AbortController()
    const result = executeRun(this.#plan, { runId, run, controller, onEvent: hear })
    const live: ActiveRun = { attempts, controller, result, isStuck: false }
    this.#live.set(runId, live)
    const forget = () => void (this.#live.get(runId) === live && this.#live.delete(runId))
    result.then(forget, async () => {
      live.isStuck = true
      const kept = await this.#kept(runId).catch(() => run)
      if (kept.phase !== 'running' || kept.attempts !== attempts) forget()
    })
  }

  async #kept(runId: string): Promise<RunRecord> {
    const found = await this.#plan.store.load(runId)
    if (found?.run.agent !== this.name) throw unknownRun(runId)
    return found.run
  }

  #change(runId: string, change: Change): Promise<RunRecord> {
    return updateRun(this.#plan.store, runId, (now) => {
      // Others may keep theirs in the same store.
      if (now.agent !== this.name) throw unknownRun(runId)
      return change(now)
    })
  }
}

function toError({ error = { message: 'The run failed.' }, state }: RunRecord): Error {
  return Object.defineProperty(fromRecorded(error), 'state', {
    value: state,
    enumerable: false,
    configurable: true,
  })
}

function alreadyDecided(callId: string): CapstanError {
  const message = `Something else was decided on the call "${callId}" before.`
  return new CapstanError('conflict', message, { evidence: { callId } })
}

function runEnded(runId: string, callId: string): CapstanError {
  const message = `The run "${runId}" is over: its call "${callId}" waits for nothing any more.`
  return new CapstanError('invalid_request', message, { evidence: { runId, callId } })
}

function inputConflict(runId: string): CapstanError {
  const message = `The run "${runId}" was started with another input. Use another id, or ask for its result.`
  return new CapstanError('conflict', message, { evidence: { runId } })
}

/** Where a run stands, by what is kept of it. */
function toRunStatus(runId: string, run: RunRecord): RunStatus {
  const { state, phase, error, attempts, worker, aborted } = run
  const { reason } = aborted ?? {}
  return {
    runId,
    phase,
    steps: state.turn,
    usage: state.usage,
    pending: phase === 'pending' ? state.pending : [],
    attempts,
    worker,
    ...(phase === 'ended' && state.stopReason ? { stopReason: state.stopReason } : {}),
    ...(state.stopReason === 'aborted' && reason !== undefined ? { reason } : {}),
    ...(phase === 'failed' && error ? { error: { code: error.code ?? 'api', message: error.message } } : {}),
  }
}
