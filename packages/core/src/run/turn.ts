// What the model, its calls and the caller say enters a run's state here.

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

/** What became of the open calls. @throws what the host failed with, when that is known */
export function applyResults({ answered, pending, children, failure }: StepResults, state: RunState): void {
  state.answered = answered
  state.pending = pending
  if (Object.keys(children).length > 0) state.children = children
  else delete state.children
  if (failure) throw failure.error
}

/** Takes the results of decisions. Each decision counts once; after a failure those on pending calls are kept. */
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
 * The answer goes into the history before any of its calls runs. One that makes no call is the run's end; one that
 * says nothing at all is not kept, and asked for once more.
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

/** Adds the text of an answer that was cut off. Its calls and its reasoning are dropped: they are not whole. */
export function keepStreamedText(walk: RunContext, plan: RunSettings): void {
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
function applyOutput(output: ReadOutput, walk: RunContext, plan: RunSettings): boolean {
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

/** Another agent goes on: what was remembered of this one's tools is not about its own. */
function switchAgent(to: string, state: RunState, { emit }: RunSettings): void {
  state.agent = to
  const { forcedChoiceUsed: _, withheld: __, rejections: ___, ...flags } = state.flags
  state.flags = flags
  emit?.({ type: 'handed-off', step: currentStep(state), to })
}

/** What the caller has sent since the last step. */
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

/** What a turn whose calls are all answered comes to. */
interface StepSummary {
  readonly turn: readonly CallRecord[]
  readonly usage: Usage
  readonly flags: Flags
  /** What is done about a turn that repeats earlier ones. */
  readonly stuck: { readonly stage: Stage; readonly names: readonly string[] } | undefined
  /** The untrusted source whose text the model reads now, if it read none before and its agent asks because of it. */
  readonly taintedBy: string | undefined
  /** The result that is the run's answer, as it stands; where a form is asked for, the first that has it. */
  readonly direct: string | undefined
  /** That one as a value. */
  readonly output: Json | undefined
  /** What the run has made so far. */
  readonly artifacts: readonly Artifact[]
  /** The agent that goes on, where the model handed over to one. */
  readonly handedTo: string | undefined
}

/** Sums up the open turn: a pure function of its answers. */
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

/** The first that it handed over to: only one can go on. */
function handedTo(turn: readonly CallRecord[], { toolset }: RunSettings): string | undefined {
  for (const { name, status } of turn) {
    const to = status === 'ok' ? toolset.get(name)?.handoff : undefined
    if (to !== undefined) return to
  }
  return undefined
}

/** As the model said them, where they are no arguments. */
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
 * The answers in a row that made nothing but rejected calls of a tool: one answer counts once, since the model has
 * not read what was wrong before it. Names that no tool has count together.
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

/** No tool's name. */
const unknown = ''

/**
 * The first untrusted source of the turn's results, an error's text included. It is noted even where the agent does
 * not ask because of it: a caller of this agent may.
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

/** What waits for the run, taken as one step of a host that records steps, so that a repetition takes the same. */
export function fromInbox(
  { state }: RunContext,
  { host, inbox }: RunSettings,
): readonly string[] | Promise<readonly string[]> {
  if (!inbox || (inbox.isEmpty && host.retries === 'core')) return []
  return host.step({
    key: `t${state.turn}/inbox`,
    options: { kind: 'message', name: 'inbox' },
    run: async () => inbox.take(),
  })
}
