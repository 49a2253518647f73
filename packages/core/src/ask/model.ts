import type { AssistantMessage, Message, ToolDefinition, WireToolChoice } from '../words/message.js'
import type { TokenUsage } from '../words/usage.js'

/** The seam to a model: one request in, deltas to a sink, one whole reply out. */
export interface ChatModel {
  readonly name: string
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
}

export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly name: string; readonly arguments: string }

/** Takes deltas of a streamed reply as they come. */
export type ModelSink = (delta: ModelDelta) => void

export interface ModelReply {
  /** As the server said it: names and arguments are checked later, unknown fields are kept. */
  readonly message: AssistantMessage
  readonly finishReason?: string
  readonly tokens?: TokenUsage
  /** Text whose end never came. */
  readonly incomplete?: boolean
}
