import { getOwn, isRecord, sameValue, setOwn } from '../json.js'
import { type AssistantMessage, type ContentPart, type ToolCall, textOf } from '../types/message.js'
import type { ModelReply, ModelSink } from '../types/model.js'
import { note } from '../types/wire.js'
import type { TokenUsage } from '../usage.js'
import { ChunkFrame, type ReplyChunk, readChunk } from './fast-path.js'
import {
  hasContent,
  isEmptyValue,
  isFilled,
  promisesCalls,
  type RawJson,
  readCallPart,
  readCalls,
  readChoiceFields,
  readContent,
  readFunctionCall,
  readMessage,
  rejectUnknownShape,
  selectChoice,
  toChoices,
  toFinishReason,
  toText,
  toTokens,
  unreadable,
  worseReason,
} from './lenient-json.js'
import type { ReplyBuilder } from './protocol.js'
import {
  failedWithoutMessage,
  missingCalls,
  noChoices,
  strayArguments,
  truncatedReply,
  withoutChoices,
} from './response-errors.js'
import { type CallDelta, ToolCallBuilder } from './tool-call-builder.js'
import { addFields, boundUnknownFields, toResponse } from './unknown-fields.js'

/** How a message is added: as the next piece of a reply, or as all of it, possibly repeated. */
type Adding = 'add' | 'addWhole'

/** Builds one reply from a completion or from the chunks of a stream. */
export class MessageBuilder implements ReplyBuilder {
  readonly #sink: ModelSink | undefined
  readonly #content: ContentBuilder
  readonly #extraFields = new ExtraFields()
  /** What comes beside the message. */
  readonly #fields: Record<string, unknown> = {}
  #lastChunk: RawJson | undefined
  readonly #frame = new ChunkFrame()
  /** Chunks that were read without the frame. */
  #unframed = 0
  readonly #logprobs = new ExtraFields()
  readonly #audio = new ExtraFields()
  /** Whether the content is the transcript of the audio. */
  #isSpoken = false
  readonly #calls: ToolCallBuilder
  /** Calls in the old `function_call` or in content parts. They often repeat the ones in `tool_calls`. */
  readonly #otherCalls: ToolCallBuilder
  #hasReply = false
  #finishReason = ''
  #failureReason = ''
  #isFinished = false
  #isAllNull: boolean | undefined
  #tokens: TokenUsage | undefined

  constructor(isTool: (name: string) => boolean, sink?: ModelSink) {
    this.#sink = sink
    this.#content = new ContentBuilder((text) => {
      this.#isFinished = false
      sink?.({ type: 'text', text })
    })
    this.#calls = new ToolCallBuilder(isTool)
    this.#otherCalls = new ToolCallBuilder(isTool)
  }

  /** Adds a parsed `chat.completion` or `chat.completion.chunk`. Only the first choice is used. */
  add(chunk: RawJson): void {
    this.#tokens = toTokens(chunk.usage) ?? this.#tokens
    this.#note(chunk)
    // Each chunk repeats them, and the last one has all.
    for (const name of ['citations', 'search_results'])
      if (!isEmptyValue(chunk[name])) this.#fields[name] = chunk[name]
    const choices = toChoices(chunk)
    if (!choices) throw unreadable('choices', chunk.choices)
    const choice = selectChoice(chunk)
    if (choice) this.#addChoice(choice)
    else if (choices.length === 0) rejectUnknownShape(chunk)
  }

  /** Adds a chunk in the documented form. False for any other, and if its call cannot be identified. */
  addPlain(chunk: RawJson, json = ''): boolean {
    const piece = readChunk(chunk)
    if (!piece || !this.#addPiece(piece)) return false
    this.#note(chunk)
    // Learning costs as much as ten later chunks save, and short streams have fewer.
    if (this.#unframed++ > 15) this.#frame.learn(json, piece, chunk)
    return true
  }

  addLike(json: string): boolean {
    const piece = this.#frame.read(json)
    if (!piece || !this.#addPiece(piece)) return false
    this.#note(this.#frame.chunk)
    return true
  }

  #addPiece({ text, call, reason }: ReplyChunk): boolean {
    const deltas = call && this.#calls.addPlain(call)
    if (call && !deltas) return false
    this.#hasReply = true
    this.#noteNull(text)
    if (text) this.#content.add(text)
    if (deltas) this.#emit([deltas])
    if (reason !== '') this.#addReason(reason)
    return true
  }

  /** Adds a completion. */
  addBody(completion: RawJson, body: string): void {
    if (!isFilled(completion.choices) || !toChoices(completion)) throw withoutChoices(completion, body)
    this.add(completion)
  }

  /** Whether a finish reason arrived with nothing after it. Only token counts may still follow. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  /**
   * Returns the complete reply. `ended` means that the server marked the end in another way than by a finish reason.
   * @throws CapstanError `truncated` when calls may be cut off, `invalid_response` when it contains no reply
   */
  finish(ended: boolean): ModelReply {
    const finishReason = this.#finishReason
    if (finishReason === 'error') throw failedWithoutMessage(`finish_reason "${this.#failureReason}"`)
    if (!this.#hasReply) throw noChoices()
    this.#calls.addAgain(this.#otherCalls.toCalls())
    const calls = this.#calls.toCalls()
    const isOver = ended || this.#isFinished
    if (calls.length > 0 && !isOver) throw truncatedReply(calls)
    if (calls.length === 0 && promisesCalls(finishReason)) throw missingCalls(finishReason)
    const stray = this.#calls.findStray()
    if (stray) throw strayArguments(stray.name, stray.text)
    const bounded = boundUnknownFields(this.#toMessage(calls))
    const beside = toResponse(this.#toFields())
    const omitted = [...bounded.omitted, ...(beside.omitted ?? [])]
    return {
      message: bounded.message,
      ...beside,
      ...(omitted.length > 0 ? { omitted } : {}),
      ...(finishReason === '' ? {} : { finishReason }),
      ...(this.#tokens ? { tokens: this.#tokens } : {}),
      ...(isOver ? {} : { incomplete: true }),
    }
  }

  #addChoice(choice: RawJson): void {
    const delta = readMessage('delta', choice.delta)
    const message = readMessage('message', choice.message)
    const choiceFields = readChoiceFields(choice, [delta, message])
    // A choice of another interface, or one without a message, is not a reply.
    this.#hasReply ||= Boolean(delta ?? message ?? choiceFields) || !('message' in choice || 'text' in choice)
    if (delta) this.#addMessage(delta, 'add')
    if (message) this.#addMessage(message, 'addWhole')
    if (choiceFields) this.#addMessage(choiceFields, message && !hasContent(delta) ? 'addWhole' : 'add')
    for (const one of [choice, delta, message]) this.#addReason(one?.finish_reason)
    this.#addLogprobs(choice.logprobs, message ? 'addWhole' : 'add')
  }

  /** Of thousands of chunks, the first and the last one are read for what comes beside the message. */
  #note(chunk: RawJson): void {
    if (!this.#lastChunk) addFields(chunk, this.#fields)
    this.#lastChunk = chunk
  }

  #addReason(raw: unknown): void {
    const reason = toFinishReason(raw)
    if (reason === 'error') this.#failureReason ||= toText(raw)
    this.#finishReason = worseReason(this.#finishReason, reason)
    this.#isFinished ||= reason !== ''
  }

  #addMessage(message: RawJson, how: Adding): void {
    const { role: _role, finish_reason: _reason, content, ...others } = message
    this.#addContent(content, how)
    for (const [field, value] of Object.entries(others)) {
      if (/^tool_?calls?$/i.test(field)) this.#emit(this.#calls[how](readCalls(value)))
      else if (/^function_?call$/i.test(field)) this.#addOtherCalls(readFunctionCall(value), how)
      else if (field === 'audio' && isRecord(value)) this.#addAudio(value, how)
      else this.#addExtraField(field, value, how)
    }
  }

  /** Adds audio, whose data and transcript come in pieces. The transcript is the content when there is no other. */
  #addAudio(audio: RawJson, how: Adding): void {
    let spoken = ''
    for (const [field, value] of Object.entries(audio)) {
      const added = this.#audio[how](field, value)
      if (field === 'transcript') spoken = added
    }
    if (spoken === '') return
    this.#isSpoken ||= this.#content.isEmpty
    if (this.#isSpoken) this.#content.add(spoken)
  }

  #noteNull(content: unknown): void {
    if (content !== undefined) this.#isAllNull = content === null && this.#isAllNull !== false
  }

  #addContent(raw: unknown, how: Adding): void {
    this.#noteNull(raw)
    const content = readContent(raw)
    const parts = typeof content === 'string' ? [] : content
    const calls = parts.map(readCallPart)
    const others = typeof content === 'string' ? content : content.filter((_part, n) => !calls[n])
    this.#content[how](others)
    for (const { refusal } of parts) this.#addExtraField('refusal', refusal, how)
    this.#addOtherCalls(calls.filter(isRecord), how)
  }

  #addExtraField(field: string, value: unknown, how: Adding): void {
    const text = this.#extraFields[how](field, value)
    if (text !== '' && /^reasoning(_content)?$/.test(field)) this.#sink?.({ type: 'reasoning', text })
  }

  #addLogprobs(logprobs: unknown, how: Adding): void {
    if (!isRecord(logprobs)) return
    for (const [field, value] of Object.entries(logprobs)) this.#logprobs[how](field, value)
  }

  #toFields(): RawJson {
    const { fields: logprobs } = this.#logprobs
    addFields(this.#lastChunk ?? {}, this.#fields)
    return isEmptyValue(logprobs) ? this.#fields : { ...this.#fields, logprobs }
  }

  #addOtherCalls(entries: readonly RawJson[], how: Adding): void {
    this.#emit(this.#otherCalls[how](entries), this.#calls.isEmpty)
  }

  #emit(deltas: readonly CallDelta[], shouldEmit = true): void {
    for (const { isNew, index, name, arguments: text } of deltas) {
      if (isNew) this.#isFinished = false
      if (shouldEmit) this.#sink?.({ type: 'call', index, name, arguments: text })
    }
  }

  /** Content that was `null` beside calls stays so: some servers reject an empty text there. */
  #toMessage(calls: readonly ToolCall[]): AssistantMessage {
    const content = this.#content.toContent()
    const { fields: audio } = this.#audio
    return {
      ...this.#extraFields.fields,
      ...(Object.keys(audio).length > 0 ? { audio } : {}),
      role: 'assistant',
      content: calls.length > 0 && this.#isAllNull && content === '' ? null : content,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
  }
}

/** Builds the content of a reply, with texts and parts in order of arrival. */
export class ContentBuilder {
  /** Parts, and lists of the texts between them. */
  readonly #items: (readonly string[] | ContentPart)[] = []
  readonly #onText: (text: string) => void
  #texts: string[] = []
  #text = ''
  #isStreamed = false

  /** `tell` is called with each new text. */
  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  /** Adds the next piece. */
  add(content: string | readonly ContentPart[]): void {
    this.#isStreamed ||= textOf(content) !== ''
    this.#append(content)
  }

  /** Adds the content of a whole message, which may repeat earlier content. */
  addWhole(content: string | readonly ContentPart[]): void {
    if (this.#items.length === 0) {
      this.#append(content)
      return
    }
    const text = textOf(content)
    const added = newText(text, this.#text, this.#isStreamed)
    if (added !== text) note('text-again', text, { to: added })
    this.#append(added)
    if (typeof content !== 'string') this.#append(content.filter((part) => !part.text && !this.#has(part)))
  }

  /** Returns text, or parts if there were any. */
  toContent(): string | readonly ContentPart[] {
    if (this.#items.every(Array.isArray)) return this.#text
    return this.#items.map((one) => ('type' in one ? one : { type: 'text', text: one.join('') }))
  }

  #append(content: string | readonly ContentPart[]): void {
    if (typeof content !== 'string') for (const part of content) this.#appendPart(part)
    else if (content !== '') {
      if (this.#items.at(-1) !== this.#texts) {
        this.#texts = []
        this.#items.push(this.#texts)
      }
      this.#texts.push(content)
      this.#emit(content)
    }
  }

  #appendPart(part: ContentPart): void {
    this.#items.push(part)
    this.#emit(textOf([part]))
  }

  #emit(text: string): void {
    if (text === '') return
    this.#text += text
    this.#onText(text)
  }

  #has(part: ContentPart): boolean {
    return this.#items.some((one) => sameValue(one, part))
  }
}

/** Collects the unknown fields of a reply, so that the server gets them back. */
export class ExtraFields {
  readonly fields: Record<string, unknown> = {}
  readonly #streamed = new Set<string>()

  /** Adds a piece: text and lists are appended, other values replace the old one. Returns the new text. */
  add(field: string, value: unknown): string {
    if (isFilled(value)) this.#streamed.add(field)
    return this.#join(field, value)
  }

  /** Adds a field of a whole message, which may repeat earlier values. */
  addWhole(field: string, value: unknown): string {
    const before = getOwn(this.fields, field)
    const isStreamed = this.#streamed.has(field)
    if (typeof before === 'string' && typeof value === 'string')
      return this.#join(field, newText(value, before, isStreamed))
    if (Array.isArray(before) && Array.isArray(value) && value.length > 0) {
      if (isStreamed || sameValue(before, value.slice(0, before.length))) before.length = 0
    }
    return this.#join(field, value)
  }

  #join(field: string, value: unknown): string {
    const before = getOwn(this.fields, field)
    if (!isFilled(value) || (before !== undefined && isEmptyValue(value))) return ''
    if (Array.isArray(before) && Array.isArray(value)) {
      for (const one of value) before.push(one)
      return ''
    }
    if (typeof before !== 'string' || typeof value !== 'string') {
      setOwn(this.fields, field, Array.isArray(value) ? [...value] : value)
      return typeof value === 'string' ? value : ''
    }
    if (value === before && !isModelText(field)) return ''
    setOwn(this.fields, field, before + value)
    return value
  }
}

/** Whether a field contains text or bytes of the model. In other fields, such as `name`, an equal value is a repetition. */
function isModelText(field: string): boolean {
  return /reason|think|thought|refusal|content|text|transcript|summary|^data$/i.test(field)
}

/**
 * Returns the part of a message's text that is new. The message may repeat all text so far, extend it, or be its next
 * piece. If the text came in deltas (`isPieced`), a repeated beginning or end adds nothing.
 */
export function newText(text: string, soFar: string, isStreamed: boolean): string {
  if (text.length >= soFar.length && text.startsWith(soFar)) return text.slice(soFar.length)
  if (!isStreamed) return text
  const isRepeated = soFar.startsWith(text) || soFar.endsWith(text) || soFar.trim() === text.trim()
  return isRepeated ? '' : text
}
