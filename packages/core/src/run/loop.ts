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
export async function loop(run: RunContext, given: RunSettings): Promise<RunState> {
  const { state } = run
  for (;;) {
    const settings = settingsForStep(state, given)
    state.usage = await withTime(run, settings)
    if (openCalls(state).length > 0) {
      applyResults(await runOpenCalls(run, settings), state)
      if (state.pending.length > 0) applyDecidedResults(await applyDecisions(run, settings), state)
      if (state.pending.length > 0) return end(state, { reason: 'pending' })
      const direct = finishStep(run, settings)
      if (direct) return end(state, direct)
      continue
    }
    const stop = stopBefore(run, settings)
    if (stop?.limit) settings.emit?.({ type: 'limit-reached', step: currentStep(state), limit: stop.limit })
    const lands = stop !== undefined && settings.landing && canLand(stop, state)
    if (stop && !lands) return end(state, stop)
    if (!stop) addUserMessages(await fromInbox(run, settings), run, settings)
    settings.emit?.({ type: 'step-start', step: state.turn })
    const reply = stop ? await requestFinalAnswer(run, settings, stop) : await ask(run, settings)
    state.usage = withRequests(state.usage, reply.asides ?? [], settings.prices)
    const ending = reply.message
      ? applyReply(reply, run, stop ? { ...settings, output: undefined } : settings)
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
