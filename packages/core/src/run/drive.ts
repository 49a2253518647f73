import { cutOff, notRun } from '../answer/refusals.js'
import { CapstanError, withState } from '../words/error.js'
import type { Message } from '../words/message.js'
import { orAborted } from '../words/or-aborted.js'
import type { RunState } from '../words/state.js'
import { cutChild } from './child-steps.js'
import { loop } from './loop.js'
import { ended as callEnded } from './perform.js'
import { planNow } from './plan-now.js'
import { taintOfHistory } from './taint-of-history.js'
import { withTime } from './time.js'
import { closeTurn, takeStreamed } from './turn.js'
import { currentStep, openCalls, type RunPlan, type Walk } from './walk.js'

/**
 * Runs the loop to its end; what `prepare` gives takes the place of the last message before. An abort is an end like others; what is thrown carries what the run
 * had so far.
 */
export async function drive(
  walk: Walk,
  plan: RunPlan,
  prepare: () => Promise<Message | undefined>,
): Promise<RunState> {
  const { state } = walk
  plan.emit?.({ type: 'run-start', step: state.turn, agent: state.agent })
  try {
    const last = await orAborted(plan.signal, prepare())
    if (last) state.messages.splice(-1, 1, Object.freeze(last))
    await orAborted(plan.signal, taint(walk, plan))
    await loop(walk, plan)
    takeStreamed(walk, planNow(state, plan))
    state.usage = await withTime(walk, plan)
  } catch (error) {
    if (!plan.signal.aborted) {
      ended(walk, plan, 'error')
      throw withState(error, state)
    }
    closeCutOff(walk, plan)
    takeStreamed(walk, planNow(state, plan))
    state.stopReason = 'aborted'
  }
  ended(walk, plan, state.stopReason ?? 'done')
  return state
}

/** Untrusted text of an earlier run is untrusted in this one. */
async function taint({ state }: Walk, plan: RunPlan): Promise<void> {
  const by = await taintOfHistory(state, plan)
  if (by === undefined || plan.signal.aborted) return
  state.flags.taintedBy = by
  if (plan.guards.taint) plan.emit?.({ type: 'run-tainted', step: currentStep(state), by })
}

/** A host that gave up in the middle of a turn leaves calls open: of those that did not wait, nobody knows how far they came. */
function closeCutOff(walk: Walk, plan: RunPlan): void {
  const { state } = walk
  if (openCalls(state).length === 0) return
  const waited = new Set(state.pending.map(({ callId }) => callId))
  for (const [index, call] of openCalls(state).entries()) {
    if (state.answered[index]) continue
    const child = state.children?.[index]
    const outcome = child ? cutChild(child) : waited.has(call.id) ? notRun : cutOff
    state.answered[index] = outcome
    callEnded(call, outcome, plan, state)
  }
  state.pending = []
  closeTurn(walk, planNow(state, plan))
}

function ended(
  { state }: Walk,
  { emit }: RunPlan,
  stopReason: (RunState['stopReason'] & string) | 'error',
): void {
  emit?.({ type: 'run-end', step: currentStep(state), stopReason, usage: state.usage })
}

/** The error that `orThrow()` throws for a run that did not end as done. */
export function stoppedError(state: RunState): CapstanError {
  const reason = state.limit ? `${state.stopReason} (${state.limit})` : state.stopReason
  const message = `The run ended without being done: ${reason}. What it had is in error.state.`
  return withState(
    new CapstanError('stopped', message, { evidence: { stopReason: state.stopReason } }),
    state,
  )
}
