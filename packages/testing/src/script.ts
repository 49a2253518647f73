import {
  CapstanError,
  type ErrorCode,
  type ModelReply,
  type ModelRequest,
  type TokenUsage,
  type ToolCall,
} from '@capstan/core'
import type { ExpectedRequest } from './expectations.js'

/** One answer of a scripted model, or a function of the request that gives one. */
export type ScriptStep = ScriptAnswer | ((request: ModelRequest) => ScriptAnswer | Promise<ScriptAnswer>)

/** Words, calls, a failure, or a reply as a model gives it. */
export type ScriptAnswer = ScriptText | ScriptCall | ScriptCalls | ScriptFailure | ModelReply

/** What a step says of the request that it answers. */
export interface StepExpectation {
  /**
   * What the request must be: the text of its last message, or several things of it. A request that differs fails with
   * a diff. Default: any request will do.
   */
  readonly asked?: ExpectedRequest
}

export interface AnswerOptions extends StepExpectation {
  /** What the server counted. Default: 10 in, 5 out, and their sum. */
  readonly tokens?: Partial<TokenUsage>
  /** Why the server ended: `length` for an answer that was cut off. Default: `stop`, or `tool_calls` for calls. */
  readonly finishReason?: string
}

export interface ScriptText extends AnswerOptions {
  readonly type: 'text'
  readonly text: string
}

export interface ScriptCall extends AnswerOptions {
  readonly type: 'call'
  readonly name: string
  /** A text is sent as it is, malformed or not. */
  readonly arguments: object | string
  /** Default: by its place in the script, `call_2_1` for the first call of the second step. */
  readonly id?: string
}

export interface ScriptCalls extends AnswerOptions {
  readonly type: 'calls'
  readonly calls: readonly ScriptCall[]
}

export interface FailureOptions extends StepExpectation {
  /** Default: a sentence that names the code. */
  readonly message?: string
  /** Default: as a model server's failure with this code is. */
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  /** Words that are streamed before it fails. Default: none. */
  readonly after?: string
  /** The HTTP status. Default: one that the code stands for, where there is one. */
  readonly status?: number
}

export interface ScriptFailure extends FailureOptions {
  readonly type: 'fail'
  readonly code: ErrorCode
}

/** The model answers in words. */
export function text(text: string, options: AnswerOptions = {}): ScriptText {
  return { ...options, type: 'text', text }
}

/** The model calls a tool. Arguments given as a text are sent as they are, malformed or not. */
export function call(
  name: string,
  args: object | string = {},
  options: AnswerOptions & { readonly id?: string } = {},
): ScriptCall {
  return { ...options, type: 'call', name, arguments: args }
}

/** The model makes several calls in one answer. For more to be said of it: `{ ...calls(...), asked: 'What now?' }`. */
export function calls(...calls: readonly ScriptCall[]): ScriptCalls {
  return { type: 'calls', calls }
}

/** The model fails, as `chatModel` does with this code. */
export function fail(code: ErrorCode, options: FailureOptions = {}): ScriptFailure {
  return { ...options, type: 'fail', code }
}

/** The error of a step that fails. */
export function scriptedError({ code, message, retryAfterMs, ...given }: ScriptFailure): CapstanError {
  const status = given.status ?? statusOfCode[code]
  return new CapstanError(code, message ?? `The script says that the model fails with ${code}.`, {
    retryable: given.retryable ?? retryableCodes.includes(code),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** Failures of servers that may be over when they are asked again. */
const retryableCodes: readonly ErrorCode[] = [
  'api',
  'rate_limit',
  'timeout',
  'network',
  'truncated',
  'invalid_response',
]

const statusOfCode: Partial<Record<ErrorCode, number>> = {
  api: 500,
  auth: 401,
  rate_limit: 429,
  quota: 402,
  invalid_request: 400,
  not_found: 404,
  unsupported: 501,
}

/** A step as the reply of a model; `place` counts the steps from 1, and names the calls that have no id. */
export function scriptedReply(step: Exclude<ScriptAnswer, ScriptFailure>, place: number): ModelReply {
  if (!('type' in step)) return step
  const tokens = toTokens(step.tokens)
  const { finishReason } = step
  if (step.type === 'text') {
    const message = { role: 'assistant', content: step.text } as const
    return { message, finishReason: finishReason ?? 'stop', tokens }
  }
  const calls = step.type === 'call' ? [step] : step.calls
  const tool_calls = calls.map((call, at) => toWireCall(call, `call_${place}_${at + 1}`))
  const message = { role: 'assistant', content: null, tool_calls } as const
  return { message, finishReason: finishReason ?? 'tool_calls', tokens }
}

function toWireCall({ name, arguments: args, id }: ScriptCall, ownId: string): ToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return { id: id ?? ownId, type: 'function', function: { name, arguments: text } }
}

function toTokens({ inputTokens = 10, outputTokens = 5, totalTokens }: Partial<TokenUsage> = {}): TokenUsage {
  return { inputTokens, outputTokens, totalTokens: totalTokens ?? inputTokens + outputTokens }
}
