// Replies from AI SDK language models, specification versions 2 to 4.

import { toBase64 } from '../bytes.js'
import { CapstanError } from '../errors.js'
import { getOwn, isRecord, type Json, listOf } from '../json.js'
import type { AssistantMessage, ContentPart, ToolCall } from '../types/message.js'
import type { HostedCall, ModelReply, ModelSink, Source } from '../types/model.js'
import type { TokenUsage } from '../usage.js'
import type { KeptPart } from './ai-sdk-prompt.js'
import { boundUnknownFields, maxItems, type RawJson, toText } from './reply-fields.js'
import { missingCalls, tooManyItems, windowExceeded } from './response-errors.js'

/** Collects the parts of a reply, streamed or not, into one message. */
export class AiSdkBuilder {
  readonly #server: string
  readonly #sink: ModelSink | undefined
  readonly #blocks: Block[] = []
  readonly #open = new Map<string, TextBlock>()
  /** Calls that have started, by id. Only a complete call counts. */
  readonly #inputs = new Map<string, StreamedInput>()
  readonly #calls: ToolCall[] = []
  readonly #callKeys = new Set<string>()
  readonly #files: ContentPart[] = []
  readonly #hosted: HostedCall[] = []
  readonly #sources: (Source | Citation)[] = []
  #response: { id?: string; model?: string } = {}
  #end: (Readonly<Record<'raw' | 'usage' | 'metadata', unknown>> & { readonly reason: string }) | undefined

  constructor(server: string, sink?: ModelSink) {
    this.#server = server
    this.#sink = sink
  }

  /** Whether text, reasoning or a call of the reply has arrived. */
  get hasBegun(): boolean {
    return this.#blocks.length > 0 || this.#inputs.size > 0
  }

  /** Adds one part of a stream or a full reply. Skips unknown types. @throws the error in an `error` part */
  add(part: RawJson): void {
    const { type, id, delta, error } = part
    if (type === 'error') throw error
    if (type === 'text-start' || type === 'reasoning-start') this.#start(part)
    else if (type === 'text-delta' || type === 'reasoning-delta') this.#write(part)
    else if (type === 'text-end' || type === 'reasoning-end') this.#endText(part)
    else if (type === 'tool-input-start') this.#startInput(part)
    else if (type === 'tool-input-delta') this.#writeInput(toText(id), toText(delta))
    else if (type === 'response-metadata') this.addResponse(part)
    else if (type === 'finish') this.finish(part)
    else this.#addContent(part)
  }

  /** Adds the id and the model name from the provider's response. */
  addResponse({ id, modelId }: RawJson): void {
    const [name, model] = [toText(id), toText(modelId)]
    this.#response = {
      ...this.#response,
      ...(name === '' ? {} : { id: name }),
      ...(model === '' ? {} : { model }),
    }
  }

  /** Adds the reply's `finish` part: the finish reason, the usage and the provider's metadata. */
  finish({ finishReason, usage, providerMetadata: metadata }: RawJson): void {
    const { unified = finishReason, raw } = Object(finishReason) as RawJson
    this.#end = { reason: toText(unified), raw, usage, metadata }
  }

  /**
   * Returns the full reply.
   * @throws CapstanError if the `finish` part is missing or reports a failure, or announces calls that did not arrive
   */
  toReply(): ModelReply {
    if (!this.#end) throw truncated(this.#calls.length + this.#inputs.size)
    const { reason, raw, usage, metadata } = this.#end
    if (reason === 'error') throw failed()
    const tokens = toTokens(usage)
    if (raw === 'model_context_window_exceeded') throw windowExceeded(tokens?.inputTokens)
    if (reason === 'tool-calls' && this.#calls.length + this.#hosted.length === 0) throw missingCalls(reason)
    const { message, omitted } = boundUnknownFields(this.#toMessage())
    const finishReason = getOwn(finishReasons, reason) ?? reason
    return {
      message,
      ...(finishReason === '' ? {} : { finishReason }),
      ...(tokens ? { tokens } : {}),
      ...(isRecord(metadata) ? { extra: { providerMetadata: metadata as Json } } : {}),
      ...(omitted.length > 0 ? { omitted } : {}),
      ...(this.#hosted.length > 0 ? { hostedCalls: this.#hosted } : {}),
      ...(this.#sources.length > 0 ? { sources: this.#toSources() } : {}),
      response: this.#response,
    }
  }

  #addBlock(block: Block): void {
    if (this.#blocks.push(block) > maxItems) throw tooManyItems('parts')
  }

  #start({ type, id, providerMetadata }: RawJson): void {
    const kind = type === 'text-start' ? 'text' : 'reasoning'
    const block: TextBlock = { kind, text: '', metadata: providerMetadata }
    this.#open.set(`${kind} ${id}`, block)
    this.#addBlock(block)
  }

  #write(part: RawJson): void {
    const kind = part.type === 'text-delta' ? 'text' : 'reasoning'
    const key = `${kind} ${part.id}`
    if (!this.#open.has(key)) this.#start({ ...part, type: `${kind}-start` })
    const block = this.#open.get(key)
    const text = toText(part.delta)
    if (!block) return
    block.text += text
    block.metadata = part.providerMetadata ?? block.metadata
    if (text !== '') this.#sink?.({ type: kind, text })
  }

  #endText({ type, id, providerMetadata, citations }: RawJson): void {
    const kind = type === 'text-end' ? 'text' : 'reasoning'
    const block = this.#open.get(`${kind} ${id}`)
    if (!block) return
    block.metadata = providerMetadata ?? block.metadata
    this.#addCitations(citations, block)
  }

  #startInput({ id, toolName, providerExecuted }: RawJson): void {
    if (providerExecuted) return
    this.#inputs.set(toText(id), { index: this.#inputs.size, name: toText(toolName) })
    if (this.#inputs.size > maxItems) throw tooManyItems('tool calls')
  }

  #writeInput(id: string, text: string): void {
    const input = this.#inputs.get(id)
    if (input) this.#sink?.({ type: 'call', id, ...input, arguments: text })
  }

  #addContent(part: RawJson): void {
    const { type, text, providerMetadata: metadata, providerExecuted } = part
    if (type === 'text' || type === 'reasoning') {
      const block: TextBlock = { kind: type, text: toText(text), metadata }
      this.#addBlock(block)
      this.#addCitations(part.citations, block)
      if (block.text !== '') this.#sink?.({ type, text: block.text })
    } else if (type === 'tool-call' && !providerExecuted) this.#addCall(part)
    else if (type === 'tool-call' || type === 'tool-result') this.#addHosted(part)
    else if (type === 'file') this.#addFile(part)
    else if (type === 'source') this.#sources.push(toSource(part))
  }

  #addCall({ toolCallId, toolName, input, providerMetadata: metadata }: RawJson): void {
    const id = toText(toolCallId)
    const call = { name: toText(toolName), arguments: toText(input) }
    const key = JSON.stringify([id, call])
    // A call with the id, tool and arguments of an earlier call is a repetition.
    if (id !== '' && this.#callKeys.has(key)) return
    this.#callKeys.add(key)
    const index = this.#calls.length
    if (id === '' || !this.#inputs.has(id)) {
      this.#startInput({ id, toolName })
      this.#sink?.({ type: 'call', index: this.#inputs.size - 1, id, ...call })
    }
    this.#calls.push({ id, type: 'function', function: call })
    this.#addBlock({ kind: 'call', index, metadata })
  }

  /** Adds a call that the provider ran itself, or the call's result, in the form that the provider accepts back. */
  #addHosted({ providerMetadata, preliminary, ...part }: RawJson): void {
    if (preliminary) return
    const { type, toolCallId, toolName, result, input, isError } = part
    const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata }
    const ref = { type, toolCallId, toolName }
    const sent =
      type === 'tool-call'
        ? { ...ref, input, providerExecuted: true, ...options }
        : { ...ref, output: { type: isError ? 'error-json' : 'json', value: result }, ...options }
    this.#addBlock({ kind: 'hosted', part: sent })
    this.#hosted.push({
      type: toText(toolName),
      id: toText(toolCallId),
      status: type === 'tool-call' ? 'called' : isError ? 'failed' : 'completed',
      details: part as Json,
    })
  }

  #addFile({ mediaType, data }: RawJson): void {
    const given = data instanceof Uint8Array || !isRecord(data) ? data : (data.data ?? data.url)
    const bytes = given instanceof Uint8Array ? toBase64(given) : String(given ?? '')
    const type = toText(mediaType) || 'application/octet-stream'
    const url = /^https?:/.test(bytes) ? bytes : `data:${type};base64,${bytes}`
    const file = type.startsWith('image/')
      ? { type: 'image_url', image_url: { url } }
      : { type: 'file', file: { file_data: url } }
    if (this.#files.push(file) > maxItems) throw tooManyItems('files')
  }

  #addCitations(citations: unknown, block: TextBlock): void {
    for (const citation of listOf(citations)) if (isRecord(citation)) this.#sources.push({ citation, block })
  }

  /** Returns the sources. Called at the end, because the ranges of citations refer to the text of the full reply. */
  #toSources(): readonly Source[] {
    const starts = new Map<TextBlock, number>()
    let end = 0
    for (const block of this.#blocks) {
      if (block.kind !== 'text') continue
      starts.set(block, end)
      end += block.text.length
    }
    return this.#sources.map((source) =>
      'block' in source ? toCitation(source.citation, starts.get(source.block) ?? 0) : source,
    )
  }

  #toMessage(): AssistantMessage {
    const textOfKind = (kind: 'text' | 'reasoning') =>
      this.#blocks.map((block) => (block.kind === kind ? block.text : '')).join('')
    const [text, reasoning] = [textOfKind('text'), textOfKind('reasoning')]
    const parts: readonly ContentPart[] = [...(text === '' ? [] : [{ type: 'text', text }]), ...this.#files]
    const isKept = this.#blocks.some(
      (block) => block.kind === 'hosted' || block.kind === 'reasoning' || block.metadata !== undefined,
    )
    return {
      role: 'assistant',
      content: this.#files.length > 0 ? parts : text || (this.#calls.length > 0 ? null : ''),
      ...(this.#calls.length > 0 ? { tool_calls: this.#calls } : {}),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(isKept ? { provider_parts: this.#blocks.map(toKept), server: this.#server } : {}),
    }
  }
}

interface TextBlock {
  readonly kind: 'text' | 'reasoning'
  text: string
  metadata: unknown
}

type Block =
  | TextBlock
  | { readonly kind: 'call'; readonly index: number; readonly metadata: unknown }
  | {
      readonly kind: 'hosted'
      readonly part: Readonly<Record<string, unknown>>
      readonly metadata?: undefined
    }

/** A citation, and the text block that it belongs to. */
interface Citation {
  readonly citation: RawJson
  readonly block: TextBlock
}

interface StreamedInput {
  readonly index: number
  readonly name: string
}

function toKept(block: Block): KeptPart {
  const options = block.metadata === undefined ? {} : { providerOptions: block.metadata }
  if (block.kind === 'hosted') return { type: 'hosted', part: block.part }
  if (block.kind === 'call') return { type: 'call', index: block.index, ...options }
  return { type: block.kind, length: block.text.length, ...options }
}

function toSource({ url, title, filename }: RawJson): Source {
  const name = toText(title) || toText(filename)
  return { ...(toText(url) === '' ? {} : { url: toText(url) }), ...(name === '' ? {} : { title: name }) }
}

function toCitation(
  { source, startIndex: start, endIndex: end, citedText }: RawJson,
  offset: number,
): Source {
  const isRange = typeof start === 'number' && typeof end === 'number'
  return {
    ...toSource(Object(source) as RawJson),
    ...(toText(citedText) === '' ? {} : { text: toText(citedText) }),
    ...(isRange ? { start: offset + start, end: offset + end } : {}),
  }
}

const finishReasons: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
}

/**
 * Reads token counts. In version 2, each count is a number. In later versions, each count is an object with a total and
 * its parts. Undefined if there are no counts.
 */
function toTokens(usage: unknown): TokenUsage | undefined {
  const { inputTokens, outputTokens, totalTokens, ...flat } = Object(usage) as RawJson
  const [input, output] = [toCounts(inputTokens), toCounts(outputTokens)]
  if (input.total === undefined && output.total === undefined) return undefined
  const [inputCount, outputCount] = [input.total ?? 0, output.total ?? 0]
  const cached = input.cacheRead ?? toCount(flat.cachedInputTokens)
  const written = input.cacheWrite
  const reasoning = output.reasoning ?? toCount(flat.reasoningTokens)
  return {
    inputTokens: inputCount,
    outputTokens: outputCount,
    totalTokens: toCount(totalTokens) ?? inputCount + outputCount,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  }
}

function toCounts(value: unknown): Readonly<Record<string, number | undefined>> {
  if (!isRecord(value)) return { total: toCount(value) }
  return Object.fromEntries(Object.entries(value).map(([name, count]) => [name, toCount(count)]))
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function truncated(calls: number): CapstanError {
  const found = calls > 0 ? ` (calls so far: ${calls})` : ''
  const message = `The AI SDK model's reply was cut off${found}: its finish part is missing. No tool ran.`
  return new CapstanError('truncated', message, { retryable: true, evidence: { calls } })
}

function failed(): CapstanError {
  const message = 'The AI SDK model ended its reply with finishReason "error". No tool ran.'
  return new CapstanError('api', message, { retryable: true })
}
