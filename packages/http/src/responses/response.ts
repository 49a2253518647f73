import type { AnyRunResult, RunEvent, RunState, ToolCall, Usage } from '@capstan/core'
import type { ChatReply } from '../chat/known-replies.js'
import { toToolCalls } from '../chat/response.js'
import { type HttpError, toErrorBody } from '../http-error.js'
import type { Encoder } from '../sse.js'
import { type ReplyPiece, ReplyText } from '../text-parts.js'

/** The fields of a response that are the same from its start to its end. */
export interface ResponseHead {
  readonly id: string
  readonly created_at: number
  readonly model: string
  /** The request's own settings, which a response repeats. */
  readonly settings: Readonly<Record<string, unknown>>
}

interface EventOptions {
  /** Called with the complete reply, before its end is sent. */
  onReply(reply: ChatReply, state: RunState, items: readonly OutputItem[]): void
}

/** An event of a streamed response. */
export interface ResponseEvent {
  readonly type: string
  readonly [field: string]: unknown
}

interface OutputItem {
  readonly id: string
  readonly type: string
}

interface OpenItem {
  readonly id: string
  readonly kind: ReplyPiece['kind']
  text: string
}

/** Converts a run's events and result to the events of one streamed response. */
export class ResponseEvents implements Encoder<ResponseEvent> {
  readonly #head: ResponseHead
  readonly #options: EventOptions
  readonly #reply = new ReplyText()
  readonly #items: OutputItem[] = []
  #open: OpenItem | undefined
  #count = 0

  constructor(head: ResponseHead, options: EventOptions) {
    this.#head = head
    this.#options = options
  }

  /** The text sent so far. */
  get text(): string {
    return this.#reply.text
  }

  first(): readonly ResponseEvent[] {
    const response = toResponse(this.#head, { status: 'in_progress', output: [] })
    return this.#numbered([
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ])
  }

  event(event: RunEvent): readonly ResponseEvent[] {
    return this.#numbered(this.#reply.event(event).flatMap((piece) => this.#addPiece(piece)))
  }

  end(result: AnyRunResult): readonly ResponseEvent[] {
    return this.#numbered(this.#ending(result, this.text))
  }

  /** Returns the whole response of a run that was not streamed. */
  whole(result: AnyRunResult, text: string): unknown {
    if (result.reasoning) this.#addPiece({ kind: 'reasoning', text: result.reasoning })
    if (text !== '') this.#addPiece({ kind: 'text', text })
    return this.#ending(result, text).at(-1)?.response
  }

  failed({ status, code, message }: HttpError): readonly ResponseEvent[] {
    const error = toErrorBody(status, code, message)
    // Clients read the fields from the object, or from the event itself.
    const { type: _, ...fields } = error
    return this.#numbered([{ type: 'error', ...fields, error }])
  }

  #ending(result: AnyRunResult, text: string): readonly ResponseEvent[] {
    const calls = toToolCalls(result.pending)
    const refusal = result.refusal ?? null
    const events: ResponseEvent[] = [
      ...this.#close(),
      ...(refusal ? this.#addRefusal(refusal) : []),
      ...calls.flatMap((call) => this.#addCall(call)),
    ]
    this.#options.onReply({ content: text, refusal, tool_calls: calls }, result.state, this.#items)
    const status = incompleteReason(result) ? 'incomplete' : 'completed'
    const response = toResponse(this.#head, { status, output: this.#items, result })
    return [...events, { type: `response.${status}`, response }]
  }

  #addPiece({ kind, text }: ReplyPiece): readonly ResponseEvent[] {
    const started = this.#open?.kind === kind ? [] : [...this.#close(), ...this.#start(kind)]
    const open = this.#open
    if (!open) return started
    open.text += text
    const name = kind === 'text' ? 'output_text' : 'reasoning_text'
    return [...started, { ...this.#place(open.id, name), delta: text, type: `response.${name}.delta` }]
  }

  #start(kind: ReplyPiece['kind']): readonly ResponseEvent[] {
    const isText = kind === 'text'
    this.#open = { id: newId(isText ? 'msg' : 'rs'), kind, text: '' }
    const { id } = this.#open
    const whole = isText ? toMessageItem(id, '') : toReasoningItem(id, '')
    const item = { ...whole, status: 'in_progress', content: [] }
    const part = whole.content[0]
    return [
      { type: 'response.output_item.added', output_index: this.#items.length, item },
      { ...this.#place(id), type: 'response.content_part.added', part },
    ]
  }

  /** Ends the open text. */
  #close(): readonly ResponseEvent[] {
    const open = this.#open
    if (!open) return []
    const { id, kind, text } = open
    this.#open = undefined
    const name = kind === 'text' ? 'output_text' : 'reasoning_text'
    const item = kind === 'text' ? toMessageItem(id, text) : toReasoningItem(id, text)
    const place = this.#place(id)
    const output_index = this.#items.length
    this.#items.push(item)
    return [
      { ...this.#place(id, name, output_index), text, type: `response.${name}.done` },
      { ...place, output_index, type: 'response.content_part.done', part: item.content[0] },
      { type: 'response.output_item.done', output_index, item },
    ]
  }

  #addRefusal(refusal: string): readonly ResponseEvent[] {
    const part = { type: 'refusal', refusal }
    const item = { ...toMessageItem(newId('msg'), ''), content: [part] }
    const at = this.#place(item.id)
    return this.#addItem(item, { content: [] }, [
      { type: 'response.content_part.added', ...at, part: { ...part, refusal: '' } },
      { type: 'response.refusal.delta', ...at, delta: refusal },
      { type: 'response.refusal.done', ...at, refusal },
      { type: 'response.content_part.done', ...at, part },
    ])
  }

  #addCall(call: ToolCall): readonly ResponseEvent[] {
    const item = toCallItem(call)
    const at = { item_id: item.id, output_index: this.#items.length }
    const { arguments: args } = item
    return this.#addItem(item, { arguments: '' }, [
      { type: 'response.function_call_arguments.delta', ...at, delta: args },
      { type: 'response.function_call_arguments.done', ...at, arguments: args },
    ])
  }

  /** Adds an item that is sent at once. `empty` are the fields that it begins with. */
  #addItem(item: OutputItem, empty: object, events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    const output_index = this.#items.length
    this.#items.push(item)
    const begun = { ...item, status: 'in_progress', ...empty }
    return [
      { type: 'response.output_item.added', output_index, item: begun },
      ...events,
      { type: 'response.output_item.done', output_index, item },
    ]
  }

  #place(item_id: string, name = '', output_index = this.#items.length) {
    const more = name === 'output_text' ? { logprobs: [] } : {}
    return { item_id, output_index, content_index: 0, ...more }
  }

  #numbered(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    return events.map((event) => ({ ...event, sequence_number: this.#count++ }))
  }
}

function newId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll('-', '')}`
}

function toMessageItem(id: string, text: string) {
  const content = [{ type: 'output_text', annotations: [], logprobs: [], text }]
  return { id, type: 'message', status: 'completed', role: 'assistant', content }
}

function toReasoningItem(id: string, text: string) {
  return { id, type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] }
}

function toCallItem({ id, function: called }: ToolCall) {
  const { name, arguments: args } = called
  return { id: newId('fc'), type: 'function_call', status: 'completed', call_id: id, name, arguments: args }
}

/** Stop reasons that only agents have are complete. */
function incompleteReason({ stopReason }: AnyRunResult): string | undefined {
  if (stopReason === 'length') return 'max_output_tokens'
  return stopReason === 'content_filter' ? 'content_filter' : undefined
}

interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete'
  readonly output: readonly OutputItem[]
  readonly result?: AnyRunResult
}

function toResponse({ settings, ...head }: ResponseHead, { status, output, result }: ResponseState) {
  const reason = result && incompleteReason(result)
  const artifacts = result?.artifacts ?? []
  return {
    ...head,
    object: 'response',
    status,
    completed_at: status === 'completed' ? Math.floor(Date.now() / 1000) : null,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    output,
    ...settings,
    usage: result ? toUsage(result.usage) : null,
    ...(artifacts.length > 0 ? { artifacts } : {}),
  }
}

function toUsage({ inputTokens, outputTokens, totalTokens, ...parts }: Usage) {
  const { cachedInputTokens: cached_tokens = 0, cacheWriteTokens: cache_write_tokens } = parts
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens,
      ...(cache_write_tokens === undefined ? {} : { cache_write_tokens }),
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: parts.reasoningTokens ?? 0 },
    total_tokens: totalTokens,
  }
}
