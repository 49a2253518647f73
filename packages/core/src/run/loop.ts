import { parseArguments } from '../answer/parse-arguments.js'
import type { Json } from '../words/json.js'
import { callsOf, type Message, type ToolCall } from '../words/message.js'
import type { Answer, RunState } from '../words/state.js'
import { withCalls, withRequest } from '../words/usage.js'
import { answer } from './answer.js'
import { ask, type Reply } from './ask.js'
import { countRejections, endOf, type Stop, stopBefore } from './stop.js'
import { type CallRecord, currentStep, openCalls, type RunPlan, type Walk } from './walk.js'

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
    if (plan.signal.aborted) return end(state, { reason: 'aborted' })
    const stop = stopBefore(state, plan.toolset)
    if (stop) {
      if (stop.limit) plan.emit?.({ type: 'limit-reached', step: currentStep(state), limit: stop.limit })
      return end(state, stop)
    }
    plan.emit?.({ type: 'step-start', step: state.turn })
    const reply = await ask(walk, plan)
    takeReply(reply, walk, plan)
    if (callsOf(reply.message).length === 0) {
      plan.emit?.({ type: 'step-end', step: currentStep(state), usage: state.usage })
      return end(state, { reason: endOf(reply) })
    }
  }
}

/** The answer goes into the history before any of its calls runs. */
function takeReply(
  { message, answered, repaired, tokens, forced, incomplete }: Reply,
  walk: Walk,
  plan: RunPlan,
): void {
  const { state, callIds } = walk
  state.turn += 1
  state.usage = withRequest(state.usage, tokens, Object.keys(repaired).length)
  state.answered = answered
  if (forced) state.flags.forcedChoiceUsed = true
  if (incomplete) state.flags.incomplete = true
  append(message, walk, plan)
  for (const [index, { id, function: called }] of callsOf(message).entries()) {
    callIds.add(id)
    const ref = { step: currentStep(state), callId: id, name: called.name }
    const repairs = repaired[index]
    if (repairs) plan.emit?.({ type: 'repair-applied', ...ref, repairs })
    plan.emit?.({ type: 'call-ready', ...ref, arguments: called.arguments })
  }
}

/** One tool message per call, in call order, whatever order they finished in. */
function closeTurn(walk: Walk, plan: RunPlan): void {
  const { state, records } = walk
  const step = currentStep(state)
  const turn = openCalls(state).map((call, index) => toRecord(call, state.answered[index] as Answer, step))
  records.push(...turn)
  for (const { callId, content } of turn) append({ role: 'tool', tool_call_id: callId, content }, walk, plan)
  state.usage = withCalls(state.usage, turn)
  state.flags.rejections = countRejections(state.flags.rejections ?? {}, turn)
  state.answered = {}
  plan.emit?.({ type: 'step-end', step, usage: state.usage })
}

function toRecord({ id, function: called }: ToolCall, outcome: Answer, step: number): CallRecord {
  const parsed = parseArguments(called.arguments)
  return {
    ...outcome,
    callId: id,
    name: called.name,
    step,
    arguments: (parsed.ok ? parsed.value : called.arguments) as Json,
  }
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
