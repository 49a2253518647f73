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

/** One reply of a scripted model, or a function of the request that returns one. */
export type ScriptStep = ScriptAnswer | ((request: ModelRequest) => ScriptAnswer | Promise<ScriptAnswer>)

/** Text, tool calls, a failure, or a complete model reply. */
export type ScriptAnswer = ScriptText | ScriptCall | ScriptCalls | ScriptFailure | ModelReply

/** The request that a step expects. */
export interface StepExpectation {
  /**
   * The text of the last message, or several fields of the request. If the request differs, it fails with a diff.
   * Default: any request is accepted.
   */
  readonly asked?: ExpectedRequest
}

/** Options of a scripted reply. */
export interface AnswerOptions extends StepExpectation {
  /** Token counts that the model reports. Default: 10 in, 5 out, and their sum. */
  readonly tokens?: Partial<TokenUsage>
  /** The finish reason: `length` for a reply that was cut off. Default: `stop`, or `tool_calls` for calls. */
  readonly finishReason?: string
}

/** A reply in text. */
export interface ScriptText extends AnswerOptions {
  readonly type: 'text'
  readonly text: string
}

/** A tool call. */
export interface ScriptCall extends AnswerOptions {
  readonly type: 'call'
  readonly name: string
  /** The arguments. A string is sent unchanged, even if it is malformed. */
  readonly arguments: object | string
  /**
   * The call's id. Default: made from the positions of step and call, such as `call_2_1` for the first call of the
   * second step.
   */
  readonly id?: string
}

/** Several tool calls in one reply. */
export interface ScriptCalls extends AnswerOptions {
  readonly type: 'calls'
  readonly calls: readonly ScriptCall[]
}

/** Options of a scripted failure. */
export interface FailureOptions extends StepExpectation {
  /** The error message. Default: a sentence that contains the code. */
  readonly message?: string
  /** Whether the error is retryable. Default: as `chatModel` sets it for this code. */
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  /** Text that is streamed before the failure. Default: none. */
  readonly after?: string
  /** The HTTP status. Default: the usual status for the code, if there is one. */
  readonly status?: number
}

/** A request that fails. */
export interface ScriptFailure extends FailureOptions {
  readonly type: 'fail'
  readonly code: ErrorCode
}

/** Creates the replies of a scripted model. Each is one step. */
export const reply = {
  /**
   * Returns a step in which the model replies with text. @throws CapstanError `invalid_request` for a value that is not
   * a string
   */
  text(text: string, options: AnswerOptions = {}): ScriptText {
    checkString('text', text)
    return { ...options, type: 'text', text }
  },

  /**
   * Returns a step in which the model calls a tool. Arguments given as a string are sent unchanged, malformed or not.
   * @throws CapstanError `invalid_request` for a name that is not a string
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
   * Returns a step with several tool calls in one reply. Add options by spreading: `{ ...reply.calls(...), asked: 'What
   * now?' }`.
   */
  calls(...calls: readonly ScriptCall[]): ScriptCalls {
    return { type: 'calls', calls }
  },

  /** Returns a step in which the request fails with this code, as with `chatModel`. */
  fail(code: ErrorCode, options: FailureOptions = {}): ScriptFailure {
    return { ...options, type: 'fail', code }
  },
} as const

function checkString(step: string, value: unknown): void {
  if (typeof value === 'string') return
  throw new CapstanError('invalid_request', `reply.${step}(...) takes a string, not ${kindOf(value)}.`)
}

/** Returns the error of a failing step. */
export function scriptedError({ code, message, retryAfterMs, ...given }: ScriptFailure): CapstanError {
  const status = given.status ?? statusOfCode[code]
  return new CapstanError(code, message ?? `The scripted model fails with ${code}.`, {
    retryable: given.retryable ?? retryableCodes.includes(code),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** Codes of server failures that a retry may fix. */
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

/** Converts a step to a model reply. `place` counts steps from 1 and is part of generated call ids. */
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
