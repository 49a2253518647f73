import type { ErrorCode } from '../errors.js'
import type { TokenUsage } from '../usage.js'
import type { AssistantMessage, Message, ToolDefinition, WireToolChoice } from './message.js'

/** The seam to a model: one request in, deltas to a sink, one whole reply out. */
export interface ChatModel {
  readonly name: string
  /** Whether the server holds its answers to a `response_format` of the type `json_schema`. Default false. */
  readonly structuredOutput?: boolean
  /** Asks once. @throws CapstanError when there is no usable reply; nothing partial is ever returned as whole. */
  complete(request: ModelRequest, sink?: ModelSink): Promise<ModelReply>
}

export interface ModelRequest {
  /** Instructions first, then the conversation. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** Default `auto`; said only where there are tools. */
  readonly toolChoice?: WireToolChoice
  /** Further fields of the request body. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly stream: boolean
  readonly signal: AbortSignal
  readonly idempotencyKey: string
  /** Further headers of the HTTP request, in lower case, such as those of a trace; the model's own count more. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the model may ask again by itself; a host that repeats steps says no. Default true. */
  readonly retries?: boolean
}

/** A piece of a streamed reply, or word that it is asked for again and begins anew. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly name: string; readonly arguments: string }
  | RetryNotice

export interface RetryNotice {
  readonly type: 'retry'
  /** Counts from 1. */
  readonly attempt: number
  readonly delayMs: number
  /** What went wrong. */
  readonly code: ErrorCode
  readonly message: string
  /** The model that is asked instead, when it is another one. */
  readonly model?: string
}

/** Takes deltas of a streamed reply as they come. */
export type ModelSink = (delta: ModelDelta) => void

export interface ModelReply {
  /** As the server said it: names and arguments are checked later, unknown fields are kept. */
  readonly message: AssistantMessage
  /** Why the server ended: `length` and `content_filter` whatever its word for them is, others as it says them, in lower case. */
  readonly finishReason?: string
  readonly tokens?: TokenUsage
  /** Text whose end never came. */
  readonly incomplete?: boolean
  /** Paths of unknown fields that were left out of the message, because they were nested too deep or too long. */
  readonly omitted?: readonly string[]
  /** The name of the model that answered, where it may be another than the one that was asked. */
  readonly model?: string
}
