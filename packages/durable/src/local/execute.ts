import {
  type AnyAgent,
  type AnyRunResult,
  CapstanError,
  type Decision,
  isCapstanError,
  type Json,
  type RunEvent,
} from '@capstan/core'
import { toRecorded } from '../recorded.js'
import { createContext, fromSegmentEnd, toSegmentEnd } from '../segment.js'
import { type RunRecord, type RunStateStore, updateRun } from './run-store.js'

/** What parked runs are worked on with. */
export interface PersistentConfig {
  readonly agent: AnyAgent
  readonly store: RunStateStore
  readonly context: ((runId: string, data: Json | undefined) => unknown) | undefined
  readonly pollMs: number
}

/** A run that one worker has taken up. */
interface Claim {
  readonly runId: string
  readonly run: RunRecord
  readonly controller: AbortController
  readonly onEvent: ((event: RunEvent) => void) | undefined
}

/**
 * Works on a run until it has ended, or waits for decisions that nobody has given. @throws what the run failed with;
 * `conflict` when another worker has taken it up, or its tools have changed; what the store or the context failed with.
 * In these cases the run is as it was kept last
 */
export async function executeRun(plan: PersistentConfig, claim: Claim): Promise<AnyRunResult> {
  for (let run = claim.run; ; ) {
    run = await executeSegment(plan, { ...claim, run })
    if (run.phase !== 'running' && run.end) return fromSegmentEnd({ ...run.end, state: run.state })
  }
}

/** One stretch of a run, from what is decided of it to where it ends or waits. */
async function executeSegment(plan: PersistentConfig, claim: Claim): Promise<RunRecord> {
  const { agent } = plan
  const { run, controller, onEvent: hear } = claim
  const { data: _, ...settings } = run.settings
  const own = new ClaimedRun(plan.store, claim)
  abortIfRequested(run, controller)
  try {
    const { due, refused } = await checkDecisions(agent, run)
    if (refused.length > 0) await own.change((now) => without(refused, now))
    const context = (await contextUnlessAborted(plan, claim)) as never
    const options = {
      ...settings,
      // To be ended a run needs none of its tools.
      ...(controller.signal.aborted ? { allowChangedTools: true } : {}),
      decisions: due,
      context,
      signal: controller.signal,
      onCheckpoint: async (state: RunRecord['state']) =>
        void (await own.change((now) => ({ ...now, state }))),
      ...(hear ? { observe: hear } : {}),
    }
    const result = await (hear ? agent.stream(run.state, options).result : agent.run(run.state, options))
    return await own.change((now) => toSegmentRecord(now, result))
  } catch (error) {
    // What could not be kept, or begun, is no end of the run: it can be taken up where it was kept last.
    if (!own.hasFailedWrite && isCapstanError(error) && error.state)
      await own.change((now) => ({ ...now, ...toFailure(error) }))
    throw error
  }
}

/** Tells a run that is worked on here that it was ended from outside. */
export function abortIfRequested({ aborted }: RunRecord, controller: AbortController): void {
  if (aborted) controller.abort(new Error(aborted.reason ?? 'The run was aborted.'))
}

/** None for a run that only comes to its end. */
async function contextUnlessAborted(
  plan: PersistentConfig,
  { runId, run, controller }: Claim,
): Promise<unknown> {
  const { signal } = controller
  if (signal.aborted) return undefined
  try {
    return await createContext(plan, { runId, data: run.settings.data, signal })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** A run as long as it is this worker's. */
class ClaimedRun {
  /** Whether something of it could not be kept. */
  hasFailedWrite = false
  readonly #store: RunStateStore
  readonly #claim: Claim

  constructor(store: RunStateStore, claim: Claim) {
    this.#store = store
    this.#claim = claim
  }

  async change(kept: (now: RunRecord) => RunRecord): Promise<RunRecord> {
    const { runId, run, controller } = this.#claim
    try {
      return await updateRun(this.#store, runId, (now) => {
        if (now.attempts !== run.attempts) throw claimLost(runId, now.worker)
        abortIfRequested(now, controller)
        return kept(now)
      })
    } catch (error) {
      this.hasFailedWrite = true
      throw error
    }
  }
}

function toSegmentRecord(now: RunRecord, result: AnyRunResult): RunRecord {
  const { state, ...end } = toSegmentEnd(result, now.end?.toolCalls)
  const isPending = state.stopReason === 'pending'
  const isDue = state.pending.some(({ callId }) => Object.hasOwn(now.decisions, callId))
  const goesOn = isPending && (isDue || now.aborted !== undefined)
  return { ...now, state, end, phase: goesOn ? 'running' : isPending ? 'pending' : 'ended' }
}

function toFailure(error: CapstanError): Partial<RunRecord> {
  return { phase: 'failed', error: toRecorded(error), ...(error.state ? { state: error.state } : {}) }
}

function without(callIds: readonly string[], run: RunRecord): RunRecord {
  const left = Object.entries(run.decisions).filter(([callId]) => !callIds.includes(callId))
  return { ...run, decisions: Object.fromEntries(left) }
}

/** What is decided of the calls that wait. A decision may have been given before its call waited, and not fit it. */
async function checkDecisions(agent: AnyAgent, { state, decisions }: RunRecord) {
  const due: Record<string, Decision> = {}
  const refused: string[] = []
  // A run that died while it carried decisions out has them in its state.
  const given = state.stopReason === 'pending' ? decisions : (state.decisions ?? {})
  for (const { callId } of state.pending) {
    const decision = Object.hasOwn(given, callId) ? given[callId] : undefined
    if (!decision) continue
    try {
      await agent.prepare(state, { decisions: { [callId]: decision }, allowChangedTools: true })
      due[callId] = decision
    } catch (error) {
      if (!isCapstanError(error)) throw error
      refused.push(callId)
    }
  }
  return { due, refused }
}

/** Somebody else works on the run now: what is done here counts for nothing any more. */
function claimLost(runId: string, worker: string): CapstanError {
  const message = `The run "${runId}" was taken up by another worker (${worker}). This one has stopped; ask for its result.`
  return new CapstanError('conflict', message, { evidence: { runId, worker } })
}
