import { CapstanError } from '../../errors.js'
import { toFinishReason, writeJson } from '../../features/reply-forms/lenient-json.js'
import { getOwn, isRecord, listOf, sameValue, setOwn, tryJson } from '../../json.js'
import type { ModelReply, ModelSink } from '../../types/model.js'
import { note } from '../../types/model.js'
import type { TokenUsage } from '../../usage.js'
import type { BuilderOptions, ReplyBuilder } from '../protocol.js'
import {
  boundUnknownFields,
  isEmptyValue,
  isFilled,
  maxItems,
  type RawJson,
  toResponse,
  toText,
  toTokens,
} from '../reply-fields.js'
import { missingCalls, tooManyItems, truncatedReply, windowExceeded } from '../response-errors.js'
import { type Block, thoughtBreak, toReplyMessage } from './blocks.js'

/** Builds one reply from a message, or from the events of a stream. */
export class MessagesBuilder implements ReplyBuilder {
  readonly isNamed = true
  readonly #sink: ModelSink | undefined
  readonly #blocks: OpenBlock[] = []
  /** The newest block for each index: some servers use the same index for all blocks. */
  readonly #byIndex = new Map<unknown, OpenBlock>()
  /** The first block for each type and id. */
  readonly #byId = new Map<string, OpenBlock>()
  /** Blocks that came with the message and have not been repeated yet. */
  #given: Set<OpenBlock> = new Set()
  /** The fields of the message, without its content. */
  readonly #fields: Record<string, unknown> = {}
  readonly #usage: Record<string, unknown> = {}
  #hasReply = false
  /** The last block whose thinking was emitted. */
  #thinking: OpenBlock | undefined
  #callCount = 0
  /** Whether `message_stop` or a full message has arrived. Calls do not run before that. */
  isFinished = false

  constructor({ sink }: Pick<BuilderOptions, 'sink'>) {
    this.#sink = sink
  }

  addPlain(event: RawJson): boolean {
    const { type } = event
    // Events after the end are not part of the reply.
    if (this.isFinished) return true
    if (type === 'content_block_delta') this.#addDelta(event)
    else if (type === 'content_block_start') this.#startBlock(event)
    else if (type === 'message_start') this.#addMessage(event.message)
    else if (type === 'message_delta') this.#addEnd(event)
    else if (type === 'message_stop') this.isFinished ||= this.#hasReply
    else if (type === 'content_block_stop') this.#tellHeld(this.#byIndex.get(event.index))
    else if (!isPassedOver(event)) return false
    else note('event-passed-over', event)
    return true
  }

  /**
   * Adds an event in any other form: a full message, or an event to skip.
   * @throws CapstanError `invalid_response` for a chat completion
   */
  add(event: RawJson): void {
    if (event.choices !== undefined) throw otherInterface(event)
    if (event.content === undefined) note('event-passed-over', event)
    else {
      note('body-for-stream')
      this.addBody(event, writeJson(event))
    }
  }

  addBody(body: RawJson, text: string): void {
    if (body.choices !== undefined) throw otherInterface(body)
    if (!Array.isArray(body.content) && typeof body.content !== 'string') throw withoutContent(body, text)
    this.#addMessage(body)
    this.isFinished = true
  }

  /**
   * Returns the complete reply.
   * @throws CapstanError `truncated` if calls may be cut off, `context_length_exceeded` if the context window ended the
   * reply, `invalid_response` if there is no reply
   */
  finish(ended: boolean): ModelReply {
    for (const block of this.#blocks) this.#tellHeld(block)
    const { stop_reason: raw, stop_sequence: _, ...fields } = this.#fields
    const tokens = toUsage(this.#usage)
    if (raw === 'model_context_window_exceeded') throw windowExceeded(tokens?.inputTokens)
    const finishReason = toReason(raw)
    const { message: built, ...found } = toReplyMessage(this.#blocks.map((block) => block.toBlock()))
    const isOver = this.isFinished || (ended && finishReason !== '')
    if (!this.#hasReply || (!isOver && this.#blocks.length === 0)) throw noMessage()
    const { tool_calls: calls = [] } = built
    if (calls.length > 0 && !isOver) throw truncatedReply(calls)
    if (raw === 'tool_use' && calls.length === 0) throw missingCalls('tool_use')
    const message = raw === 'refusal' ? toRefusal(built, fields.stop_details) : built
    const bounded = 'message_blocks' in message ? boundUnknownFields(message) : { message, omitted: [] }
    const beside = toResponse(fields)
    const omitted = [...bounded.omitted, ...(beside.omitted ?? [])]
    return {
      message: bounded.message,
      ...found,
      ...beside,
      ...(omitted.length > 0 ? { omitted } : {}),
      ...(finishReason === '' ? {} : { finishReason }),
      ...(tokens ? { tokens } : {}),
      ...(isOver ? {} : { incomplete: true }),
    }
  }

  #addMessage(message: unknown): void {
    if (!isRecord(message)) throw unreadable('message', message)
    const { content, usage, type: _, role: __, ...fields } = message
    const { id } = this.#fields
    // Some gateways repeat the first event.
    if (this.#hasReply && isFilled(fields.id) && toText(fields.id) !== id)
      throw unreadable('message_start', message)
    if (this.#hasReply) note('event-passed-over', message)
    this.#hasReply = true
    for (const [name, value] of Object.entries(fields)) setOwn(this.#fields, name, value)
    this.#addUsage(usage)
    const isText = typeof content === 'string'
    if (isText) note('object-for-list', content)
    const blocks = isText ? [{ type: 'text', text: content }] : listOf(content)
    if (this.#blocks.length > 0) return
    for (const [index, block] of blocks.entries()) this.#startBlock({ index, content_block: block })
    this.#given = new Set(this.#blocks)
  }

  /** Adds the stop reason and the usage. */
  #addEnd({ delta, usage, type: _, ...beside }: RawJson): void {
    this.#hasReply = true
    for (const [name, value] of [...Object.entries(beside), ...Object.entries(Object(delta))])
      if (!isEmptyValue(value)) setOwn(this.#fields, name, value)
    this.#addUsage(usage)
  }

  /**
   * Adds token counts, which apply to the full message. A later count replaces an earlier one, unless it is 0: some
   * servers send 0 for counts that they omit.
   */
  #addUsage(usage: unknown): void {
    const { iterations } = Object(usage) as RawJson
    for (const [name, value] of Object.entries(isRecord(usage) ? usage : {}))
      if (!isEmptyValue(value) && (value !== 0 || !isEmptyValue(iterations) || !getOwn(this.#usage, name)))
        setOwn(this.#usage, name, value)
  }

  #startBlock({ index, content_block: raw }: RawJson): void {
    if (!isRecord(raw)) throw unreadable('content_block', raw)
    this.#hasReply = true
    const known = this.#byIndex.get(index)
    // A server may send a block with the message, and then send it again as an event.
    const given = known && this.#given.delete(known) && known.fields.type === raw.type ? known : undefined
    this.#byIndex.set(index, this.#findSame(raw, known) ?? given ?? this.#open(raw))
  }

  /**
   * Finds the block that this one repeats: a block with the same type and id, and either the same index or the same
   * content.
   */
  #findSame(raw: Block, known: OpenBlock | undefined): OpenBlock | undefined {
    const found = this.#byId.get(keyOf(raw))
    const isSame = found && (found === known || (found.pieces.length === 0 && sameValue(found.fields, raw)))
    if (!isSame) return undefined
    note('call-again', undefined, found.position < 0 ? {} : { call: found.position })
    return found
  }

  #open(fields: Block): OpenBlock {
    const { type } = fields
    const block = new OpenBlock(fields, type === 'tool_use' ? this.#callCount++ : -1)
    if (this.#blocks.push(block) > maxItems) throw tooManyItems('blocks')
    const key = keyOf(fields)
    if (key !== '' && !this.#byId.has(key)) this.#byId.set(key, block)
    if (block.isText) this.#emitText(block, toText(fields[toText(type)]))
    if (block.position >= 0) this.#emitCall(block, '')
    return block
  }

  #addDelta({ index, delta }: RawJson): void {
    if (!isRecord(delta)) throw unreadable('delta', delta)
    this.#hasReply = true
    const { type } = delta
    const known = index === undefined ? this.#blocks.at(-1) : this.#byIndex.get(index)
    if (index === undefined) note('call-by-order', delta)
    if (type === 'text_delta') this.#addText(this.#blockOf(known, 'text', index), delta.text)
    else if (type === 'thinking_delta') this.#addText(this.#blockOf(known, 'thinking', index), delta.thinking)
    else if (type === 'input_json_delta') this.#addInput(known, delta.partial_json)
    else known?.add(delta)
  }

  /**
   * Returns the open block. Opens a new block if a server omitted the block's start, or names a block of a different
   * type.
   */
  #blockOf(known: OpenBlock | undefined, type: string, index: unknown): OpenBlock {
    if (known?.fields.type === type) return known
    const last = this.#blocks.at(-1)
    if (known && last?.fields.type === type) return last
    note('start-missing', type)
    const block = this.#open({ type })
    if (!known) this.#byIndex.set(index, block)
    return block
  }

  #addText(block: OpenBlock, text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    this.#emitText(block, block.addText(text))
  }

  #addInput(block: OpenBlock | undefined, text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    if (!block || !/tool_use$/.test(toText(block.fields.type))) throw strayInput(text)
    block.pieces.push(text)
    if (block.position >= 0) this.#emitCall(block, text)
  }

  /**
   * Emits what a block held back: arguments that did not arrive in pieces, or text that could have been a repetition of
   * the block's initial text.
   */
  #tellHeld(block: OpenBlock | undefined): void {
    const text = block?.takeHeld() ?? ''
    if (!block || text === '') return
    if (block.position >= 0) this.#emitCall(block, text)
    else this.#emitText(block, text)
  }

  #emitText(block: OpenBlock, text: string): void {
    if (text === '') return
    if (block.fields.type === 'text') {
      this.#sink?.({ type: 'text', text })
      return
    }
    const isNext = this.#thinking !== undefined && this.#thinking !== block
    this.#thinking = block
    this.#sink?.({ type: 'reasoning', text: isNext ? thoughtBreak + text : text })
  }

  #emitCall({ position: index, fields }: OpenBlock, text: string): void {
    const { id, name } = fields
    this.#sink?.({ type: 'call', index, id: toText(id), name: toText(name), arguments: text })
  }
}

/** A block whose pieces are still arriving. */
class OpenBlock {
  readonly fields: Record<string, unknown>
  /** The position among the calls; -1 for other blocks. */
  readonly position: number
  /** The pieces of text, of thinking, or of the JSON of arguments. */
  readonly pieces: string[] = []
  /** The part of the block's initial text that its pieces have not repeated yet. Undefined once they differ. */
  #ahead: string | undefined
  /** Citations that the block started with and that have not been repeated yet. */
  readonly #given: Set<string>
  #isHeld: boolean

  constructor(fields: Block, position: number) {
    const citations = listOf(fields.citations)
    this.fields = citations.length === 0 ? { ...fields } : { ...fields, citations: [...citations] }
    this.#given = new Set(citations.map(writeJson))
    this.position = position
    this.#ahead = this.isText ? this.#start || undefined : undefined
    this.#isHeld = position >= 0 && !isEmptyValue(fields.input)
  }

  get isText(): boolean {
    return this.fields.type === 'text' || this.fields.type === 'thinking'
  }

  get #start(): string {
    return toText(this.fields[toText(this.fields.type)])
  }

  /**
   * Adds a piece. Returns the text that is new: some servers send the full text at the start of a block, and again in
   * pieces.
   */
  addText(text: string): string {
    this.pieces.push(text)
    if (this.#ahead === undefined) return text
    this.#isHeld = this.#ahead !== text
    if (this.#ahead !== '' && this.#ahead.startsWith(text)) {
      this.#ahead = this.#ahead.slice(text.length)
      return ''
    }
    this.#ahead = undefined
    return this.takeHeld()
  }

  /** Returns the text that was held back, but only once: later calls return `''`. */
  takeHeld(): string {
    const isHeld = this.#isHeld
    this.#isHeld = false
    if (!isHeld) return ''
    if (!this.isText) return this.pieces.length > 0 ? '' : writeJson(this.fields.input)
    this.#ahead = undefined
    return this.pieces.join('')
  }

  /** Adds a delta of any other type: a signature, a citation, or an unknown type. */
  add({ type, ...delta }: RawJson): void {
    if (type === 'citations_delta') {
      if (this.#given.delete(writeJson(delta.citation))) return
      if (!Array.isArray(this.fields.citations)) this.fields.citations = []
      ;(this.fields.citations as unknown[]).push(delta.citation)
      return
    }
    for (const [name, value] of Object.entries(delta)) {
      const before = getOwn(this.fields, name)
      const isText = type !== 'signature_delta' && typeof before === 'string' && typeof value === 'string'
      setOwn(this.fields, name, isText ? before + value : value)
    }
  }

  toBlock(): Block {
    const { type } = this.fields
    if (this.pieces.length === 0 || this.#ahead === '') return this.fields
    const text = this.pieces.join('')
    if (this.isText) return { ...this.fields, [toText(type)]: this.#start + text }
    // The arguments of the agent's own tools are parsed where the calls are checked.
    return { ...this.fields, input: type === 'tool_use' ? text : (tryJson(text) ?? {}) }
  }
}

/** Returns the key of a block, from its type and id. Empty if it has no id. */
function keyOf({ type, id }: Block): string {
  return toText(id) && `${type} ${id}`
}

const reasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
  pause_turn: 'pause_turn',
}

function toReason(raw: unknown): string {
  return reasons[toText(raw)] ?? toFinishReason(raw)
}

/**
 * Returns the message for a refusal: its text and thinking, without the blocks, which the server does not accept back.
 */
function toRefusal(
  { content, reasoning_content }: ModelReply['message'],
  details: unknown,
): ModelReply['message'] {
  const refusal = toText(Object(details).explanation) || toText(content) || 'The model refused to reply.'
  const thoughts = reasoning_content === undefined ? {} : { reasoning_content }
  return { ...thoughts, role: 'assistant', content: content ?? '', refusal }
}

/**
 * Returns the token counts. In this interface, input counts exclude tokens read from or written to the cache, so these
 * are added. If the server compacts the conversation, its counts cover only the reply, so the summary's tokens are
 * added.
 */
function toUsage(usage: Record<string, unknown>): TokenUsage | undefined {
  const compactions = listOf(usage.iterations).filter((one) => isRecord(one) && one.type === 'compaction')
  const countOf = (name: string) =>
    [usage, ...(compactions as RawJson[])].reduce<number | undefined>((sum, { [name]: value }) => {
      const count = toCount(value)
      return count === undefined ? sum : (sum ?? 0) + count
    }, undefined)
  const [input, output] = [countOf('input_tokens'), countOf('output_tokens')]
  if (input === undefined && output === undefined) return toTokens(usage)
  const [read, written] = [countOf('cache_read_input_tokens'), countOf('cache_creation_input_tokens')]
  const thought = toCount(Object(usage.output_tokens_details).thinking_tokens)
  const [inputTokens, outputTokens] = [(input ?? 0) + (read ?? 0) + (written ?? 0), output ?? 0]
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(read === undefined ? {} : { cachedInputTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(thought === undefined ? {} : { reasoningTokens: thought }),
  }
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined
}

/** Whether an event of an unknown type may be skipped: it is not a failure, a heartbeat or a message. */
function isPassedOver({ type, object, error }: RawJson): boolean {
  const isKnown = /^(ping|message)$|error|invalid|exceed/i.test(toText(type)) || object === 'error'
  return typeof type === 'string' && !isKnown && isEmptyValue(error)
}

function withoutContent(body: RawJson, text: string): CapstanError {
  const fields = Object.keys(body)
  const what = fields.length === 0 ? 'an empty object' : `only ${fields.slice(0, 10).join(', ')}`
  const message = `The model server replied without content: it sent ${what}. Check that baseURL is a Messages server.`
  return new CapstanError('invalid_response', message, {
    retryable: true,
    evidence: { excerpt: text.slice(0, 200) },
  })
}

function otherInterface(body: RawJson): CapstanError {
  const message = 'The model server replied with chat completions. Use chatModel(name, { baseURL }).'
  return new CapstanError('invalid_response', message, {
    evidence: { fields: Object.keys(body).slice(0, 10) },
  })
}

function noMessage(): CapstanError {
  const message = 'The model server ended its stream without a message. Send the request again.'
  return new CapstanError('invalid_response', message, { retryable: true })
}

function unreadable(field: string, value: unknown): CapstanError {
  const excerpt = (writeJson(value) ?? 'undefined').slice(0, 200)
  const message = `The model server sent an invalid ${field}: ${excerpt}. No tool ran.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { field, excerpt } })
}

function strayInput(text: string): CapstanError {
  const excerpt = text.slice(0, 200)
  const message = `The model server sent arguments that belong to no call: ${excerpt}. No tool ran.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { excerpt } })
}
