import type { AnyRunResult, RunEvent, RunState, Usage } from '@capstan/core'
import type { ChatReply } from '../chat/known-replies.js'
import { toToolCalls } from '../chat/response.js'
import type { HttpError } from '../http-error.js'
import type { Encoder } from '../sse.js'
import { type ReplyPiece, ReplyText } from '../text-parts.js'
import { toErrorEvent } from './error.js'

interface EventOptions {
  readonly id: string
  readonly model: string
  /** Whether the client asked for thinking. */
  readonly withThinking: boolean
  /** Called with the complete reply, before its end is sent. */
  onReply(reply: ChatReply, state: RunState): void
}

/** An event of a streamed message. */
export interface MessageEvent {
  readonly type: string
  readonly [field: string]: unknown
}

type Block = Readonly<Record<string, unknown>> & { readonly type: string }

/** Converts a run's events and result to the events of one streamed message. */
export class MessageEvents implements Encoder<MessageEvent> {
  readonly #options: EventOptions
  readonly #reply = new ReplyText()
  /** The complete blocks. */
  readonly #blocks: Block[] = []
  #open: { readonly kind: ReplyPiece['kind']; text: string } | undefined

  constructor(options: EventOptions) {
    this.#options = options
  }

  /** The text sent so far. */
  get text(): string {
    return this.#reply.text
  }

  first(): readonly MessageEvent[] {
    const usage = { input_tokens: 0, output_tokens: 0 }
    const stop = { stop_reason: null, stop_sequence: null, stop_details: null }
    return [{ type: 'message_start', message: { ...this.#head(), content: [], ...stop, usage } }]
  }

  event(event: RunEvent): readonly MessageEvent[] {
    return this.#reply.event(event).flatMap((piece) => this.#addPiece(piece))
  }

  end(result: AnyRunResult): readonly MessageEvent[] {
    const blocks = this.#ending(result, this.text)
    const delta = { ...toStop(result), container: null, ...artifactsOf(result) }
    return [
      ...blocks,
      { type: 'message_delta', delta, usage: toUsage(result.usage) },
      { type: 'message_stop' },
    ]
  }

  /** Returns the whole message of a run that was not streamed. */
  whole(result: AnyRunResult, text: string): object {
    if (result.reasoning) this.#addPiece({ kind: 'reasoning', text: result.reasoning })
    if (text !== '') this.#addPiece({ kind: 'text', text })
    this.#ending(result, text)
    const content = this.#blocks
    return {
      ...this.#head(),
      content,
      ...toStop(result),
      ...artifactsOf(result),
      usage: toUsage(result.usage),
    }
  }

  failed(error: HttpError): readonly MessageEvent[] {
    return [toErrorEvent(error)]
  }

  #head() {
    const { id, model } = this.#options
    return { id, type: 'message', role: 'assistant', model, container: null }
  }

  /** The protocol has no place for the text of a refusal: it is a text, and the stop reason names it. */
  #ending(result: AnyRunResult, text: string): readonly MessageEvent[] {
    const calls = toToolCalls(result.pending)
    const { refusal = null } = result
    const separated = text === '' ? refusal : `\n\n${refusal}`
    const events = [
      ...(refusal ? this.#addPiece({ kind: 'text', text: separated ?? '' }) : []),
      ...this.#close(),
    ]
    for (const { id, function: called } of calls) {
      const block = { type: 'tool_use', id, name: called.name, input: JSON.parse(called.arguments) }
      const index = this.#blocks.length
      this.#blocks.push(block)
      const delta = { type: 'input_json_delta', partial_json: called.arguments }
      events.push(
        { type: 'content_block_start', index, content_block: { ...block, input: {} } },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      )
    }
    this.#options.onReply({ content: text, refusal, tool_calls: calls }, result.state)
    return events
  }

  #addPiece({ kind, text }: ReplyPiece): readonly MessageEvent[] {
    if (kind === 'reasoning' && !this.#options.withThinking) return []
    const started = this.#open?.kind === kind ? [] : [...this.#close(), this.#start(kind)]
    if (this.#open) this.#open.text += text
    const delta = kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text }
    return [...started, { type: 'content_block_delta', index: this.#blocks.length, delta }]
  }

  #start(kind: ReplyPiece['kind']): MessageEvent {
    this.#open = { kind, text: '' }
    return { type: 'content_block_start', index: this.#blocks.length, content_block: toBlock(kind, '') }
  }

  #close(): readonly MessageEvent[] {
    if (!this.#open) return []
    const { kind, text } = this.#open
    this.#open = undefined
    this.#blocks.push(toBlock(kind, text))
    return [{ type: 'content_block_stop', index: this.#blocks.length - 1 }]
  }
}

// Thinking of an agent has no signature: this server does not take it back.
function toBlock(kind: ReplyPiece['kind'], text: string): Block {
  return kind === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text, signature: '' }
}

function artifactsOf({ artifacts }: AnyRunResult): object {
  return artifacts.length > 0 ? { artifacts } : {}
}

const reasons: Readonly<Record<string, string>> = {
  pending: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}

/** Stop reasons that only agents have become `end_turn`. */
function toStop({ stopReason, refusal }: AnyRunResult): object {
  const usual = refusal ? 'refusal' : 'end_turn'
  return { stop_reason: reasons[stopReason] ?? usual, stop_sequence: null, stop_details: null }
}

/** This protocol counts cached tokens apart from other input. */
function toUsage({ inputTokens, outputTokens, ...parts }: Usage): object {
  const { cachedInputTokens: cached = 0, cacheWriteTokens: written = 0, reasoningTokens } = parts
  return {
    input_tokens: Math.max(0, inputTokens - cached - written),
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens: outputTokens,
    ...(reasoningTokens === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
  }
}
