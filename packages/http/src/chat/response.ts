import type { AnyRunResult, PendingCall, RunEvent, RunState, ToolCall, Usage } from '@capstan/core'
import { textOf } from '@capstan/core/internal'
import { approvalTool } from '../client-tools.js'
import { type HttpError, toErrorBody } from '../http-error.js'
import type { Encoder } from '../sse.js'
import { ReplyText } from '../text-parts.js'
import type { ChatReply } from './known-replies.js'

/** The fields that every chunk of a response has. */
export interface ChunkHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

interface ChunkOptions {
  readonly withUsage: boolean
  /** Called with the complete reply, before its end is sent. */
  onReply(reply: ChatReply, state: RunState): void
}

/** Converts a run's events and result to the chunks of one streamed chat response. */
export class ChatChunks implements Encoder {
  readonly #head: ChunkHead
  readonly #options: ChunkOptions
  readonly #reply = new ReplyText()

  constructor(head: ChunkHead, options: ChunkOptions) {
    this.#head = head
    this.#options = options
  }

  /** The text sent so far. */
  get text(): string {
    return this.#reply.text
  }

  first(): readonly object[] {
    return [this.#chunk({ role: 'assistant', content: '' })]
  }

  event(event: RunEvent): readonly object[] {
    return this.#reply
      .event(event)
      .map(({ kind, text }) => this.#chunk(kind === 'text' ? { content: text } : { reasoning_content: text }))
  }

  end(result: AnyRunResult): readonly object[] {
    const calls = toToolCalls(result.pending)
    const { artifacts, refusal } = result
    const { withUsage, onReply } = this.#options
    onReply({ content: this.text, refusal: refusal ?? null, tool_calls: calls }, result.state)
    const indexed = calls.map((call, index) => ({ index, ...call }))
    return [
      ...(calls.length > 0 ? [this.#chunk({ tool_calls: indexed })] : []),
      ...(refusal ? [this.#chunk({ refusal })] : []),
      ...(artifacts.length > 0 ? [this.#chunk({ artifacts })] : []),
      this.#chunk({}, finishOf(result)),
      ...(withUsage ? [{ ...this.#head, object, choices: [], usage: toUsage(result.usage) }] : []),
    ]
  }

  failed({ status, code, message }: HttpError): readonly object[] {
    return [{ error: toErrorBody(status, code, message) }]
  }

  #chunk(delta: object, finish: string | null = null): object {
    return { ...this.#head, object, choices: [{ index: 0, delta, finish_reason: finish }] }
  }
}

const object = 'chat.completion.chunk'

/** Returns the pending calls as tool calls for the client: calls of its own tools, and approval requests. */
export function toToolCalls(pending: readonly PendingCall[] = []): readonly ToolCall[] {
  return pending.map(({ callId, name, arguments: args, kind, reason }) => {
    const called =
      kind === 'result' ? { name, args } : { name: approvalTool, args: { name, arguments: args, reason } }
    return {
      id: callId,
      type: 'function',
      function: { name: called.name, arguments: JSON.stringify(called.args) },
    }
  })
}

/** Returns the finish reason. Stop reasons that only agents have become `stop`. */
function finishOf({ stopReason }: AnyRunResult): string {
  if (stopReason === 'pending') return 'tool_calls'
  return stopReason === 'length' || stopReason === 'content_filter' ? stopReason : 'stop'
}

function toUsage({ inputTokens, outputTokens, totalTokens, ...parts }: Usage) {
  const { cachedInputTokens: cached_tokens, cacheWriteTokens: cache_write_tokens } = parts
  const { reasoningTokens: reasoning_tokens } = parts
  const hasCache = cached_tokens !== undefined || cache_write_tokens !== undefined
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    ...(hasCache ? { prompt_tokens_details: { cached_tokens: cached_tokens ?? 0, cache_write_tokens } } : {}),
    ...(reasoning_tokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens } }),
  }
}

/** Converts a run to one chat response. `before` is the number of messages at its start. */
export function toCompletion(head: ChunkHead, result: AnyRunResult, before: number) {
  const { artifacts, refusal, usage, state, pending } = result
  const calls = toToolCalls(pending)
  const content = replyText(state, before)
  const message = {
    role: 'assistant' as const,
    content: content === '' && calls.length > 0 ? null : content,
    ...(refusal ? { refusal } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(artifacts.length > 0 ? { artifacts } : {}),
  }
  const choice = { index: 0, message, finish_reason: finishOf(result) }
  return { ...head, object: 'chat.completion', choices: [choice] as const, usage: toUsage(usage) }
}

/** Joins the text of all replies of the run, as a stream sends it. */
export function replyText({ messages }: RunState, before: number): string {
  const texts = messages
    .slice(before)
    .flatMap((message) => (message.role === 'assistant' ? [textOf(message.content)] : []))
  return texts.filter((text) => text !== '').join('\n\n')
}
