import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type AnyAgent,
  CapstanError,
  type Decision,
  isCapstanError,
  type Json,
  type RunEvent,
  type RunInput,
  type RunResult,
} from '@capstan/core'
import { checkRequiredOption, type OptionKind } from '@capstan/core/internal'
import {
  type ContextOption,
  clientClosed,
  type DamagedRun,
  type DurableAgent,
  type DurableRun,
  type DurableRunOptions,
  type ListRunsOptions,
  type ResultOf,
  type RunList,
  type RunStatus,
} from '../durable-agent.js'
import { LiveEvents } from '../events.js'
import { fromRecorded, withState } from '../recorded.js'
import { fromSegmentEnd } from '../segment.js'
import { checkRunId, hashInput, readRunOptions, toJsonDecision, toRunId } from '../settings.js'
import { abortIfRequested, executeRun, type PersistentConfig } from './execute.js'
import {
  type Change,
  loadRun,
  type RunRecord,
  type RunStateStore,
  unknownRun,
  updateRun,
} from './run-store.js'
import { isRunEntryStore, type RunEntryStore, runStatesIn } from './run-store-adapter.js'

/** Options for `persistent`: the store for runs, and how often to poll for runs that other processes are executing. */
export interface PersistentOptions {
  /** The store for the runs: `folderRuns(folder)`, `memoryRuns()`, your own, or a `RunStore` from `@capstan/stores`. */
  readonly store: RunStateStore | RunEntryStore
  /** How often to poll for the result of a run that another process is executing, in milliseconds. Default 200. */
  readonly pollMs?: number
}

const optionKinds: Readonly<Record<keyof PersistentOptions | 'context', OptionKind>> = {
  store: [
    "{ store: folderRuns('runs') }",
    (store) => typeof Object(store).save === 'function' || isRunEntryStore(store),
  ],
  pollMs: 'a number of at least 0',
  context: 'a function',
}

/**
 * Makes an agent persistent: this process executes its runs, and stores each run before each step. A pending run stays
 * in the store, and the process that decides on it continues it. There is no engine, so a run does not continue by
 * itself after a crash: call `recover`, which continues the run and repeats the interrupted step's request or calls.
 * For automatic recovery, use `@capstan/durable/dbos` or `@capstan/durable/restate`.
 * @throws CapstanError `invalid_request` without a store, or for an invalid option
 */
export function persistent<const A extends AnyAgent>(
  agent: A,
  options: PersistentOptions & ContextOption<A>,
): PersistentAgent<ResultOf<A>> {
  checkRequiredOption(options ?? {}, optionKinds, { of: 'persistent', required: 'store' })
  const {
    store: given,
    pollMs = 200,
    context,
  } = options as PersistentOptions & {
    readonly context?: (runId: string, data: Json | undefined) => unknown
  }
  const store = isRunEntryStore(given) ? runStatesIn(given) : given
  return new PersistentRuns({ agent, store, context, pollMs }) as unknown as PersistentAgent<ResultOf<A>>
}

/** An agent whose runs are stored, without a durable engine. */
export interface PersistentAgent<Result extends RunResult = RunResult> extends DurableAgent<Result> {
  /**
   * Continues a run whose process has died, from the start of the interrupted step. The step's calls run again with the
   * same idempotency keys, but completed steps of child runs do not. If the old process is still alive, it stops at its
   * next step. The result contains only the tool calls from this point on. Does nothing unless the run's phase is
   * `running`.
   * @throws CapstanError `not_found`
   */
  recover(runId: string): Promise<void>
  list(options?: ListRunsOptions): Promise<RunList>
}

type OnEvent = (event: RunEvent) => void

/** A run that this process is executing. */
interface ActiveRun {
  readonly attempts: number
  readonly controller: AbortController
  readonly result: Promise<RunResult>
  /**
   * Whether the execution failed and its end could not be stored. If so, `result` throws the error until another worker
   * claims the run.
   */
  isStuck: boolean
}

/** An agent's runs in a store. This process executes the runs that it starts, decides on or recovers. */
class PersistentRuns implements PersistentAgent {
  readonly name: string
  readonly #config: PersistentConfig
  readonly #active = new Map<string, ActiveRun>()
  readonly #closed = new AbortController()
  readonly #worker = `${process.pid}-${crypto.randomUUID()}`

  constructor(config: PersistentConfig) {
    this.name = config.agent.name
    this.#config = config
  }

  async run(input: RunInput, options?: DurableRunOptions): Promise<RunResult> {
    return this.result(await this.start(input, options))
  }

  stream(input: RunInput, options: DurableRunOptions = {}): DurableRun<RunResult> {
    const runId = toRunId(input, options.runId)
    const events = new LiveEvents()
    const follow = async () => this.result(await this.#create(input, { ...options, runId }, events.push))
    return events.follow(runId, follow(), () => ({ close() {} }))
  }

  async start(input: RunInput, options?: DurableRunOptions): Promise<string> {
    return this.#create(input, options)
  }

  async result(runId: string): Promise<RunResult> {
    for (;;) {
      const active = this.#active.get(runId)
      if (active && !active.isStuck) return active.result
      const run = await this.#load(runId)
      if (active && run.phase === 'running' && run.attempts === active.attempts) return active.result
      if (run.phase === 'failed') throw toError(run)
      if (run.phase !== 'running' && run.end) return fromSegmentEnd({ ...run.end, state: run.state })
      await sleep(this.#config.pollMs, undefined, { signal: this.#closed.signal }).catch(() => {
        throw clientClosed(runId)
      })
    }
  }

  async status(runId: string): Promise<RunStatus> {
    return toRunStatus(runId, await this.#load(runId))
  }

  async list({ phases, limit = 100, after = '' }: ListRunsOptions = {}): Promise<RunList> {
    const { store } = this.#config
    const ids = (await store.list()).filter((id) => id > after).sort()
    const runs: RunStatus[] = []
    const damaged: DamagedRun[] = []
    const page = (): RunList => ({ runs, ...(damaged.length > 0 ? { damaged } : {}) })
    for (const id of ids) {
      try {
        const status = toRunStatus(id, await this.#load(id))
        if (phases && !phases.includes(status.phase)) continue
        if (runs.length >= limit) return { ...page(), after: runs.at(-1)?.runId ?? after }
        runs.push(status)
      } catch (error) {
        if (!isCapstanError(error)) throw error
        // The run belongs to a different agent that shares the store, or it has been deleted since the ids were listed.
        if (error.code === 'not_found') continue
        if (error.code !== 'invalid_state') throw error
        damaged.push({ runId: id, error: { code: error.code, message: error.message } })
      }
    }
    return page()
  }

  async decide(runId: string, callId: string, decision: Decision): Promise<void> {
    const { agent } = this.#config
    const stored = toJsonDecision(decision, callId)
    const { phase, state, settings, decisions } = await this.#load(runId)
    if (phase === 'pending' && !Object.hasOwn(decisions, callId)) {
      const { allowChangedTools = false } = settings
      await agent.prepare(state, { decisions: { [callId]: stored }, allowChangedTools })
    }
    const run = await this.#change(runId, (now) => {
      const before = Object.hasOwn(now.decisions, callId) ? now.decisions[callId] : undefined
      if (before && isDeepStrictEqual(before, stored)) return undefined
      if (before) throw alreadyDecided(callId)
      if (now.phase === 'ended' || now.phase === 'failed') throw runEnded(runId, callId)
      const waits = now.phase === 'pending' && now.state.pending.some((call) => call.callId === callId)
      return { ...(waits ? this.#claimed(now) : now), decisions: { ...now.decisions, [callId]: stored } }
    })
    this.#executeIfOwned(runId, run)
  }

  async abort(runId: string, reason?: string): Promise<void> {
    const aborted = reason === undefined ? {} : { reason }
    const run = await this.#change(runId, (now) => {
      if (now.phase === 'ended' || now.phase === 'failed' || now.aborted) return undefined
      return { ...(now.phase === 'pending' ? this.#claimed(now) : now), aborted }
    })
    const active = this.#active.get(runId)
    if (active) abortIfRequested(run, active.controller)
    this.#executeIfOwned(runId, run)
  }

  async recover(runId: string): Promise<void> {
    if (this.#active.get(runId)?.isStuck === false) return
    const run = await this.#change(runId, (now) => (now.phase === 'running' ? this.#claimed(now) : undefined))
    this.#executeIfOwned(runId, run)
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }

  async #create(input: RunInput, options: DurableRunOptions = {}, onEvent?: OnEvent): Promise<string> {
    const { agent, store } = this.#config
    const { data, unattended, ...rest } = readRunOptions(options)
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
    const record = { ...given, decisions: {}, attempts: 1, worker: this.#worker }
    const run = JSON.parse(JSON.stringify(record)) as RunRecord
    try {
      await store.save(runId, run, 0)
    } catch (error) {
      const found = isCapstanError(error) && error.code === 'conflict' ? await store.load(runId) : undefined
      if (!found) throw error
      if (found.run.digest !== run.digest) throw inputConflict(runId)
      return runId
    }
    this.#executeIfOwned(runId, run, onEvent)
    return runId
  }

  #claimed(run: RunRecord): RunRecord {
    return { ...run, phase: 'running', attempts: run.attempts + 1, worker: this.#worker }
  }

  /** Executes a run, if this process has claimed it and is not already executing it. */
  #executeIfOwned(runId: string, run: RunRecord, onEvent?: OnEvent): void {
    const { attempts } = run
    const before = this.#active.get(runId)
    const isOwn = run.phase === 'running' && run.worker === this.#worker
    if (!isOwn || (before?.attempts === attempts && !before.isStuck)) return
    const controller = new AbortController()
    const result = executeRun(this.#config, { runId, run, controller, onEvent })
    const active: ActiveRun = { attempts, controller, result, isStuck: false }
    this.#active.set(runId, active)
    const forget = () => void (this.#active.get(runId) === active && this.#active.delete(runId))
    result.then(forget, async () => {
      active.isStuck = true
      const now = await this.#load(runId).catch(() => run)
      if (now.phase !== 'running' || now.attempts !== attempts) forget()
    })
  }

  async #load(runId: string): Promise<RunRecord> {
    const { run } = await loadRun(this.#config.store, runId)
    if (run.agent !== this.name) throw unknownRun(runId)
    return run
  }

  #change(runId: string, change: Change): Promise<RunRecord> {
    return updateRun(this.#config.store, runId, (now) => {
      // Agents may share a store.
      if (now.agent !== this.name) throw unknownRun(runId)
      return change(now)
    })
  }
}

function toError({ error = { message: 'The run failed.' }, state }: RunRecord): Error {
  return withState(fromRecorded(error), state)
}

function alreadyDecided(callId: string): CapstanError {
  const message = `The call "${callId}" already has a different decision. The first decision applies.`
  return new CapstanError('conflict', message, { evidence: { callId } })
}

function runEnded(runId: string, callId: string): CapstanError {
  const message = `The run "${runId}" has ended. Its call "${callId}" is no longer pending.`
  return new CapstanError('invalid_request', message, { evidence: { runId, callId } })
}

function inputConflict(runId: string): CapstanError {
  const message = `The run "${runId}" was started with different input. Use a different id, or call result(runId).`
  return new CapstanError('conflict', message, { evidence: { runId } })
}

function toRunStatus(runId: string, run: RunRecord): RunStatus {
  const { state, phase, error, attempts, worker, aborted } = run
  const { reason } = aborted ?? {}
  return {
    runId,
    phase,
    stepCount: state.stepCount,
    usage: state.usage,
    pending: phase === 'pending' ? state.pending : [],
    attempts,
    worker,
    ...(phase === 'ended' && state.stopReason ? { stopReason: state.stopReason } : {}),
    ...(state.stopReason === 'aborted' && reason !== undefined ? { reason } : {}),
    ...(phase === 'failed' && error ? { error: { code: error.code ?? 'api', message: error.message } } : {}),
  }
}
