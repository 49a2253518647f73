// Replies, results and messages of the caller enter a run's state here.

import { chain } from '../async.js'
import { shownArguments } from '../tools/parse-arguments.js'
import {
  type AssistantMessage,
  callsOf,
  type Message,
  type ToolCall,
  type ToolMessage,
  textOf,
  type UserMessage,
} from '../types/message.js'
import { type CallRecord, type CallResult, currentStep, openCalls, type RunState } from '../types/state.js'
import { costOfRequest, type PriceTable, withCalls, withRequests, withSpending, withSpent } from '../usage.js'
import { isMiddlewareName } from './hooks.js'
import type { Ending, FinalRequest, Middleware, StepEffects, Stop } from './middleware.js'
import { keepIn, type RunContext } from './run-context.js'
import {
  beginStep,
  callEnded,
  endStep,
  type RecordedReply,
  type RequestOutcome,
  requestOf,
  type StepResults,
} from './steps.js'
import { countRejections, endOf, limitReached } from './stop.js'

/** Applies the outcomes of the open calls. @throws the host's error, if there is one */
export function applyResults({ results, pending, children, failure }: StepResults, state: RunState): void {
  state.results = results
  state.pending = pending
  if (Object.keys(children).length > 0) state.children = children
  else delete state.children
  if (failure) throw failure.error
}

/** Applies the results of decisions. Each decision counts once; after a failure those on pending calls are kept. */
export function applyDecidedResults(results: StepResults, state: RunState): void {
  const { decisions = {} } = state
  delete state.decisions
  if (results.failure) {
    const pending = new Set(results.pending.map(({ callId }) => callId))
    state.decisions = Object.fromEntries(Object.entries(decisions).filter(([callId]) => pending.has(callId)))
  }
  applyResults(results, state)
}

/**
 * Appends a reply to the history before any of its calls runs. A reply without calls ends the run. An empty reply is
 * discarded and requested once more.
 */
export function applyReply(
  reply: RequestOutcome,
  run: RunContext,
  last: FinalRequest | undefined,
): Stop | undefined {
  const { state, settings } = run
  // The streamed text may come from the host's record.
  if (!reply.message) run.streamed = reply.text
  if (reply.sideRequests) state.usage = withRequests(state.usage, reply.sideRequests, settings.prices)
  const ending = reply.message ? applyMessage(reply, run, last !== undefined) : undefined
  if (last) {
    state.flags.finalAsked = true
    state.flags.finalReplies = (state.flags.finalReplies ?? 0) + (reply.message ? 1 : 0)
  }
  if (reply.limit) state.flags.wouldExceed = reply.limit
  return ending
}

function applyMessage(reply: RecordedReply, run: RunContext, isFinal: boolean): Stop | undefined {
  const { state, callIds, parts } = run
  const { message, results, repaired } = reply
  countReply(reply, state, run.settings.prices)
  state.results = results
  addArtifacts([reply], state)
  for (const one of reply.spent ?? []) state.usage = withSpending(state.usage, one)
  markRun(message.taintedBy, run)
  // A record of a host may have any names.
  for (const [name, own] of Object.entries(reply.kept ?? {}))
    if (isMiddlewareName(name)) state.kept[name] = own
  if (reply.warning !== undefined) addWarning(reply.warning, state)
  run.streamed = undefined
  state.stepCount += 1
  beginStep(reply, run)
  const ending = endOf(reply)
  const isSilent = ending.reason === 'done' && saysNothing(message)
  if (reply.extra) state.extra = reply.extra
  else delete state.extra
  if (!isSilent) append(message, run, reply.omitted)
  else if (isFinal || !parts.hasOutput) state.flags.emptyReply = true
  const calls = callsOf(message)
  const step = currentStep(state)
  if (reply.textCalls) parts.emit?.({ type: 'text-calls', step, ...reply.textCalls })
  calls.forEach(({ id: callId, function: { name, arguments: text } }, index) => {
    callIds.add(callId)
    const repairs = repaired[index]
    if (repairs) parts.emit?.({ type: 'repair-applied', step, callId, name, repairs })
    parts.emit?.({ type: 'call-ready', step, callId, name, arguments: text })
  })
  if (calls.length > 0) return undefined
  const continues = !isFinal && ending.reason === 'done' && applyAfterReply(reply, run)
  endStep([], run)
  if (isSilent || continues) return undefined
  if (!reply.limit || ending.reason !== 'done') return ending
  return limitReached(reply.limit, run)
}

/** Taints the run by a source, if there is one, and reports it when the agent asks because of it. */
function markRun(by: unknown, { state, settings: { hooks }, parts }: RunContext): void {
  if (typeof by !== 'string' || state.taintedBy !== undefined) return
  state.taintedBy = by
  // It judges no calls with `ask: false`.
  if (hooks.beforeTool.some(({ name }) => name === 'taint-tracking'))
    parts.emit?.({ type: 'run-tainted', step: currentStep(state), by })
}

/** Applies the effects of middlewares on a reply that would end the run, until one continues it. Returns whether one does. */
function applyAfterReply(reply: RecordedReply, run: RunContext): boolean {
  const all: Effects[] = []
  for (const one of run.settings.hooks.afterReply) {
    const effects = one.afterReply(reply, run)
    if (effects) all.push([one.name, effects])
    if (effects?.continue) break
  }
  const continues = all.at(-1)?.[1].continue === true
  for (const [name, { output, ...effects }] of all) {
    // A reply that another middleware rejects is not the output of the run.
    applyEffects(name, continues || output === undefined ? effects : { ...effects, output }, run)
    for (const message of effects.messages ?? []) append(message, run)
  }
  return continues
}

/** Applies what middlewares change at the end of a run. A state that is saved while they wait can be resumed. */
export async function applyAfterRun(run: RunContext, { reason }: Ending): Promise<void> {
  const { state, settings } = run
  if (reason === 'done' || reason === 'error') delete state.stopReason
  const tooLate: string[] = []
  for (const one of settings.hooks.afterRun) {
    const { messages = [], ...effects } = (await one.afterRun({ reason }, run)) ?? {}
    for (const { content } of messages) tooLate.push(textOf(content))
    applyEffects(one.name, effects, run)
    tellEvents(effects, run)
  }
  run.undelivered = tooLate
  run.isOver = true
  if (reason === 'done') state.stopReason = reason
}

/**
 * Calls one hook of all middlewares from `at` on, and applies the effects of each. Without a promise when no hook returns
 * one.
 */
export function applyEach(run: RunContext, hook: 'beforeRun' | 'beforeStep', at = 0): void | Promise<void> {
  const one = run.settings.hooks[hook][at]
  if (!one) return undefined
  return chain(one[hook]?.(run), (effects = {}) => {
    applyEffects(one.name, effects, run)
    tellEvents(effects, run)
    for (const message of effects.messages ?? []) addUserMessage(message, run)
    return applyEach(run, hook, at + 1)
  })
}

/** Calls one hook of all middlewares. Returns the effects of each that has some, with its name. */
function effectsOf<One extends Middleware>(
  hooks: readonly One[],
  call: (one: One) => StepEffects | undefined,
): readonly Effects[] {
  const all: Effects[] = []
  for (const one of hooks) {
    const effects = call(one)
    if (effects) all.push([one.name, effects])
  }
  return all
}

type Effects = readonly [middleware: string, StepEffects]

/** The effects of finished calls. */
function effectsOfCalls(results: readonly CallRecord[], run: RunContext): readonly Effects[] {
  const { afterCall } = run.settings.hooks
  return results.flatMap((result) => effectsOf(afterCall, (one) => one.afterCall(result, run)))
}

/** Applies the changes to the state. Notes, messages and events of a step have their places in it. */
function applyEffects(
  name: string,
  { state: own, output, incomplete, taintedBy, warning, results = [] }: StepEffects,
  run: RunContext,
): void {
  const { state } = run
  if (incomplete) state.flags.incomplete = true
  markRun(taintedBy, run)
  if (warning !== undefined) addWarning(warning, state)
  if (own !== undefined) keepIn(state, name, own)
  if (output !== undefined) state.output = output
  for (const result of results) applyLateResult(result, run)
}

function tellEvents({ events = [] }: StepEffects, { state, parts }: RunContext): void {
  for (const event of events) parts.emit?.({ ...event, step: currentStep(state) })
}

/** Counts a call that is finished after its step, and shows it there. */
function applyLateResult(record: CallRecord, run: RunContext): void {
  const { state, settings, steps } = run
  const { step, callId, name, arguments: _, ...result } = record
  state.usage = withSpent(state.usage, [record], settings.prices)
  addArtifacts([record], state)
  if (result.limit) state.flags.wouldExceed = result.limit
  for (const [one, effects] of effectsOfCalls([record], run)) applyEffects(one, effects, run)
  const at = steps.findIndex((one) => one.step === step)
  const before = steps[at]
  if (before) {
    const toolCalls = before.toolCalls.map((one) => (one.callId === callId ? { ...one, ...result } : one))
    steps[at] = { ...before, toolCalls }
  }
  callEnded(record, result, run)
}

function addWarning(warning: string, state: RunState): void {
  state.warnings = [...new Set([...(state.warnings ?? []), warning])]
}

/** Appends the text of a reply that was cut off, without its incomplete calls and reasoning. */
export function keepStreamedText(run: RunContext): void {
  const { state, streamed: content = '', hosted: taintedBy } = run
  run.streamed = undefined
  if (content.trim() === '') return
  state.stepCount += 1
  state.flags.incomplete = true
  delete state.extra
  // The cut may be inside a character.
  const message = { role: 'assistant', content: content.toWellFormed(), incomplete: true } as const
  append({ ...message, ...(taintedBy && { taintedBy }) }, run)
  markRun(taintedBy, run)
}

/** Appends one tool message per call, in call order. A result may end the run. */
export function finishStep(run: RunContext): Stop | undefined {
  const { state, toolCalls } = run
  const plain = resultsOfStep(run)
  const ofStep = effectsOf(run.settings.hooks.afterStep, (one) => one.afterStep(plain, run))
  const effects = [...effectsOfCalls(plain, run), ...ofStep]
  let notes = ''
  let answer: string | undefined
  let to: string | undefined
  for (const [, one] of effects) {
    if (one.note) notes += `\n\n${one.note}`
    answer ??= one.endWith
    to ??= one.agent
  }
  answer ??= directResult(plain, run)
  const ended = notes ? plain.map((result) => ({ ...result, content: result.content + notes })) : plain
  for (const result of ended) append(toToolMessage(result), run)
  toolCalls.push(...ended)
  if (answer === undefined)
    for (const [, { messages = [] }] of effects) for (const message of messages) append(message, run)
  addArtifacts(plain, state)
  state.usage = withCalls(state.usage, plain, run.settings.prices)
  applyFlags(plain, run)
  state.results = {}
  for (const [name, changes] of effects) applyEffects(name, changes, run)
  delete state.children
  delete state.begunBy
  if (to !== undefined) takeOver(to, run)
  for (const [, one] of effects) tellEvents(one, run)
  if (answer !== undefined) append({ role: 'assistant', content: answer }, run)
  endStep(ended, run)
  return answer === undefined ? undefined : { reason: 'done' }
}

/** Switches to another agent, without the flags about the tools of the previous one. */
function takeOver(to: string, { state, parts }: RunContext): void {
  state.agent = to
  delete state.flags.toolForced
  delete state.flags.rejections
  parts.emit?.({ type: 'handed-off', step: currentStep(state), to })
}

/** Returns the message of a result. It has no file that a middleware took out of the artifacts. */
function toToolMessage({ callId, content, status, media, artifacts = [] }: CallRecord): ToolMessage {
  const message = { role: 'tool', tool_call_id: callId, content } as const
  const files = media?.filter(({ artifact }) => artifacts.some(({ id }) => id === artifact))
  return status === 'ok' && files?.length ? { ...message, media: files } : message
}

/** Appends a message that the caller, or a middleware, has sent since the last step. */
function addUserMessage(message: UserMessage, run: RunContext): void {
  append(message, run)
  const text = textOf(message.content)
  run.parts.emit?.({ type: 'message-delivered', step: run.state.stepCount, text })
}

function append(message: Message, run: RunContext, omitted?: readonly string[]): void {
  const { state, parts } = run
  state.messages.push(Object.freeze(message))
  parts.emit?.({ type: 'message-added', step: currentStep(state), message, ...(omitted ? { omitted } : {}) })
}

/** The results of the open step so far, in call order. Pending calls have none. */
export function resultsSoFar(run: RunContext): readonly CallRecord[] {
  return openCalls(run.state).flatMap((call, index) =>
    run.state.results[index] ? [resultOfCall(call, index, run)] : [],
  )
}

/** The results of the open step, in call order. @throws TypeError when a call has none */
function resultsOfStep(run: RunContext): readonly CallRecord[] {
  return openCalls(run.state).map((call, index) => resultOfCall(call, index, run))
}

function resultOfCall(call: ToolCall, index: number, run: RunContext): CallRecord {
  const { state } = run
  const result = state.results[index] as CallResult
  const args = result.arguments ?? shownArguments(call)
  const { id: callId, function: called } = call
  // In front of the copy: each new field after it would take Node 20 about a microsecond.
  return { callId, name: called.name, step: currentStep(state), arguments: args, ...result }
}

/** Adds a reply of the model to a state's usage and flags. */
export function countReply(
  reply: Parameters<typeof requestOf>[0] & Pick<RecordedReply, 'incomplete' | 'forced'>,
  state: RunState,
  prices: PriceTable | undefined,
): void {
  const { flags } = state
  const { tokens, forced, incomplete = false } = reply
  const request = requestOf(reply)
  const cost = prices && costOfRequest(request, prices)
  state.usage = withRequests(state.usage, [request], prices)
  flags.lastRequest = { tokens: tokens?.totalTokens ?? 0, cost: typeof cost === 'number' ? cost : 0 }
  if (forced) flags.toolForced = true
  if (incomplete || flags.incomplete) flags.incomplete = incomplete
}

/** Keeps what the results of a step mean for later steps. */
function applyFlags(results: readonly CallRecord[], { state, toolset }: RunContext): void {
  const { flags } = state
  const isTool = (name: string) => toolset.get(name) !== undefined
  flags.rejections = countRejections(flags.rejections ?? {}, results, isTool)
  const [exceeded] = results.flatMap(({ limit }) => limit ?? [])
  if (exceeded) flags.wouldExceed = exceeded
  const approved = results.filter((one) => one.approved).map(({ name }) => name)
  if (approved.length > 0) state.approved = [...new Set([...(state.approved ?? []), ...approved])]
}

/** Adds artifacts of calls, or of a reply, to those of the run, each once. */
function addArtifacts(made: readonly Pick<CallRecord, 'artifacts'>[], state: RunState): void {
  const more = made.flatMap(({ artifacts = [] }) => artifacts)
  if (more.length > 0)
    state.artifacts = [...new Map([...(state.artifacts ?? []), ...more].map((one) => [one.id, one])).values()]
}

/** The results of tools with `returnDirect`. With an output schema only a value of it is an answer. */
function directResult(results: readonly CallRecord[], { toolset, parts }: RunContext): string | undefined {
  const isDirect = ({ name, status }: CallRecord) =>
    status === 'ok' && toolset.get(name)?.settings.returnDirect
  const direct = parts.hasOutput ? [] : results.filter(isDirect)
  return direct.length > 0 ? direct.map(({ content }) => content).join('\n\n') : undefined
}

/** Whether a reply has neither text nor calls nor files. */
function saysNothing(message: AssistantMessage): boolean {
  return textOf(message.content).trim() === '' && callsOf(message).length === 0 && !message.media
}
