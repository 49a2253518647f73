import {
  type AnyAgent,
  CapstanError,
  type Decision,
  isCapstanError,
  type Json,
  type RunEvent,
  type RunResult,
} from '@capstan/core'
import { toRecorded } from '../recorded.js'
import { createContext, fromSegmentEnd, toSegmentEnd } from '../segment.js'
import { childStepsHost, openChildSteps } from './child-steps.js'
import { type RunRecord, type RunStateStore, updateRun } from './run-store.js'

/** A persistent agent's configuration: the agent, and its options with defaults. */
export interface PersistentConfig {
  readonly agent: AnyAgent
  readonly store: RunStateStore
  readonly context: ((runId: string, data: Json | undefined) => unknown) | undefined
  readonly pollMs: number
}

/** A run that this worker has claimed and is executing. */
interface Claim {
  readonly runId: string
  readonly run: RunRecord
  readonly controller: AbortController
  readonly onEvent: ((event: RunEvent) => void) | undefined
}

/**
 * Executes a run until it has ended or needs decisions that have not been made. Stores the run's own error; after any
 * other error, the stored run is unchanged.
 * @throws the run's error; `conflict` if another worker has claimed the run or its tools have changed; errors of the
 * store or the context
 */
export async function executeRun(config: PersistentConfig, claim: Claim): Promise<RunResult> {
  for (let run = claim.run; ; ) {
    run = await executeSegment(config, { ...claim, run })
    if (run.phase !== 'running' && run.end) return fromSegmentEnd({ ...run.end, state: run.state })
  }
}

/** Executes one segment. Applies the decisions made so far, and continues until the run has ended or is pending. */
async function executeSegment(config: PersistentConfig, claim: Claim): Promise<RunRecord> {
  const { agent } = config
  const { run, controller, onEvent } = claim
  const { data: _, ...settings } = run.settings
  const claimed = new ClaimedRun(config.store, claim)
  abortIfRequested(run, controller)
  try {
    const { due, rejected } = await checkDecisions(agent, run)
    if (rejected.length > 0) await claimed.change((now) => withoutDecisions(rejected, now))
    const context = (await contextUnlessAborted(config, claim)) as never
    const options = {
      ...settings,
      // An aborted run no longer uses its tools, so they may have changed.
      ...(controller.signal.aborted ? { allowChangedTools: true } : {}),
      decisions: due,
      context,
      signal: controller.signal,
      host: childStepsHost(run.childSteps ?? {}, (key, outcome) =>
        claimed.change((now) => ({ ...now, childSteps: { ...now.childSteps, [key]: outcome } })),
      ),
      onCheckpoint: async (state: RunRecord['state']) => {
        // The final state is stored later, together with the run's phase. A run with only the final state could not be
        // recovered.
        const isOver = (state.stopReason ?? 'pending') !== 'pending'
        await claimed.change((now) => ({ ...now, ...(isOver ? {} : stateOf(now, state)) }))
      },
      ...(onEvent ? { observe: onEvent } : {}),
    }
    const result = await (onEvent
      ? agent.stream(run.state, { ...options, keepEvents: 0 }).result
      : agent.run(run.state, options))
    return await claimed.change((now) => toSegmentRecord(now, result))
  } catch (error) {
    // If a write or the start fails, the run has not ended. It can be recovered from its last stored state.
    if (!claimed.hasFailedWrite && isCapstanError(error) && error.state)
      await claimed.change((now) => ({ ...now, ...toFailure(error) }))
    throw error
  }
}

/** Aborts a run that this process is executing, if the run's record contains an abort request. */
export function abortIfRequested({ aborted }: RunRecord, controller: AbortController): void {
  if (aborted) controller.abort(new Error(aborted.reason ?? 'The run was aborted.'))
}

/** Creates the run's context. Returns undefined for an aborted run, because it will not call any tools. */
async function contextUnlessAborted(
  config: PersistentConfig,
  { runId, run, controller }: Claim,
): Promise<unknown> {
  const { signal } = controller
  if (signal.aborted) return undefined
  try {
    return await createContext(config, { runId, data: run.settings.data, signal })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** Changes a stored run while this worker holds the claim on it. */
class ClaimedRun {
  hasFailedWrite = false
  readonly #store: RunStateStore
  readonly #claim: Claim

  constructor(store: RunStateStore, claim: Claim) {
    this.#store = store
    this.#claim = claim
  }

  async change(apply: (now: RunRecord) => RunRecord): Promise<RunRecord> {
    const { runId, run, controller } = this.#claim
    try {
      return await updateRun(this.#store, runId, (now) => {
        if (now.attempts !== run.attempts) throw claimLost(runId, now.worker)
        abortIfRequested(now, controller)
        return apply(now)
      })
    } catch (error) {
      this.hasFailedWrite = true
      throw error
    }
  }
}

/**
 * Returns the fields to store for a state: the state itself, and the child-run step results that its open calls still
 * need.
 */
function stateOf({ childSteps = {} }: RunRecord, state: RunRecord['state']): Partial<RunRecord> {
  return { state, childSteps: openChildSteps(childSteps, state) }
}

function toSegmentRecord({ childSteps: _, ...now }: RunRecord, result: RunResult): RunRecord {
  const { state, ...end } = toSegmentEnd(result, now.end)
  const isPending = state.stopReason === 'pending'
  const isDue = state.pending.some(({ callId }) => Object.hasOwn(now.decisions, callId))
  const continues = isPending && (isDue || now.aborted !== undefined)
  return { ...now, state, end, phase: continues ? 'running' : isPending ? 'pending' : 'ended' }
}

function toFailure(error: CapstanError): Partial<RunRecord> {
  return { phase: 'failed', error: toRecorded(error), ...(error.state ? { state: error.state } : {}) }
}

function withoutDecisions(callIds: readonly string[], run: RunRecord): RunRecord {
  const rest = Object.entries(run.decisions).filter(([callId]) => !callIds.includes(callId))
  return { ...run, decisions: Object.fromEntries(rest) }
}

/**
 * Separates the decisions on pending calls into valid and invalid ones. A decision that was made before its call was
 * pending may not match the call.
 */
async function checkDecisions(agent: AnyAgent, { state, decisions }: RunRecord) {
  // No prototype, because a call's id can be `__proto__`.
  const due: Record<string, Decision> = Object.create(null)
  const rejected: string[] = []
  // If a crash occurred while decisions were being applied, they are in the state.
  const decided = state.stopReason === 'pending' ? decisions : (state.decisions ?? {})
  for (const { callId } of state.pending) {
    const decision = Object.hasOwn(decided, callId) ? decided[callId] : undefined
    if (!decision) continue
    try {
      await agent.prepare(state, { decisions: { [callId]: decision }, allowChangedTools: true })
      due[callId] = decision
    } catch (error) {
      if (!isCapstanError(error)) throw error
      rejected.push(callId)
    }
  }
  return { due, rejected }
}

/** Returns the error for a run that another worker has claimed. This worker's results are discarded. */
function claimLost(runId: string, worker: string): CapstanError {
  const message = `Another worker (${worker}) has claimed the run "${runId}", so this worker has stopped executing it. Call result(runId) to wait for the run.`
  return new CapstanError('conflict', message, { evidence: { runId, worker } })
}
