import { requestFinalAnswer } from '../middleware/final-answer.js'
import type { RunState } from '../types/state.js'
import { withRequests } from '../usage.js'
import { ask, settingsForStep } from './ask-model.js'
import { currentStep, openCalls, type RunContext, type RunSettings } from './run-context.js'
import { applyDecisions, runOpenCalls } from './run-tools.js'
import { fromInbox } from './steering.js'
import { canLand, type Stop, stopBefore } from './stop.js'
import { withTime } from './time-limit.js'
import { addUserMessages, applyDecidedResults, applyReply, applyResults, finishStep } from './turn.js'

/**
 * Runs open calls, asks the model, and repeats until the model replies with text or something stops the run.
 * Only this loop and `turn.ts`, which changes the state, know the order of a run.
 */
export async function loop(walk: RunContext, given: RunSettings): Promise<RunState> {
  const { state } = walk
  for (;;) {
    const plan = settingsForStep(state, given)
    state.usage = await withTime(walk, plan)
    if (openCalls(state).length > 0) {
      applyResults(await runOpenCalls(walk, plan), state)
      if (state.pending.length > 0) applyDecidedResults(await applyDecisions(walk, plan), state)
      if (state.pending.length > 0) return end(state, { reason: 'pending' })
      const direct = finishStep(walk, plan)
      if (direct) return end(state, direct)
      continue
    }
    const stop = stopBefore(walk, plan)
    if (stop?.limit) plan.emit?.({ type: 'limit-reached', step: currentStep(state), limit: stop.limit })
    const lands = stop !== undefined && plan.landing && canLand(stop, state)
    if (stop && !lands) return end(state, stop)
    if (!stop) addUserMessages(await fromInbox(walk, plan), walk, plan)
    plan.emit?.({ type: 'step-start', step: state.turn })
    const reply = stop ? await requestFinalAnswer(walk, plan, stop) : await ask(walk, plan)
    state.usage = withRequests(state.usage, reply.asides ?? [], plan.prices)
    const ending = reply.message
      ? applyReply(reply, walk, stop ? { ...plan, output: undefined } : plan)
      : undefined
    if (stop)
      Object.assign(state.flags, {
        landed: true,
        landings: (state.flags.landings ?? 0) + (reply.message ? 1 : 0),
      })
    if (reply.limit) state.flags.passed = reply.limit
    if (stop ?? ending) return end(state, stop ?? (ending as Stop))
  }
}

function end(state: RunState, { reason, limit }: Stop): RunState {
  state.stopReason = reason
  if (limit) state.limit = limit
  return state
}
