import {
  CapstanError,
  type ErrorCode,
  type ModelReply,
  type ModelRequest,
  type TokenUsage,
  type ToolCall,
} from '@capstan/core'
import { kindOf } from '@capstan/core/internal'
import type { ExpectedRequest } from './expectations.js'

/** A step of a script: one reply, or a function that receives the request and returns a reply. */
export type ScriptStep = ScriptAnswer | ((request: ModelRequest) => ScriptAnswer | Promise<ScriptAnswer>)

/** What a model replies in a step: text, tool calls, a failure, or a complete model reply. */
export type ScriptAnswer = ScriptText | ScriptCall | ScriptCalls | ScriptFailure | ModelReply

/** What a step expects of its request. */
export interface StepExpectation {
  /**
   * The text of the request's last message, or several fields of the request. If the request differs, it fails with a
   * diff. Default: any request is accepted.
   */
  readonly asked?: ExpectedRequest
}

/** Options for a scripted reply. */
export interface AnswerOptions extends StepExpectation {
  /** The token counts in the reply. Default: 10 input tokens, 5 output tokens, and their sum. */
  readonly tokens?: Partial<TokenUsage>
  /**
   * The finish reason. For a reply that was cut off, use `length`. Default: `stop`, or `tool_calls` if the reply has
   * calls.
   */
  readonly finishReason?: string
}

/** A step in which the model replies with text. */
export interface ScriptText extends AnswerOptions {
  readonly type: 'text'
  readonly text: string
}

/** A step in which the model calls a tool. */
export interface ScriptCall extends AnswerOptions {
  readonly type: 'call'
  readonly name: string
  /** The arguments. A string is sent unchanged, even if it is malformed. */
  readonly arguments: object | string
  /**
   * The call's id. Default: made from the numbers of the step and the call, such as `call_2_1` for the first call in
   * the second step.
   */
  readonly id?: string
}

/** A step in which the model makes several tool calls. */
export interface ScriptCalls extends AnswerOptions {
  readonly type: 'calls'
  readonly calls: readonly ScriptCall[]
}

/** Options for a scripted failure. */
export interface FailureOptions extends StepExpectation {
  /** The error's message. Default: a sentence that contains the code. */
  readonly message?: string
  /** Whether the error is retryable. Default: the value that `chatModel` sets for this code. */
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  /** Text to stream before the failure. Default: none. */
  readonly after?: string
  /** The error's HTTP status. Default: the usual status for the code, if it has one. */
  readonly status?: number
}

/** A step in which the request fails. */
export interface ScriptFailure extends FailureOptions {
  readonly type: 'fail'
  readonly code: ErrorCode
}

/** Creates the steps of a scripted model. */
export const reply = {
  /**
   * Returns a step in which the model replies with text.
   * @throws CapstanError `invalid_request` if the text is not a string
   */
  text(text: string, options: AnswerOptions = {}): ScriptText {
    checkString('text', text)
    return { ...options, type: 'text', text }
  },

  /**
   * Returns a step in which the model calls a tool. If the arguments are a string, the string is sent unchanged, even
   * if it is malformed.
   * @throws CapstanError `invalid_request` if the name is not a string
   */
  call(
    name: string,
    args: object | string = {},
    options: AnswerOptions & { readonly id?: string } = {},
  ): ScriptCall {
    checkString('call', name)
    return { ...options, type: 'call', name, arguments: args }
  },

  /**
   * Returns a step in which the model makes several tool calls. To add options, spread the returned object: `{
   * ...reply.calls(...), asked: 'What now?' }`.
   */
  calls(...calls: readonly ScriptCall[]): ScriptCalls {
    return { type: 'calls', calls }
  },

  /** Returns a step in which the request fails with this code, in the same way as `chatModel` requests do. */
  fail(code: ErrorCode, options: FailureOptions = {}): ScriptFailure {
    return { ...options, type: 'fail', code }
  },
} as const

function checkString(step: string, value: unknown): void {
  if (typeof value === 'string') return
  throw new CapstanError('invalid_request', `reply.${step}(...) takes a string, not ${kindOf(value)}.`)
}

/** Returns the error for a step that fails. */
export function scriptedError({ code, message, retryAfterMs, ...given }: ScriptFailure): CapstanError {
  const status = given.status ?? statusOfCode[code]
  return new CapstanError(code, message ?? `This step of the script fails with ${code}.`, {
    retryable: given.retryable ?? retryableCodes.includes(code),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** Codes of failures that a retry may fix, as in `chatModel`. */
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
  context_length_exceeded: 400,
  not_found: 404,
  unsupported: 501,
}

/** Converts a step to a model reply. `place` is the step's number, starting at 1, and is used in generated call ids. */
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

function toTokens(given: Partial<TokenUsage> = {}): TokenUsage {
  const { inputTokens = 10, outputTokens = 5, totalTokens = inputTokens + outputTokens } = given
  return { ...given, inputTokens, outputTokens, totalTokens }
}
