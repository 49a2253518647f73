// A step is one reply of the model with its calls.

import { withoutUndefined } from '../json.js'
import type { Normalized } from '../model/normalize-reply.js'
import { toText } from '../model/reply-fields.js'
import { withHidden } from '../types/event.js'
import { callsOf, type Message, textOf } from '../types/message.js'
import {
  type AnyStep,
  type AnyToolCall,
  type CallRecord,
  type CallResult,
  currentStep,
  type LimitName,
  type PendingCall,
  type RunState,
  type StoredChild,
} from '../types/state.js'
import {
  type CountedRequest,
  noUsage,
  type Usage,
  withCalls,
  withRequests,
  withSpending,
  withSpent,
} from '../usage.js'
import type { StepReply } from './middleware.js'
import type { RunContext } from './run-context.js'

/** The outcomes of a step's calls so far. */
export interface StepResults {
  readonly results: Record<number, CallResult>
  readonly pending: PendingCall[]
  /** Pending child runs, by call index. */
  readonly children: Record<number, StoredChild>
  /** The host's error. The other fields have what was done before it. */
  readonly failure?: { readonly error: unknown }
}

/** The recorded outcome of one request: a reply, or the limit that cut it off. */
export type RequestOutcome = RecordedReply | CutRequest

interface CutRequest {
  readonly message?: undefined
  readonly limit?: LimitName | undefined
  /** The text that was streamed before the cut. */
  readonly text?: string
  /** The side requests that were made. */
  readonly sideRequests?: readonly CountedRequest[]
}

/** The model's reply to a request. */
export interface RecordedReply extends Normalized, Omit<StepReply, 'message'> {
  /** The model that was asked. */
  readonly model: string
  /** From the request to the reply in milliseconds. */
  readonly ms: number
  /** Whether the server reported token counts; otherwise they are absent, or estimated when a limit needs them. */
  readonly reported: boolean
  /** Whether this request forced a tool, which happens once in a run. */
  readonly forced: boolean
  /** The side requests that were made. */
  readonly sideRequests?: readonly CountedRequest[]
}

/** Starts the step of a reply. A state keeps its facts while its calls are open. */
export function beginStep(reply: RecordedReply, run: RunContext): void {
  const { message, extra, model, ms, finishReason, response, spent, sideRequests = [] } = reply
  const requests = [...sideRequests, requestOf(reply)]
  const facts = { model, ms, finishReason, response, spent, requests }
  run.reply = { message, facts, extra }
  if (callsOf(message).length > 0) run.state.reply = facts
}

/** Returns what counts of the request of a reply. */
export function requestOf({
  tokens,
  model,
  reported,
  repaired,
}: Pick<RecordedReply, 'tokens' | 'model' | 'reported'> & { readonly repaired: object }): CountedRequest {
  return { tokens, model, reported, repairs: Object.keys(repaired).length }
}

/** Ends the step of the last reply, with the results of its calls. */
export function endStep(results: readonly CallRecord[], run: RunContext): void {
  const { state, parts } = run
  const step = toStep(results, run)
  run.steps.push(step)
  if (state.reply) state.reply = undefined
  // Not enumerable: the result is neither stored nor sent.
  parts.emit?.(withHidden({ type: 'step-end', step: step.step, usage: state.usage }, 'result', step))
}

/** Returns the step of the last reply with the results of its calls. */
export function toStep(results: readonly CallRecord[], run: RunContext): AnyStep {
  const { state, reply, settings } = run
  const { message, extra, facts = { model: settings.model.name, ms: 0, requests: [] } } = reply
  const { model, ms, finishReason, response, requests, spent = [] } = facts
  const usage = spent.reduce(withSpending, withRequests(noUsage, requests, settings.prices))
  return {
    step: currentStep(state),
    text: textOf(message?.content),
    reasoning: reasoningOf(message),
    toolCalls: results.map((record) => toCallResult(record, run)),
    finishReason,
    usage: withCalls(usage, results, settings.prices),
    model,
    ms,
    response: { ...extraOf(extra, message), ...response },
  }
}

/** Returns the cost of a call, with that of its child run. Undefined without prices, and for a call that spent nothing. */
function costOfCall(result: CallResult, { prices }: Pick<RunContext['settings'], 'prices'>): Usage['cost'] {
  const hasCost = prices && (result.spent || result.usage)
  return hasCost ? withSpent(noUsage, [result], prices).cost : undefined
}

/** Emits the end of a call. */
export function callEnded(
  { callId, name, step }: Pick<CallRecord, 'callId' | 'name' | 'step'>,
  result: CallResult,
  { settings, parts: { emit }, failures }: RunContext,
): void {
  const isFailed = failures.has(callId)
  const error = failures.get(callId)
  failures.delete(callId)
  if (!emit) return
  const { status, ms, content, artifacts = [], spent, errorId, background } = result
  const event = {
    ...({ type: 'tool-end', step, callId, name, status, ms, content, artifacts } as const),
    ...withoutUndefined({ spent, cost: costOfCall(result, settings), errorId, background }),
  }
  emit(isFailed ? withHidden(event, 'error', error) : event)
}

/** Returns a call as results show it. Tools that are known only at run time are `dynamic`. */
function toCallResult(record: CallRecord, { parts }: RunContext): AnyToolCall {
  const tool = parts.toolset.get(record.name)
  const isPlain = tool && !tool.isDynamic
  if (isPlain && record.artifacts === undefined) return record
  const { artifacts, ...rest } = record
  return {
    ...rest,
    ...(artifacts?.length && { artifacts }),
    ...(!isPlain && { dynamic: true }),
  }
}

/** Returns the reasoning in a reply. Servers have two names for it. */
export function reasoningOf(message: Message | undefined): string | undefined {
  const { reasoning_content, reasoning } = Object(message)
  return toText(reasoning_content) || toText(reasoning) || undefined
}

/** Returns what came with a reply. The annotations are in the message: the server gets them back. */
export function extraOf(extra: RunState['extra'], message: Message | undefined): RunState['extra'] {
  const annotations = message?.role === 'assistant' ? message.annotations : undefined
  return Array.isArray(annotations) && annotations.length > 0 ? { ...extra, annotations } : extra
}
