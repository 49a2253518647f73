import { parseArguments } from '../answer/parse-arguments.js'
import type { Json } from '../words/json.js'
import { callsOf, type Message } from '../words/message.js'
import type { Answer, RunState, StopReason } from '../words/state.js'
import { withRequest } from '../words/usage.js'
import { answer } from './answer.js'
import { ask, type Reply } from './ask.js'
import { endOf, reachedLimit } from './stop.js'
import { currentStep, openCalls, type RunPlan, type Walk } from './walk.js'

/**
 * Answers the open calls, asks the model, and again, until it answers in words or something stops the run.
 * The only writer of the state, and the only place that goes round.
 */
export async function loop(walk: Walk, plan: RunPlan): Promise<RunState> {
  const { state } = walk
  for (;;) {
    if (openCalls(state).length > 0) {
      state.answered = await answer(walk, plan)
      closeTurn(walk, plan)
    }
    if (plan.signal.aborted) return end(state, 'aborted')
    const limit = reachedLimit(state)
    if (limit) {
      state.limit = limit
      plan.emit?.({ type: 'limit-reached', step: currentStep(state), limit })
      return end(state, 'limit')
    }
    plan.emit?.({ type: 'step-start', step: state.turn })
    const reply = await ask(walk, plan)
    takeReply(reply, walk, plan)
    if (callsOf(reply.message).length === 0) {
      plan.emit?.({ type: 'step-end', step: currentStep(state), usage: state.usage })
      return end(state, endOf(reply))
    }
  }
}

/** The answer goes into the history before any of its calls runs. */
function takeReply(
  { message, answered, tokens, forced, incomplete }: Reply,
  walk: Walk,
  plan: RunPlan,
): void {
  const { state, callIds } = walk
  state.turn += 1
  state.usage = withRequest(state.usage, tokens)
  state.answered = answered
  if (forced) state.flags.forcedChoiceUsed = true
  if (incomplete) state.flags.incomplete = true
  append(message, walk, plan)
  for (const { id, function: called } of callsOf(message)) {
    callIds.add(id)
    plan.emit?.({ type: 'call-ready', step: currentStep(state), callId: id, ...called })
  }
}

/** One tool message per call, in call order, whatever order they finished in. */
function closeTurn(walk: Walk, plan: RunPlan): void {
  const { state, records } = walk
  const step = currentStep(state)
  for (const [index, { id, function: called }] of openCalls(state).entries()) {
    const outcome = state.answered[index] as Answer
    const given = parseArguments(called.arguments)
    const args = (given.ok ? given.value : called.arguments) as Json
    records.push({ ...outcome, callId: id, name: called.name, step, arguments: args })
    append({ role: 'tool', tool_call_id: id, content: outcome.content }, walk, plan)
  }
  state.usage = { ...state.usage, toolCalls: state.usage.toolCalls + Object.keys(state.answered).length }
  state.answered = {}
  plan.emit?.({ type: 'step-end', step, usage: state.usage })
}

function append(message: Message, { state }: Walk, { emit }: RunPlan): void {
  state.messages.push(Object.freeze(message))
  emit?.({ type: 'message-added', step: currentStep(state), message })
}

function end(state: RunState, reason: StopReason): RunState {
  state.stopReason = reason
  return state
}
