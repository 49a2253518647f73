// What the model, its calls and the caller say enters a run's state here.
import { callsOf, type Message } from '../words/message.js'
import type { RunState } from '../words/state.js'
import { closedTurn } from './close-turn.js'
import { withAnswer } from './costs.js'
import type { ReadOutput } from './output.js'
import type { Answers } from './perform.js'
import type { Answered } from './request.js'
import { showing } from './shown.js'
import { endOf, type Stop, saysNothing } from './stop.js'
import { currentStep, type RunPlan, type Walk } from './walk.js'

/** What became of the open calls. @throws what the host failed with, when that is known */
export function takeAnswers({ answered, pending, children, failure }: Answers, state: RunState): void {
  state.answered = answered
  state.pending = pending
  if (Object.keys(children).length > 0) state.children = children
  else delete state.children
  if (failure) throw failure.error
}

/** Takes the results of decisions. Each decision counts once; after a failure those on pending calls are kept. */
export function takeDecided(answers: Answers, state: RunState): void {
  const { decisions = {} } = state
  delete state.decisions
  if (answers.failure) {
    const pending = new Set(answers.pending.map(({ callId }) => callId))
    state.decisions = Object.fromEntries(Object.entries(decisions).filter(([callId]) => pending.has(callId)))
  }
  takeAnswers(answers, state)
}

/**
 * The answer goes into the history before any of its calls runs. One that makes no call is the run's end; one that
 * says nothing at all is not kept, and asked for once more.
 */
export function takeReply(reply: Answered, walk: Walk, plan: RunPlan): Stop | undefined {
  const { state, callIds } = walk
  const { message, answered, repaired } = reply
  Object.assign(state, withAnswer(state, reply, plan.prices), { answered })
  walk.streamed = undefined
  state.turn += 1
  const ending = endOf(reply)
  const isSilent = ending.reason === 'done' && saysNothing(message)
  if (!isSilent) append(message, walk, plan, reply.omitted)
  else if (!plan.output) state.flags.silent = true
  const calls = callsOf(message)
  const step = currentStep(state)
  calls.forEach(({ id: callId, function: { name, arguments: text } }, index) => {
    callIds.add(callId)
    const repairs = repaired[index]
    if (repairs) plan.emit?.({ type: 'repair-applied', step, callId, name, repairs })
    plan.emit?.({ type: 'call-ready', step, callId, name, arguments: text })
  })
  if (calls.length > 0) return undefined
  const isShaped =
    ending.reason !== 'done' || !plan.output || takeOutput(reply.output ?? nothingSaid, walk, plan)
  plan.emit?.({ type: 'step-end', step, usage: state.usage })
  return isSilent || !isShaped ? undefined : ending
}

/** Adds the text of an answer that was cut off. Its calls and its reasoning are dropped: they are not whole. */
export function takeStreamed(walk: Walk, plan: RunPlan): void {
  const { state, streamed: content = '' } = walk
  walk.streamed = undefined
  if (content.trim() === '') return
  state.turn += 1
  state.flags.incomplete = true
  // The cut may stand inside a character.
  append({ role: 'assistant', content: content.toWellFormed(), incomplete: true }, walk, plan)
}

const nothingSaid: ReadOutput = { issues: ['it is empty'] }

/** Whether an answer in words has the form that is asked for; if not, the model is told what is wrong with it. */
function takeOutput(output: ReadOutput, walk: Walk, plan: RunPlan): boolean {
  const { state } = walk
  if ('value' in output) {
    state.output = output.value
    return true
  }
  state.flags.misshapen = (state.flags.misshapen ?? 0) + 1
  const content = `Your answer has not the form that is asked for: ${output.issues.join('; ')}. Give it again, in that form.`
  append({ role: 'user', content }, walk, plan)
  return false
}

/** One tool message per call, in call order, whatever order they finished in. A result may be the run's end. */
export function closeTurn(walk: Walk, plan: RunPlan): Stop | undefined {
  const { state, records } = walk
  const { emit } = plan
  const step = currentStep(state)
  const { turn, usage, flags, stuck, taintedBy, direct, output, artifacts, handedTo } = closedTurn(
    state,
    plan,
  )
  for (const record of turn) {
    const { callId, content } = record
    records.push(record)
    append({ role: 'tool', tool_call_id: callId, content }, walk, plan)
  }
  const shows = direct === undefined ? showing(turn, plan.toolset) : undefined
  if (shows) append(shows, walk, plan)
  Object.assign(state, { usage, flags, answered: {} })
  if (artifacts.length > 0) state.artifacts = artifacts
  if (output !== undefined) state.output = output
  delete state.children
  if (handedTo !== undefined) handOver(handedTo, state, plan)
  if (stuck) emit?.({ type: 'stuck-detected', step, ...stuck })
  if (taintedBy !== undefined) emit?.({ type: 'run-tainted', step, by: taintedBy })
  if (direct !== undefined) append({ role: 'assistant', content: direct }, walk, plan)
  emit?.({ type: 'step-end', step, usage })
  return direct === undefined ? undefined : { reason: 'done' }
}

/** Another agent goes on: what was remembered of this one's tools is not about its own. */
function handOver(to: string, state: RunState, { emit }: RunPlan): void {
  state.agent = to
  const { forcedChoiceUsed: _, withheld: __, rejections: ___, ...flags } = state.flags
  state.flags = flags
  emit?.({ type: 'handed-off', step: currentStep(state), to })
}

/** What the caller has sent since the last step. */
export function deliver(texts: readonly string[], walk: Walk, plan: RunPlan): void {
  for (const text of texts) {
    append({ role: 'user', content: text }, walk, plan)
    plan.emit?.({ type: 'message-delivered', step: walk.state.turn, text })
  }
}

function append(message: Message, { state }: Walk, { emit }: RunPlan, omitted?: readonly string[]): void {
  state.messages.push(Object.freeze(message))
  emit?.({ type: 'message-added', step: currentStep(state), message, ...(omitted ? { omitted } : {}) })
}
