import { CapstanError, withState } from '../words/error.js'
import type { RunState } from '../words/state.js'
import { loop } from './loop.js'
import { currentStep, type RunPlan, type Walk } from './walk.js'

/** Runs the loop to its end. An abort is an end like others; what is thrown carries what the run had so far. */
export async function drive(walk: Walk, plan: RunPlan): Promise<RunState> {
  const { state } = walk
  plan.emit?.({ type: 'run-start', step: state.turn, agent: plan.agent })
  try {
    await loop(walk, plan)
  } catch (error) {
    if (!plan.signal.aborted) {
      ended(walk, plan, 'error')
      throw withState(error, state)
    }
    state.stopReason = 'aborted'
  }
  ended(walk, plan, state.stopReason ?? 'done')
  return state
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
