// Replies, results and messages of the caller enter a run's state here.

import type { Artifact } from '../artifacts/artifact.js'
import type { Json } from '../json.js'
import { withCallCosts, withReply } from '../limits.js'
import { showing } from '../middleware/show-images.js'
import type { ReadOutput } from '../middleware/structured-output.js'
import { detectRepeats, type Stage } from '../middleware/stuck-detection.js'
import { type ArgumentsValue, parseArguments, takeParsedArguments } from '../tools/parse-arguments.js'
import { callsOf, type Message, type ToolCall } from '../types/message.js'
import type { CallResult, Flags, RunState } from '../types/state.js'
import { type Usage, withCalls, withUsage } from '../usage.js'
import type { ModelAnswer } from './ask-model.js'
import { type CallRecord, currentStep, openCalls, type RunContext, type RunSettings } from './run-context.js'
import type { StepResults } from './run-tools.js'
import { endOf, type Stop, saysNothing } from './stop.js'

/** Applies the outcomes of the open calls. @throws the host's error, if there is one */
export function applyResults({ answered, pending, children, failure }: StepResults, state: RunState): void {
  state.answered = answered
  state.pending = pending
  if (Object.keys(children).length > 0) state.children = children
  else delete state.children
  if (failure) throw failure.error
}

/** Applies the results of decisions. Each decision counts once; after a failure those on pending calls are kept. */
export function applyDecidedResults(answers: StepResults, state: RunState): void {
  const { decisions = {} } = state
  delete state.decisions
  if (answers.failure) {
    const pending = new Set(answers.pending.map(({ callId }) => callId))
    state.decisions = Object.fromEntries(Object.entries(decisions).filter(([callId]) => pending.has(callId)))
  }
  applyResults(answers, state)
}

/**
 * Appends a reply to the history before any of its calls runs. A reply without calls ends the run. An empty reply is
 * discarded and requested once more.
 */
export function applyReply(reply: ModelAnswer, walk: RunContext, plan: RunSettings): Stop | undefined {
  const { state, callIds } = walk
  const { message, answered, repaired } = reply
  Object.assign(state, withReply(state, reply, plan.prices), { answered })
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
    ending.reason !== 'done' || !plan.output || applyOutput(reply.output ?? nothingSaid, walk, plan)
  plan.emit?.({ type: 'step-end', step, usage: state.usage })
  return isSilent || !isShaped ? undefined : ending
}

/** Appends the text of a reply that was cut off, without its incomplete calls and reasoning. */
export function keepStreamedText(walk: RunContext, plan: RunSettings): void {
  const { state, streamed: content = '' } = walk
  walk.streamed = undefined
  if (content.trim() === '') return
  state.turn += 1
  state.flags.incomplete = true
  // The cut may be inside a character.
  append({ role: 'assistant', content: content.toWellFormed(), incomplete: true }, walk, plan)
}

const nothingSaid: ReadOutput = { issues: ['it is empty'] }

/** Whether a text reply matches the output schema. If not, tells the model what is wrong. */
function applyOutput(output: ReadOutput, walk: RunContext, plan: RunSettings): boolean {
  const { state } = walk
  if ('value' in output) {
    state.output = output.value
    return true
  }
  state.flags.misshapen = (state.flags.misshapen ?? 0) + 1
  const content = `Your answer does not match the required schema: ${output.issues.join('; ')}. Answer again in that format.`
  append({ role: 'user', content }, walk, plan)
  return false
}

/** Appends one tool message per call, in call order. A result may end the run. */
export function finishStep(walk: RunContext, plan: RunSettings): Stop | undefined {
  const { state, records } = walk
  const { emit } = plan
  const step = currentStep(state)
  const { turn, usage, flags, stuck, taintedBy, direct, output, artifacts, handedTo } = summarizeStep(
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
  if (handedTo !== undefined) switchAgent(handedTo, state, plan)
  if (stuck) emit?.({ type: 'stuck-detected', step, ...stuck })
  if (taintedBy !== undefined) emit?.({ type: 'run-tainted', step, by: taintedBy })
  if (direct !== undefined) append({ role: 'assistant', content: direct }, walk, plan)
  emit?.({ type: 'step-end', step, usage })
  return direct === undefined ? undefined : { reason: 'done' }
}

/** Switches to another agent and drops flags about the tools of the previous one. */
function switchAgent(to: string, state: RunState, { emit }: RunSettings): void {
  state.agent = to
  const { forcedChoiceUsed: _, withheld: __, rejections: ___, ...flags } = state.flags
  state.flags = flags
  emit?.({ type: 'handed-off', step: currentStep(state), to })
}

/** Appends the messages that the caller has sent since the last step. */
export function addUserMessages(texts: readonly string[], walk: RunContext, plan: RunSettings): void {
  for (const text of texts) {
    append({ role: 'user', content: text }, walk, plan)
    plan.emit?.({ type: 'message-delivered', step: walk.state.turn, text })
  }
}

function append(
  message: Message,
  { state }: RunContext,
  { emit }: RunSettings,
  omitted?: readonly string[],
): void {
  state.messages.push(Object.freeze(message))
  emit?.({ type: 'message-added', step: currentStep(state), message, ...(omitted ? { omitted } : {}) })
}

/** Summary of a finished step. */
interface StepSummary {
  readonly turn: readonly CallRecord[]
  readonly usage: Usage
  readonly flags: Flags
  /** The reaction to a step that repeats earlier ones. */
  readonly stuck: { readonly stage: Stage; readonly names: readonly string[] } | undefined
  /** The first untrusted source that the model reads, if its agent asks for approval because of it. */
  readonly taintedBy: string | undefined
  /** The text of the result that is the run's final answer; with an output schema, the first that matches. */
  readonly direct: string | undefined
  /** The value of that result. */
  readonly output: Json | undefined
  /** The artifacts of the run so far. */
  readonly artifacts: readonly Artifact[]
  /** The agent of a handoff, if there was one. */
  readonly handedTo: string | undefined
}

/** Summarizes the open step. A pure function of its results. */
export function summarizeStep(state: RunState, plan: RunSettings): StepSummary {
  const step = currentStep(state)
  const calls = openCalls(state)
  const args = takeParsedArguments(calls) ?? calls.map(argumentsOf)
  const plain = calls.map((call, index) => {
    const outcome = state.answered[index] as CallResult
    const said = outcome.arguments ?? (args[index] as Json)
    return { ...outcome, callId: call.id, name: call.function.name, step, arguments: said }
  })
  const stuck = plan.stuck && detectRepeats(state.flags, plain, plan.stuck)
  const taintedBy = taintOf(plain, state.flags, plan)
  const { output } = plan
  const shaped = output && plain.find(({ name, status }) => status === 'ok' && name === output.tool.name)
  const { stage, note } = stuck ?? {}
  return {
    turn: note === undefined ? plain : plain.map((record) => withNote(record, note)),
    usage: usageAfter(state.usage, plain, plan),
    flags: {
      ...state.flags,
      ...stuck?.flags,
      ...toFlags(plain, state.flags, plan),
      ...(taintedBy ? { taintedBy } : {}),
    },
    stuck: stage && { stage, names: [...new Set(plain.map(({ name }) => name))] },
    taintedBy: plan.guards.taint ? taintedBy : undefined,
    direct: shaped ? shaped.content : output ? undefined : directAnswer(plain, plan),
    output: shaped?.result,
    artifacts: artifactsAfter(state.artifacts, plain),
    handedTo: handedTo(plain, plan),
  }
}

function usageAfter(before: Usage, turn: readonly CallRecord[], { prices }: RunSettings): Usage {
  let after = withCallCosts(withCalls(before, turn), turn, prices)
  for (const { usage } of turn) if (usage) after = withUsage(after, usage)
  return after
}

function artifactsAfter(before: readonly Artifact[] = [], turn: readonly CallRecord[]): readonly Artifact[] {
  if (!turn.some(({ artifacts = [] }) => artifacts.length > 0)) return before
  const made = turn.flatMap(({ artifacts = [] }) => artifacts)
  return [...new Map([...before, ...made].map((artifact) => [artifact.id, artifact])).values()]
}

/** The first agent of several handoffs: only one can continue. */
function handedTo(turn: readonly CallRecord[], { toolset }: RunSettings): string | undefined {
  for (const { name, status } of turn) {
    const to = status === 'ok' ? toolset.get(name)?.handoff : undefined
    if (to !== undefined) return to
  }
  return undefined
}

/** The parsed arguments of a call; their text when it does not parse. */
function argumentsOf({ function: { arguments: text } }: ToolCall): ArgumentsValue | string {
  const parsed = parseArguments(text)
  return parsed.ok ? parsed.value : text
}

function withNote(record: CallRecord, note: string): CallRecord {
  return { ...record, content: `${record.content}\n\n${note}` }
}

function toFlags(turn: readonly CallRecord[], before: Flags, { toolset }: RunSettings): Partial<Flags> {
  const isTool = (name: string) => toolset.get(name) !== undefined
  const passed = turn.find(({ limit }) => limit)?.limit
  const approved = turn.filter((one) => one.approved).map(({ name }) => name)
  return {
    rejections: countRejections(before.rejections ?? {}, turn, isTool),
    ...(approved.length > 0 ? { approved: [...new Set([...(before.approved ?? []), ...approved])] } : {}),
    ...(passed ? { passed } : {}),
    ...(turn.some(({ whole }) => whole) ? { shortened: true } : {}),
  }
}

/**
 * Counts consecutive steps with only rejected calls of a tool. A step counts once, since the model has not read the
 * first rejection before it made the others. Unknown tool names count together.
 */
export function countRejections(
  before: Readonly<Record<string, number>>,
  turn: readonly Pick<CallRecord, 'name' | 'status'>[],
  isTool: (name: string) => boolean,
): Record<string, number> {
  if (Object.keys(before).length === 0 && turn.every(({ status }) => status !== 'rejected')) return {}
  const counts = new Map(Object.entries(before))
  const named = turn.map(({ name, status }) => ({ name: isTool(name) ? name : unknown, status }))
  for (const name of new Set(named.map((call) => call.name))) {
    const isRow = named.every((call) => call.name !== name || call.status === 'rejected')
    counts.set(name, isRow ? (counts.get(name) ?? 0) + 1 : 0)
  }
  return Object.fromEntries([...counts].filter(([, times]) => times > 0))
}

/** The key of unknown tool names. */
const unknown = ''

/**
 * Returns the first untrusted source of the step's results, texts of errors included. It is recorded even when this
 * agent does not ask for approval: a parent run may.
 */
function taintOf(
  turn: readonly CallRecord[],
  { taintedBy }: Flags,
  { toolset }: RunSettings,
): string | undefined {
  if (taintedBy !== undefined) return undefined
  for (const { name, status, taintedBy: by } of turn) {
    const hasText = status === 'ok' || status === 'error'
    if (by !== undefined || (hasText && toolset.get(name)?.settings.untrusted)) return by ?? name
  }
  return undefined
}

function directAnswer(turn: readonly CallRecord[], { toolset }: RunSettings): string | undefined {
  const direct = turn.filter(
    ({ name, status }) => status === 'ok' && toolset.get(name)?.settings.returnDirect,
  )
  return direct.length > 0 ? direct.map(({ content }) => content).join('\n\n') : undefined
}
