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
  type DurableAgent,
  type DurableRun,
  type DurableRunOptions,
  letGo,
  type MakeContextOption,
  type ResultOf,
  type RunStatus,
} from '../durable-agent.js'
import { EventFeed } from '../events.js'
import { fromRecorded } from '../recorded.js'
import { fromRoundEnd } from '../segment.js'
import { checkRunId, digestOf, plainDecision, runIdOf } from '../settings.js'
import { endIfAborted, type ParkingPlan, workOn } from './execute.js'
import { type Change, changeRun, type KeptRun, type RunStateStore, unknownRun } from './run-store.js'

export interface ParkedOptions {
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
export function parked<const A extends AnyAgent>(
  agent: A,
  options: ParkedOptions & MakeContextOption<A>,
): ParkedAgent<ResultOf<A>> {
  const {
    store,
    pollMs = 200,
    context,
  } = options as ParkedOptions & {
    readonly context?: (runId: string, data: Json | undefined) => unknown
  }
  return new ParkedRuns({ agent, store, context, pollMs }) as unknown as ParkedAgent<ResultOf<A>>
}

/** An agent whose runs are kept in a store. */
export interface ParkedAgent<Result extends AnyRunResult = AnyRunResult> extends DurableAgent<Result> {
  /**
   * Goes on with a run whose process has died, from before the step that it was in: its calls then run again, under the
   * same keys. A process that is alive after all stops at its next step. Its result tells the calls from here on. Does
   * nothing for a run that is not running.
   * @throws CapstanError `not_found`
   */
  takeUp(runId: string): Promise<void>
}

type Hear = (event: RunEvent) => void

/** A run that is worked on in this process. */
interface Live {
  readonly attempts: number
  readonly controller: AbortController
  readonly result: Promise<AnyRunResult>
  /** It could not go on, though nobody else has it: who asks is told why. */
  isStuck: boolean
}

/** The runs of an agent, as a store has them and this process works on them. */
class ParkedRuns implements ParkedAgent {
  readonly name: string
  readonly #plan: ParkingPlan
  readonly #live = new Map<string, Live>()
  readonly #closed = new AbortController()
  readonly #worker = `${process.pid}-${crypto.randomUUID()}`

  constructor(plan: ParkingPlan) {
    this.name = plan.agent.name
    this.#plan = plan
  }

  async run(input: RunInput, options?: DurableRunOptions): Promise<AnyRunResult> {
    return this.result(await this.start(input, options))
  }

  stream(input: RunInput, options: DurableRunOptions = {}): DurableRun<AnyRunResult> {
    const runId = runIdOf(input, options.runId)
    const feed = new EventFeed()
    const follow = async () => {
      try {
        return await this.result(await this.#begin(input, { ...options, runId }, feed.hear))
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
      if (run.phase === 'failed') throw failureOf(run)
      if (run.phase !== 'running' && run.end) return fromRoundEnd({ ...run.end, state: run.state })
      await sleep(this.#plan.pollMs, undefined, { signal: this.#closed.signal }).catch(() => {
        throw letGo(runId)
      })
    }
  }

  async status(runId: string): Promise<RunStatus> {
    return toStatus(runId, await this.#kept(runId))
  }

  async decide(runId: string, callId: string, decision: Decision): Promise<void> {
    const { agent } = this.#plan
    const kept = plainDecision(decision, callId)
    const { phase, state, settings, decisions } = await this.#kept(runId)
    if (phase === 'pending' && !Object.hasOwn(decisions, callId)) {
      const { allowChangedTools = false } = settings
      await agent.prepare(state, { decisions: { [callId]: kept }, allowChangedTools })
    }
    const run = await this.#change(runId, (now) => {
      const before = Object.hasOwn(now.decisions, callId) ? now.decisions[callId] : undefined
      if (before && isDeepStrictEqual(before, kept)) return undefined
      if (before) throw decided(callId)
      if (now.phase === 'ended' || now.phase === 'failed') throw over(runId, callId)
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
    if (live) endIfAborted(run, live.controller)
    this.#workIfOwn(runId, run)
  }

  async takeUp(runId: string): Promise<void> {
    if (this.#live.get(runId)?.isStuck === false) return
    const run = await this.#change(runId, (now) => (now.phase === 'running' ? this.#taken(now) : undefined))
    this.#workIfOwn(runId, run)
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }

  async #begin(input: RunInput, options: DurableRunOptions = {}, hear?: Hear): Promise<string> {
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
      digest: digestOf([agent.name, input, data ?? null]),
      settings,
    } as const
    const fresh = { ...given, decisions: {}, attempts: 1, worker: this.#worker }
    const run = JSON.parse(JSON.stringify(fresh)) as KeptRun
    try {
      await store.save(runId, run, 0)
    } catch (error) {
      const found = isCapstanError(error) && error.code === 'conflict' ? await store.load(runId) : undefined
      if (!found) throw error
      if (found.run.digest !== run.digest) throw otherInput(runId)
      return runId
    }
    this.#workIfOwn(runId, run, hear)
    return runId
  }

  #taken(run: KeptRun): KeptRun {
    return { ...run, phase: 'running', attempts: run.attempts + 1, worker: this.#worker }
  }

  /** Works on a run that this process has, unless it does already. */
  #workIfOwn(runId: string, run: KeptRun, hear?: Hear): void {
    const { attempts } = run
    const before = this.#live.get(runId)
    const isOwn = run.phase === 'running' && run.worker === this.#worker
    if (!isOwn || (before?.attempts === attempts && !before.isStuck)) return
    const controller = new AbortController()
    const result = workOn(this.#plan, { runId, run, controller, hear })
    const live: Live = { attempts, controller, result, isStuck: false }
    this.#live.set(runId, live)
    const forget = () => void (this.#live.get(runId) === live && this.#live.delete(runId))
    result.then(forget, async () => {
      live.isStuck = true
      const kept = await this.#kept(runId).catch(() => run)
      if (kept.phase !== 'running' || kept.attempts !== attempts) forget()
    })
  }

  async #kept(runId: string): Promise<KeptRun> {
    const found = await this.#plan.store.load(runId)
    if (found?.run.agent !== this.name) throw unknownRun(runId)
    return found.run
  }

  #change(runId: string, change: Change): Promise<KeptRun> {
    return changeRun(this.#plan.store, runId, (now) => {
      // Others may keep theirs in the same store.
      if (now.agent !== this.name) throw unknownRun(runId)
      return change(now)
    })
  }
}

function failureOf({ error = { message: 'The run failed.' }, state }: KeptRun): Error {
  return Object.defineProperty(fromRecorded(error), 'state', {
    value: state,
    enumerable: false,
    configurable: true,
  })
}

function decided(callId: string): CapstanError {
  const message = `Something else was decided on the call "${callId}" before.`
  return new CapstanError('conflict', message, { evidence: { callId } })
}

function over(runId: string, callId: string): CapstanError {
  const message = `The run "${runId}" is over: its call "${callId}" waits for nothing any more.`
  return new CapstanError('invalid_request', message, { evidence: { runId, callId } })
}

function otherInput(runId: string): CapstanError {
  const message = `The run "${runId}" was started with another input. Use another id, or ask for its result.`
  return new CapstanError('conflict', message, { evidence: { runId } })
}

/** Where a run stands, by what is kept of it. */
function toStatus(runId: string, run: KeptRun): RunStatus {
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
