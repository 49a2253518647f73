import { callsOf, type Message } from '../words/message.js'
import type { RunState } from '../words/state.js'
import { type Answers, answer } from './answer.js'
import { ask } from './ask.js'
import { closedTurn } from './close-turn.js'
import { withAnswer } from './costs.js'
import { decide } from './decide.js'
import { land } from './land.js'
import type { Answered } from './request.js'
import { canLand, endOf, type Stop, stopBefore } from './stop.js'
import { withTime } from './time.js'
import { currentStep, openCalls, type RunPlan, type Walk } from './walk.js'

/**
 * Answers the open calls, asks the model, and again, until it answers in words or something stops the run.
 * The only place that goes round, and, once a run has begun, the only writer of its state.
 */
export async function loop(walk: Walk, plan: RunPlan): Promise<RunState> {
  const { state } = walk
  for (;;) {
    state.usage = await withTime(walk, plan)
    if (openCalls(state).length > 0) {
      takeAnswers(await answer(walk, plan), state)
      if (state.pending.length > 0) takeAnswers(await decide(walk, plan), state)
      if (state.pending.length > 0) return end(state, { reason: 'pending' })
      const direct = closeTurn(walk, plan)
      if (direct) return end(state, direct)
      continue
    }
    const stop = stopBefore(walk, plan)
    if (stop?.limit) plan.emit?.({ type: 'limit-reached', step: currentStep(state), limit: stop.limit })
    const lands = stop !== undefined && plan.landing && canLand(stop, state)
    if (stop && !lands) return end(state, stop)
    plan.emit?.({ type: 'step-start', step: state.turn })
    const reply = stop ? await land(walk, plan, stop) : await ask(walk, plan)
    const ending = reply.message ? takeReply(reply, walk, plan) : undefined
    if (stop) state.flags.landed = true
    if (reply.limit) state.flags.passed = reply.limit
    if (stop ?? ending) return end(state, stop ?? (ending as Stop))
  }
}

function takeAnswers({ answered, pending, failure }: Answers, state: RunState): void {
  state.answered = answered
  state.pending = pending
  if (failure) throw failure.error
}

/** The answer goes into the history before any of its calls runs. One that makes no call is the run's end. */
function takeReply(reply: Answered, walk: Walk, plan: RunPlan): Stop | undefined {
  const { state, callIds } = walk
  const { message, answered, repaired } = reply
  Object.assign(state, withAnswer(state, reply, plan.prices), { answered })
  state.turn += 1
  append(message, walk, plan)
  const calls = callsOf(message)
  for (const [index, { id, function: called }] of calls.entries()) {
    callIds.add(id)
    const ref = { step: currentStep(state), callId: id, name: called.name }
    const repairs = repaired[index]
    if (repairs) plan.emit?.({ type: 'repair-applied', ...ref, repairs })
    plan.emit?.({ type: 'call-ready', ...ref, arguments: called.arguments })
  }
  if (calls.length > 0) return undefined
  plan.emit?.({ type: 'step-end', step: currentStep(state), usage: state.usage })
  return endOf(reply)
}

/** One tool message per call, in call order, whatever order they finished in. A result may be the run's end. */
export function closeTurn(walk: Walk, plan: RunPlan): Stop | undefined {
  const { state, records } = walk
  const { emit } = plan
  const step = currentStep(state)
  const { turn, usage, flags, stuck, taintedBy, direct } = closedTurn(state, plan)
  records.push(...turn)
  for (const { callId, content } of turn) append({ role: 'tool', tool_call_id: callId, content }, walk, plan)
  Object.assign(state, { usage, flags, answered: {} })
  if (stuck) emit?.({ type: 'stuck-detected', step, ...stuck })
  if (taintedBy !== undefined) emit?.({ type: 'run-tainted', step, by: taintedBy })
  if (direct !== undefined) append({ role: 'assistant', content: direct }, walk, plan)
  emit?.({ type: 'step-end', step, usage })
  return direct === undefined ? undefined : { reason: 'done' }
}

function append(message: Message, { state }: Walk, { emit }: RunPlan): void {
  state.messages.push(Object.freeze(message))
  emit?.({ type: 'message-added', step: currentStep(state), message })
}

function end(state: RunState, { reason, limit }: Stop): RunState {
  state.stopReason = reason
  if (limit) state.limit = limit
  return state
}
