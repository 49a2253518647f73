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
import { contextOf, fromRoundEnd, toRoundEnd } from '../segment.js'
import { changeRun, type KeptRun, type RunStateStore } from './run-store.js'

/** What parked runs are worked on with. */
export interface ParkingPlan {
  readonly agent: AnyAgent
  readonly store: RunStateStore
  readonly context: ((runId: string, data: Json | undefined) => unknown) | undefined
  readonly pollMs: number
}

/** A run that one worker has taken up. */
interface Claim {
  readonly runId: string
  readonly run: KeptRun
  readonly controller: AbortController
  readonly hear: ((event: RunEvent) => void) | undefined
}

/**
 * Works on a run until it has ended, or waits for decisions that nobody has given. @throws what the run failed with;
 * `conflict` when another worker has taken it up, or its tools have changed; what the store or the context failed with.
 * In these cases the run is as it was kept last
 */
export async function workOn(plan: ParkingPlan, claim: Claim): Promise<AnyRunResult> {
  for (let run = claim.run; ; ) {
    run = await round(plan, { ...claim, run })
    if (run.phase !== 'running' && run.end) return fromRoundEnd({ ...run.end, state: run.state })
  }
}

/** One stretch of a run, from what is decided of it to where it ends or waits. */
async function round(plan: ParkingPlan, claim: Claim): Promise<KeptRun> {
  const { agent } = plan
  const { run, controller, hear } = claim
  const { data: _, ...settings } = run.settings
  const own = new OwnRun(plan.store, claim)
  endIfAborted(run, controller)
  try {
    const { due, refused } = await sortDecisions(agent, run)
    if (refused.length > 0) await own.change((now) => without(refused, now))
    const context = (await contextFor(plan, claim)) as never
    const options = {
      ...settings,
      // To be ended a run needs none of its tools.
      ...(controller.signal.aborted ? { allowChangedTools: true } : {}),
      decisions: due,
      context,
      signal: controller.signal,
      onCheckpoint: async (state: KeptRun['state']) => void (await own.change((now) => ({ ...now, state }))),
      ...(hear ? { observe: hear } : {}),
    }
    const result = await (hear ? agent.stream(run.state, options).result : agent.run(run.state, options))
    return await own.change((now) => atEnd(now, result))
  } catch (error) {
    // What could not be kept, or begun, is no end of the run: it can be taken up where it was kept last.
    if (!own.isUnkept && isCapstanError(error) && error.state)
      await own.change((now) => ({ ...now, ...failed(error) }))
    throw error
  }
}

/** Tells a run that is worked on here that it was ended from outside. */
export function endIfAborted({ aborted }: KeptRun, controller: AbortController): void {
  if (aborted) controller.abort(new Error(aborted.reason ?? 'The run was aborted.'))
}

/** None for a run that only comes to its end. */
async function contextFor(plan: ParkingPlan, { runId, run, controller }: Claim): Promise<unknown> {
  const { signal } = controller
  if (signal.aborted) return undefined
  try {
    return await contextOf(plan, { runId, data: run.settings.data, signal })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** A run as long as it is this worker's. */
class OwnRun {
  /** Whether something of it could not be kept. */
  isUnkept = false
  readonly #store: RunStateStore
  readonly #claim: Claim

  constructor(store: RunStateStore, claim: Claim) {
    this.#store = store
    this.#claim = claim
  }

  async change(kept: (now: KeptRun) => KeptRun): Promise<KeptRun> {
    const { runId, run, controller } = this.#claim
    try {
      return await changeRun(this.#store, runId, (now) => {
        if (now.attempts !== run.attempts) throw lostRun(runId, now.worker)
        endIfAborted(now, controller)
        return kept(now)
      })
    } catch (error) {
      this.isUnkept = true
      throw error
    }
  }
}

function atEnd(now: KeptRun, result: AnyRunResult): KeptRun {
  const { state, ...end } = toRoundEnd(result, now.end?.toolCalls)
  const isPending = state.stopReason === 'pending'
  const isDue = state.pending.some(({ callId }) => Object.hasOwn(now.decisions, callId))
  const goesOn = isPending && (isDue || now.aborted !== undefined)
  return { ...now, state, end, phase: goesOn ? 'running' : isPending ? 'pending' : 'ended' }
}

function failed(error: CapstanError): Partial<KeptRun> {
  return { phase: 'failed', error: toRecorded(error), ...(error.state ? { state: error.state } : {}) }
}

function without(callIds: readonly string[], run: KeptRun): KeptRun {
  const left = Object.entries(run.decisions).filter(([callId]) => !callIds.includes(callId))
  return { ...run, decisions: Object.fromEntries(left) }
}

/** What is decided of the calls that wait. A decision may have been given before its call waited, and not fit it. */
async function sortDecisions(agent: AnyAgent, { state, decisions }: KeptRun) {
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
function lostRun(runId: string, worker: string): CapstanError {
  const message = `The run "${runId}" was taken up by another worker (${worker}). This one has stopped; ask for its result.`
  return new CapstanError('conflict', message, { evidence: { runId, worker } })
}
