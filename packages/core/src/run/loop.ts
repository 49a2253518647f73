import type { RunState } from '../words/state.js'
import { answer } from './answer.js'
import { ask } from './ask.js'
import { decide } from './decide.js'
import { fromInbox } from './from-inbox.js'
import { land } from './land.js'
import { planNow } from './plan-now.js'
import { canLand, type Stop, stopBefore } from './stop.js'
import { withTime } from './time.js'
import { closeTurn, deliver, takeAnswers, takeDecided, takeReply } from './turn.js'
import { currentStep, openCalls, type RunPlan, type Walk } from './walk.js'
import { withRequests } from './with-requests.js'

/**
 * Answers the open calls, asks the model, and again, until it answers in words or something stops the run.
 * The only place that goes round; with `turn.ts`, where it writes, the only one that knows the order of things.
 */
export async function loop(walk: Walk, given: RunPlan): Promise<RunState> {
  const { state } = walk
  for (;;) {
    const plan = planNow(state, given)
    state.usage = await withTime(walk, plan)
    if (openCalls(state).length > 0) {
      takeAnswers(await answer(walk, plan), state)
      if (state.pending.length > 0) takeDecided(await decide(walk, plan), state)
      if (state.pending.length > 0) return end(state, { reason: 'pending' })
      const direct = closeTurn(walk, plan)
      if (direct) return end(state, direct)
      continue
    }
    const stop = stopBefore(walk, plan)
    if (stop?.limit) plan.emit?.({ type: 'limit-reached', step: currentStep(state), limit: stop.limit })
    const lands = stop !== undefined && plan.landing && canLand(stop, state)
    if (stop && !lands) return end(state, stop)
    if (!stop) deliver(await fromInbox(walk, plan), walk, plan)
    plan.emit?.({ type: 'step-start', step: state.turn })
    const reply = stop ? await land(walk, plan, stop) : await ask(walk, plan)
    state.usage = withRequests(state.usage, reply.asides ?? [], plan.prices)
    const ending = reply.message
      ? takeReply(reply, walk, stop ? { ...plan, output: undefined } : plan)
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
