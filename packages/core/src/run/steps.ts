// A step is one reply from the model, with its calls.

import { withoutUndefined } from '../json.js'
import type { Normalized } from '../model/normalize-reply.js'
import { toText } from '../model/reply-fields.js'
import { type ToolRef, withHidden } from '../types/event.js'
import { callsOf, type Message, type ToolCall, textOf } from '../types/message.js'
import type { ModelDelta, ModelReply } from '../types/model.js'
import {
  type AnyStep,
  type AnyToolCall,
  type CallRecord,
  type CallResult,
  currentStep,
  type LimitName,
  type RunState,
} from '../types/state.js'
import {
  addCalls,
  addRequests,
  addSpending,
  addSpent,
  type CountedRequest,
  copyOfUsage,
  noUsage,
  type PriceTable,
  type Usage,
} from '../usage.js'
import type { StepReply, Toolset } from './middleware.js'
import type { PastStep, RunContext, StreamedPart } from './run-context.js'

/** The recorded end of one request: a reply, or the reason why there is none. */
export type RequestOutcome = RecordedReply | CutRequest

/** A request that a limit cut off, or that is waiting until the host has stored the states that middlewares keep. */
interface CutRequest {
  readonly message?: undefined
  readonly limit?: LimitName | undefined
  /** The text that was streamed before the cut. */
  readonly text?: string
  /** The states that middlewares want stored before the request. The next host step sends it. */
  readonly kept?: StepReply['kept'] | undefined
  /** The side requests that this host step made. */
  readonly sideRequests?: readonly CountedRequest[]
}

/** A reply as the host records it, with facts about its request. */
export interface RecordedReply extends Normalized, Omit<StepReply, 'message'> {
  /** The name of the model that the request was sent to. */
  readonly model: string
  /** The time from the request to the reply, in milliseconds. */
  readonly ms: number
  /** Whether the server reported token counts. If not, they are absent, or estimated when a limit needs them. */
  readonly reported: boolean
  /** Whether this request forced a tool call. If so, later requests to the same agent do not force one. */
  readonly forced: boolean
  /** The side requests that this host step made. */
  readonly sideRequests?: readonly CountedRequest[]
  /** The step's side requests that were recorded and counted before this reply. */
  readonly earlier?: readonly CountedRequest[]
}

/**
 * Reports a piece of a streamed call. Pieces are held back until the call's id and name are final. Each id is used for
 * only one call.
 */
export function tellPiece(delta: Extract<ModelDelta, { type: 'call' }>, run: RunContext): void {
  const { id, index, name, arguments: piece } = delta
  const { streamedCalls, callIds, toolset } = run
  const call = streamedCalls.get(index) ?? { callId: '', name, text: '' }
  let text = piece
  streamedCalls.set(index, call)
  call.text += text
  if (!call.callId) {
    // A name is complete once arguments follow it.
    if (!call.text || !toolset.get(name) || !id?.trim() || callIds.has(id)) return
    callIds.add(id)
    call.callId = id
    call.name = name
    text = call.text
  }
  tell(run, index, call, text)
}

/**
 * Returns the reported calls that the complete reply continues, by id. These calls keep their ids; other calls get new
 * ones.
 */
export function keptCalls(
  { message }: ModelReply,
  { streamedCalls, callIds }: RunContext,
): ReadonlyMap<string, StreamedPart> {
  const open = new Map([...streamedCalls.values()].map((call) => [call.callId, call]))
  const kept = new Map<string, StreamedPart>()
  for (const { id, function: called } of callsOf(message)) {
    const call = open.get(id)
    // If several calls have the same id, the first keeps it.
    open.delete(id)
    if (call?.name === called.name && called.arguments.startsWith(call.text) && callIds.delete(id))
      kept.set(id, call)
  }
  return kept
}

/** Reports the parts of calls that have not been reported yet. */
export function tellRest(
  { message: given }: ModelReply,
  { message }: Normalized,
  told: ReadonlyMap<string, StreamedPart>,
  run: RunContext,
): void {
  for (const [index, { id: callId, function: called }] of callsOf(message).entries()) {
    const call = told.get(callId)
    const text = `${callsOf(given)[index]?.function.arguments}`.slice(call?.text.length)
    if (text || !call) tell(run, index, { callId, name: called.name }, text)
  }
}

function tell({ parts, state }: RunContext, index: number, { callId, name }: ToolRef, text: string): void {
  parts.emit?.({ type: 'call-delta', step: state.stepCount, index, callId, name, arguments: text })
}

/** Ends the step of the last reply, with the results of its calls. */
export function endStep(results: readonly CallRecord[], run: RunContext): void {
  const { state, parts } = run
  const past = lastStep(results, run)
  run.steps.push(past)
  if (state.reply) state.reply = undefined
  if (!parts.emit) return
  const result = resultOf(past)
  const { step, cost } = result
  const event = withoutUndefined({ type: 'step-end', step, usage: run.usage, cost })
  // Not enumerable, so that the result is neither stored nor sent.
  parts.emit(withHidden(event, 'result', result))
}

/** Returns the step of the last reply, with the results of its calls. */
export function lastStep(results: readonly CallRecord[], run: RunContext): PastStep {
  const { state, reply, settings, parts } = run
  return { step: currentStep(state), reply, results, settings, toolset: parts.toolset }
}

/** Converts a step to the form that results contain. Each step is converted only once. */
export function resultOf(past: PastStep): AnyStep {
  if (past.made) return past.made
  const { step, reply, results, toolset } = past
  const { model: own, prices } = past.settings
  const { message, extra, facts = { model: own.name, ms: 0, requests: [] } } = reply
  const { requests, spent = [], ...shown } = facts
  const usage = copyOfUsage(noUsage)
  addRequests(usage, requests, prices)
  addSpending(usage, spent)
  addCalls(usage, results, prices)
  const { cost } = usage
  past.made = {
    step,
    text: textOf(message?.content),
    reasoning: reasoningOf(message),
    toolCalls: results.flatMap((record) => toCallResults(record, toolset)),
    ...shown,
    usage,
    ...(cost !== undefined && { cost }),
    response: { ...extraOf(extra, message), ...facts.response },
  }
  return past.made
}

/** Returns a call's cost, including its child run. Undefined without prices, or if the call spent nothing. */
function costOfCall(result: CallResult, prices: PriceTable | undefined): Usage['cost'] {
  if (!prices || !(result.spent || result.usage)) return undefined
  const sum = copyOfUsage(noUsage)
  addSpent(sum, [result], prices)
  return sum.cost
}

/** Emits the end of a call. Default `step`: the current step. */
export function callEnded(
  { id: callId, function: { name } }: Pick<ToolCall, 'id'> & { readonly function: { readonly name: string } },
  result: CallResult,
  { state, settings, parts: { emit }, failures }: RunContext,
  step = currentStep(state),
): void {
  const error = failures.get(callId)
  const isFailed = failures.delete(callId)
  if (!emit) return
  const { status, ms, content, artifacts = [], spent, errorId, background } = result
  const cost = costOfCall(result, settings.prices)
  const event = withoutUndefined({
    ...{ type: 'tool-end', step, callId, name, status, ms, content },
    ...{ artifacts, spent, cost, errorId, background },
  })
  emit(isFailed ? withHidden(event, 'error', error) : event)
}

/**
 * Converts a call to the form that results contain, followed by the calls that it made itself. Calls to tools that are
 * known only at run time are marked as `dynamic`.
 */
function toCallResults({ artifacts, calls = [], ...rest }: CallRecord, toolset: Toolset): AnyToolCall[] {
  const tool = toolset.get(rest.name)
  const isDynamic = !tool || tool.isDynamic
  return [{ ...rest, ...(artifacts?.length && { artifacts }), ...(isDynamic && { dynamic: true }) }, ...calls]
}

/** Returns a reply's reasoning, for which servers use two names. */
export function reasoningOf(message: Message | undefined): string | undefined {
  const { reasoning_content, reasoning } = Object(message)
  return toText(reasoning_content) || toText(reasoning) || undefined
}

/**
 * Returns a reply's extra data, including its annotations. The annotations are in the message, because they are sent
 * back to the server.
 */
export function extraOf(extra: RunState['extra'], message: Message | undefined): RunState['extra'] {
  const annotations = message?.role === 'assistant' && message.annotations
  return Array.isArray(annotations) && annotations.length > 0 ? { ...extra, annotations } : extra
}
