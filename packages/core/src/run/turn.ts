// Adds replies, results and the caller's messages to a run's state.

import type { Artifact } from '../artifacts/artifact.js'
import { chain } from '../async.js'
import { isString, type Json, lastOfEach, withoutUndefined } from '../json.js'
import { shownArguments } from '../tools/parse-arguments.js'
import { callsOf, type Message, textOf } from '../types/message.js'
import { type CallRecord, type CallResult, currentStep, openCalls, type RunState } from '../types/state.js'
import {
  addCalls,
  addRequests,
  addSpending,
  addSpent,
  type CountedRequest,
  costOfRequest,
  type PriceTable,
} from '../usage.js'
import { middlewareName } from './hooks.js'
import type { Ending, FinalRequest, StepEffects, Stop } from './middleware.js'
import { keepIn, type RunContext } from './run-context.js'
import { callEnded, endStep, type RecordedReply, type RequestOutcome } from './steps.js'
import { countRejections, endOf, limitReached } from './stop.js'

/**
 * Appends a reply to the history before any of its calls runs. A reply without calls ends the run. An empty reply is
 * discarded and requested once more.
 */
export function applyReply(
  reply: RequestOutcome,
  run: RunContext,
  last: FinalRequest | undefined,
): Stop | undefined {
  const { state, parts } = run
  const { flags } = state
  const { prices } = run.settings
  const { sideRequests = [] } = reply
  addRequests(run.sum, sideRequests, prices)
  if (last) {
    flags.finalAsked = true
    flags.finalReplies = (flags.finalReplies ?? 0) + (reply.message ? 1 : 0)
  }
  if (reply.limit) flags.wouldExceed = reply.limit
  // The streamed text may come from the host's record.
  run.streamed = reply.message ? [] : [reply.text ?? '']
  if (!reply.message) return undefined
  const { message, extra, kept, repaired, model, ms, finishReason, response, spent, earlier = [] } = reply
  const calls = callsOf(message)
  const requests = [...earlier, ...sideRequests, countReply(reply, state, prices)]
  const facts = { model, ms, finishReason, response, spent, requests }
  state.results = { ...reply.results }
  if (reply.artifacts) addArtifacts(reply.artifacts, state)
  if (spent) addSpending(run.sum, spent)
  if (message.taintedBy !== undefined) markRun(message.taintedBy, run)
  // A host's record may contain any names.
  if (kept) for (const name in kept) if (middlewareName.test(name)) state.kept[name] = kept[name] as Json
  if (reply.warning !== undefined) addWarning(reply.warning, state)
  state.stepCount += 1
  run.reply = { message, facts, extra }
  // The state keeps the facts only while calls are open.
  if (calls.length > 0) state.reply = facts
  if (extra) state.extra = extra
  else delete state.extra
  const ending = calls.length === 0 ? endOf(reply) : undefined
  // The reply has no text, calls or files.
  const isSilent = ending?.reason === 'done' && !textOf(message.content).trim() && !message.media
  if (!isSilent) append(message, run, reply.omitted)
  else if (last || !parts.hasOutput) flags.emptyReply = true
  const step = currentStep(state)
  if (reply.textCalls) parts.emit?.({ type: 'text-calls', step, ...reply.textCalls })
  for (const [index, { id: callId, function: called }] of calls.entries()) {
    const { name, arguments: text } = called
    const repairs = repaired[index]
    run.callIds.add(callId)
    if (repairs) parts.emit?.({ type: 'repair-applied', step, callId, name, repairs })
    parts.emit?.({ type: 'call-ready', step, callId, name, arguments: text })
  }
  if (!ending) return undefined
  const continues = !last && ending.reason === 'done' && applyAfterReply(reply, run)
  endStep([], run)
  if (isSilent || continues) return undefined
  if (!reply.limit || ending.reason !== 'done') return ending
  return limitReached(reply.limit, run)
}

/**
 * Records that the run has read untrusted text, if `by` names a source. Emits an event if later calls need approval
 * because of that.
 */
function markRun(by: unknown, { state, settings: { hooks }, parts }: RunContext): void {
  // A host's record may contain any value.
  if (!isString(by) || state.taintedBy !== undefined) return
  state.taintedBy = by
  // With `ask: false`, this middleware does not check calls.
  if (hooks.beforeTool.some(({ name }) => name === 'taint-tracking'))
    parts.emit?.({ type: 'run-tainted', step: currentStep(state), by })
}

/**
 * Applies the effects of `afterReply` hooks to a reply that would end the run, until a hook continues the run. Returns
 * whether one did.
 */
function applyAfterReply(reply: RecordedReply, run: RunContext): boolean {
  const all: Effects[] = []
  for (const one of run.settings.hooks.afterReply) {
    const effects = one.afterReply(reply, run)
    if (effects) all.push([one.name, effects])
    if (effects?.continue) break
  }
  const continues = all.at(-1)?.[1].continue === true
  for (const [name, effects] of all) {
    // A reply that another middleware rejects is not the output of the run.
    const { output: _, ...others } = effects
    applyEffects(name, continues ? others : effects, run)
    for (const message of effects.messages ?? []) append(message, run)
  }
  return continues
}

/**
 * Calls the `afterRun` hooks and applies their effects. A state that is saved while the hooks are waiting can be
 * resumed.
 */
export async function applyAfterRun(run: RunContext, { reason }: Ending): Promise<void> {
  const { state, settings } = run
  if (reason === 'done' || reason === 'error') delete state.stopReason
  const tooLate: string[] = []
  for (const one of settings.hooks.afterRun) {
    const { messages = [], ...effects } = (await one.afterRun({ reason }, run)) ?? {}
    for (const { content } of messages) tooLate.push(textOf(content))
    applyEffects(one.name, effects, run)
  }
  run.undelivered = tooLate
  run.isOver = true
  if (reason === 'done') state.stopReason = reason
}

/**
 * Calls one hook of all middlewares, starting at index `at`, and applies the effects. Returns a promise only if a hook
 * does.
 */
export function applyEach(run: RunContext, hook: 'beforeRun' | 'beforeStep', at = 0): void | Promise<void> {
  const one = run.settings.hooks[hook][at]
  if (!one) return undefined
  return chain(one[hook]?.(run), (effects = {}) => {
    applyEffects(one.name, effects, run)
    for (const message of effects.messages ?? []) {
      append(message, run)
      const text = textOf(message.content)
      run.parts.emit?.({ type: 'message-delivered', step: run.state.stepCount, text })
    }
    return applyEach(run, hook, at + 1)
  })
}

type Effects = readonly [middleware: string, StepEffects]

/** Returns the effects of `afterCall` hooks for finished calls, each with the name of its middleware. */
function effectsOfCalls(results: readonly CallRecord[], run: RunContext): Effects[] {
  const all: Effects[] = []
  for (const result of results)
    for (const one of run.settings.hooks.afterCall) {
      const effects = one.afterCall(result, run)
      if (effects) all.push([one.name, effects])
    }
  return all
}

/** Applies a middleware's effects to the state, and emits its events. Messages and notes are added by the callers. */
function applyEffects(
  name: string,
  { state: own, output, incomplete, taintedBy, warning, results = [], events = [] }: StepEffects,
  run: RunContext,
): void {
  const { state, parts } = run
  if (incomplete) state.flags.incomplete = true
  if (taintedBy !== undefined) markRun(taintedBy, run)
  if (warning !== undefined) addWarning(warning, state)
  if (own !== undefined) keepIn(state, name, own)
  if (output !== undefined) state.output = output
  for (const result of results) applyLateResult(result, run)
  for (const event of events) parts.emit?.({ ...event, step: currentStep(state) })
}

/** Counts a call that finished after its step had ended, and adds it to that step. */
function applyLateResult(record: CallRecord, run: RunContext): void {
  const { state, settings, steps } = run
  const { step, callId, arguments: _, ...result } = record
  addSpent(run.sum, [record], settings.prices)
  if (result.artifacts) addArtifacts(result.artifacts, state)
  if (result.limit) state.flags.wouldExceed = result.limit
  for (const [one, effects] of effectsOfCalls([record], run)) applyEffects(one, effects, run)
  const past = steps.find((one) => one.step === step)
  if (past) {
    past.results = past.results.map((one) => (one.callId === callId ? { ...one, ...result } : one))
    past.made = undefined
  }
  callEnded({ id: callId, function: record }, result, run, step)
}

function addWarning(warning: string, state: RunState): void {
  state.warnings = [...new Set([...(state.warnings ?? []), warning])]
}

/** Appends the text of a reply that was cut off, without its incomplete calls and its reasoning. */
export function keepStreamedText(run: RunContext): void {
  const { state, streamed, hosted: taintedBy } = run
  const content = streamed.join('')
  run.streamed = []
  if (content.trim() === '') return
  state.stepCount += 1
  state.flags.incomplete = true
  delete state.extra
  // The cut may be inside a character.
  const text = content.toWellFormed()
  append(withoutUndefined({ role: 'assistant', content: text, incomplete: true, taintedBy }), run)
  markRun(taintedBy, run)
}

/**
 * Ends a step: appends one tool message per call, in call order, and applies the effects of middlewares. Returns a stop
 * if a result ends the run.
 */
export function finishStep(run: RunContext): Stop | undefined {
  const { state, parts } = run
  const { hooks, prices } = run.settings
  const plain = resultsOfStep(run)
  const effects = effectsOfCalls(plain, run)
  for (const one of hooks.afterStep) {
    const changes = one.afterStep(plain, run)
    if (changes) effects.push([one.name, changes])
  }
  let notes = ''
  let answer: string | undefined
  let to: string | undefined
  for (const [, one] of effects) {
    if (one.note) notes += `\n\n${one.note}`
    answer ??= one.endWith
    to ??= one.agent
  }
  const direct: string[] = []
  let exceeded: Stop['limit']
  for (const { name, status, content, limit, approved, artifacts } of plain) {
    exceeded ??= limit
    if (approved) state.approved = [...new Set([...(state.approved ?? []), name])]
    if (artifacts?.length) addArtifacts(artifacts, state)
    if (status === 'ok' && run.toolset.get(name)?.settings.returnDirect) direct.push(content)
  }
  if (exceeded) state.flags.wouldExceed = exceeded
  if (!parts.hasOutput && direct.length > 0) answer ??= direct.join('\n\n')
  const ended = notes ? plain.map((result) => ({ ...result, content: result.content + notes })) : plain
  for (const { callId, content, status, media = [], artifacts = [] } of ended) {
    const message = { role: 'tool', tool_call_id: callId, content } as const
    // Omits files that a middleware removed from the artifacts.
    const files = media.filter(({ artifact }) => artifacts.some(({ id }) => id === artifact))
    append(status === 'ok' && files[0] ? { ...message, media: files } : message, run)
  }
  run.toolCalls.push(...ended)
  if (answer === undefined)
    for (const [, { messages = [] }] of effects) for (const message of messages) append(message, run)
  addCalls(run.sum, plain, prices)
  state.flags.rejections = countRejections(state.flags.rejections, plain, run.toolset)
  state.results = {}
  for (const [name, changes] of effects) applyEffects(name, changes, run)
  delete state.children
  delete state.begunBy
  if (to !== undefined) {
    state.agent = to
    // These flags refer to the previous agent's tools.
    delete state.flags.toolForced
    delete state.flags.rejections
    parts.emit?.({ type: 'handed-off', step: currentStep(state), to })
  }
  if (answer !== undefined) append({ role: 'assistant', content: answer }, run)
  endStep(ended, run)
  return answer === undefined ? undefined : { reason: 'done' }
}

function append(message: Message, run: RunContext, omitted?: readonly string[]): void {
  const { state, parts } = run
  state.messages.push(Object.freeze(message))
  parts.emit?.({ type: 'message-added', step: currentStep(state), message, ...(omitted && { omitted }) })
}

/**
 * Returns the open step's results, in call order. With `mayLack`, skips calls without a result.
 * @throws TypeError if a result is missing without `mayLack`
 */
export function resultsOfStep({ state }: RunContext, mayLack?: boolean): readonly CallRecord[] {
  const step = currentStep(state)
  const records: CallRecord[] = []
  for (const [index, call] of openCalls(state).entries()) {
    const result = state.results[index] as CallResult
    if (!result && mayLack) continue
    const args = result.arguments ?? shownArguments(call)
    // Listed before the spread, because in Node 20 each new field after a spread takes about a microsecond.
    records.push({ callId: call.id, name: call.function.name, step, arguments: args, ...result })
  }
  return records
}

/** Adds a reply to a state's usage and flags. Returns the reply's request, as counted. */
export function countReply(
  reply: Pick<RecordedReply, 'tokens' | 'model' | 'reported' | 'incomplete' | 'forced' | 'cacheable'> & {
    readonly repaired: object
  },
  { usage, flags }: RunState,
  prices: PriceTable | undefined,
): CountedRequest {
  const { tokens, model, reported, repaired, forced, incomplete = false, cacheable } = reply
  const request = { tokens, model, reported, repairs: Object.keys(repaired).length, cacheable }
  const cost = prices && costOfRequest(request, prices)
  addRequests(usage, [request], prices)
  flags.lastRequest = { tokens: tokens?.totalTokens ?? 0, cost: typeof cost === 'number' ? cost : 0 }
  if (forced) flags.toolForced = true
  if (incomplete || flags.incomplete) flags.incomplete = incomplete
  return request
}

/** Adds the artifacts of a call or reply to the run's artifacts. A new artifact replaces one with the same id. */
function addArtifacts(made: readonly Artifact[], state: RunState): void {
  state.artifacts = lastOfEach([...(state.artifacts ?? []), ...made], 'id')
}
