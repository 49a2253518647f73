import { abortable } from '../async.js'
import { withState } from '../errors.js'
import { taintOfHistory } from '../middleware/taint-tracking.js'
import { cancelledResult, notRunResult } from '../tools/rejections.js'
import type { Message } from '../types/message.js'
import type { RunState } from '../types/state.js'
import { settingsForStep } from './ask-model.js'
import { cutChild } from './child-runs.js'
import { loop } from './loop.js'
import { currentStep, openCalls, type RunContext, type RunSettings } from './run-context.js'
import { ended as callEnded } from './run-tools.js'
import { withTime } from './time-limit.js'
import { finishStep, keepStreamedText } from './turn.js'

/**
 * Runs the loop to its end. The message that `prepare` returns replaces the last one before the start. An abort ends
 * the run normally; an error carries the state so far.
 */
export async function runToEnd(
  walk: RunContext,
  plan: RunSettings,
  prepare: () => Promise<Message | undefined>,
): Promise<RunState> {
  const { state } = walk
  plan.emit?.({ type: 'run-start', step: state.turn, agent: state.agent })
  try {
    const last = await abortable(plan.signal, prepare())
    if (last) state.messages.splice(-1, 1, Object.freeze(last))
    await abortable(plan.signal, taint(walk, plan))
    await loop(walk, plan)
    keepStreamedText(walk, settingsForStep(state, plan))
    state.usage = await withTime(walk, plan)
  } catch (error) {
    if (!plan.signal.aborted) {
      ended(walk, plan, 'error')
      throw withState(error, state)
    }
    closeCutOff(walk, plan)
    keepStreamedText(walk, settingsForStep(state, plan))
    state.stopReason = 'aborted'
  }
  ended(walk, plan, state.stopReason ?? 'done')
  return state
}

/** Marks the run as tainted when its history has untrusted text of an earlier run. */
async function taint({ state }: RunContext, plan: RunSettings): Promise<void> {
  const by = await taintOfHistory(state, plan)
  if (by === undefined || plan.signal.aborted) return
  state.flags.taintedBy = by
  if (plan.guards.taint) plan.emit?.({ type: 'run-tainted', step: currentStep(state), by })
}

/** Closes calls that a failed host left open. Those that were not pending may have run in part. */
function closeCutOff(walk: RunContext, plan: RunSettings): void {
  const { state } = walk
  if (openCalls(state).length === 0) return
  const waited = new Set(state.pending.map(({ callId }) => callId))
  for (const [index, call] of openCalls(state).entries()) {
    if (state.answered[index]) continue
    const child = state.children?.[index]
    const outcome = child ? cutChild(child) : waited.has(call.id) ? notRunResult : cancelledResult
    state.answered[index] = outcome
    callEnded(call, outcome, plan, state)
  }
  state.pending = []
  finishStep(walk, settingsForStep(state, plan))
}

function ended(
  { state }: RunContext,
  { emit }: RunSettings,
  stopReason: (RunState['stopReason'] & string) | 'error',
): void {
  emit?.({ type: 'run-end', step: currentStep(state), stopReason, usage: state.usage })
}
