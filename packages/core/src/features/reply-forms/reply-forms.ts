import { badResponse } from '../../errors.js'
import { getOwn, isRecord, isString, listOf, sameValue, setOwn, withoutUndefined } from '../../json.js'
import type { ModelFeature, ReplyBuilder } from '../../model/protocol.js'
import {
  addFields,
  boundUnknownFields,
  hasContent,
  isEmptyValue,
  isFilled,
  isThought,
  maxItems,
  promisesCalls,
  type RawJson,
  selectChoice,
  toRecords,
  toResponse,
  toText,
  toTokens,
} from '../../model/reply-fields.js'
import {
  failedWithoutMessage,
  missingCalls,
  noChoices,
  tooManyItems,
  truncatedReply,
} from '../../model/response-errors.js'
import { type AssistantMessage, type ContentPart, type ToolCall, textOf } from '../../types/message.js'
import type { ModelReply, ModelSink } from '../../types/model.js'
import { note } from '../../types/model.js'
import type { TokenUsage } from '../../usage.js'
import {
  type Joining,
  joined,
  joinList,
  newText,
  readCall,
  readCallPart,
  readCalls,
  readChoiceFields,
  readContent,
  readFunctionCall,
  readMessage,
  rejectUnknownShape,
  toFinishReason,
  unreadable,
  worseReason,
} from './lenient-json.js'
import { ChunkFrame, type PlainChunk, readChunk, StreamReader } from './stream-events.js'
import { type ArgumentsDelta, CallsBuilder } from './tool-call-builder.js'

/** Reads streams, and replies in undocumented forms. */
export function replyForms(): ModelFeature {
  return {
    name: 'reply-forms',
    createReader: ({ createBuilder }, options) =>
      new StreamReader(
        createBuilder?.(options) ?? new MessageBuilder(options.isTool, options.sink),
        options.toFailure,
      ),
  }
}

/** The method that adds a message: as the next piece of a reply, or as the entire reply, which may repeat pieces. */
type Adding = 'add' | 'addWhole'

/** Builds one reply from a completion or from the chunks of a stream. */
export class MessageBuilder implements ReplyBuilder {
  readonly #sink: ModelSink | undefined
  readonly #content: ContentBuilder
  readonly #extraFields = new ExtraFields()
  /** Unknown fields next to the message. */
  readonly #beside = new ExtraFields()
  #lastChunk: RawJson | undefined
  readonly #frame = new ChunkFrame()
  /** The number of chunks that were read without the frame. */
  #unframed = 0
  /** Whether the content is the audio's transcript. */
  #isSpoken = false
  /** The length of the reasoning emitted so far. */
  #told = 0
  readonly #calls: CallsBuilder
  /** Calls in the old `function_call` or in content parts, which often repeat calls in `tool_calls`. */
  readonly #otherCalls: CallsBuilder
  #hasReply = false
  #finishReason = ''
  #failureReason = ''
  /** Whether a finish reason has arrived with nothing after it. Only token counts may still follow. */
  isFinished = false
  #isAllNull: boolean | undefined
  #tokens: TokenUsage | undefined

  constructor(isTool: (name: string) => boolean, sink?: ModelSink) {
    this.#sink = sink
    this.#content = new ContentBuilder((text, thought) => {
      this.isFinished = false
      if (text !== '') sink?.({ type: 'text', text })
      this.#tellReasoning(thought, this.#content.thought.length)
    })
    this.#calls = new CallsBuilder(isTool)
    this.#otherCalls = new CallsBuilder(isTool)
  }

  /** Adds a parsed `chat.completion` or `chat.completion.chunk`. Only the first choice is used. */
  add(chunk: RawJson): void {
    this.#tokens = toTokens(chunk.usage) ?? this.#tokens
    this.#note(chunk)
    // Each chunk repeats these fields, and the last one contains all entries.
    for (const name of ['citations', 'search_results'])
      if (!isEmptyValue(chunk[name])) this.#beside.fields[name] = chunk[name]
    const choices = toRecords(chunk.choices)
    if (!choices) throw unreadable('choices', chunk.choices)
    const choice = selectChoice(chunk)
    if (choice) this.#addChoice(choice)
    else if (choices.length === 0) rejectUnknownShape(chunk)
  }

  /** Adds a chunk in the documented form. For any other form, adds nothing and returns false. */
  addPlain(chunk: RawJson, json = ''): boolean {
    const piece = readChunk(chunk)
    // Learning a frame costs as much as ten later chunks save, and short streams have fewer chunks.
    if (piece && this.#unframed++ > 15) this.#frame.learn(json, piece, chunk)
    return this.#addPiece(piece, chunk)
  }

  addLike(json: string): boolean {
    return this.#addPiece(this.#frame.read(json), this.#frame.chunk)
  }

  /** Adds a chunk's content. Returns false if there is none. */
  #addPiece(piece: PlainChunk | undefined, chunk: RawJson): boolean {
    if (!piece) return false
    const { text, call, reason } = piece
    this.#hasReply = true
    this.#noteNull(text)
    if (text) this.#content.add(text)
    if (call) this.#emit(this.#calls.addPiece(call))
    if (reason) this.#addReason(reason)
    this.#note(chunk)
    return true
  }

  addBody(completion: RawJson, body: string): void {
    if (!isFilled(completion.choices) || !toRecords(completion.choices)) {
      const what = Object.keys(completion).slice(0, 10).join(', ') || 'an empty object'
      const message = `The model server replied without choices: it sent ${what}. Check baseURL.`
      throw badResponse(message, { excerpt: body.slice(0, 200) })
    }
    this.add(completion)
  }

  /**
   * Returns the complete reply. `ended` means that the server marked the end without a finish reason.
   * @throws CapstanError `truncated` if calls may be cut off, `invalid_response` if there is no reply or its calls
   * cannot be read
   */
  finish(ended: boolean): ModelReply {
    const finishReason = this.#finishReason
    if (finishReason === 'error') throw failedWithoutMessage(`finish_reason "${this.#failureReason}"`)
    if (!this.#hasReply) throw noChoices()
    this.#calls.addWhole(this.#otherCalls.toCalls(), true)
    const calls = this.#calls.toCalls()
    const isOver = ended || this.isFinished
    if (calls.length > 0 && !isOver) throw truncatedReply(calls)
    if (calls.length === 0 && promisesCalls(finishReason)) throw missingCalls(finishReason)
    const stray = this.#calls.findStray()
    if (stray) {
      const excerpt = stray.text.slice(0, 200)
      const message = `The model server sent a call to ${stray.name} without arguments, then arguments with a new id: ${excerpt}. No tool ran.`
      throw badResponse(message, { name: stray.name, excerpt })
    }
    const { message, omitted } = boundUnknownFields(this.#toMessage(calls))
    addFields(this.#lastChunk ?? {}, this.#beside.fields)
    return withoutUndefined({
      message,
      ...toResponse(this.#beside.fields, omitted),
      finishReason: finishReason || undefined,
      tokens: this.#tokens,
      incomplete: isOver ? undefined : true,
    })
  }

  #addChoice(choice: RawJson): void {
    const delta = readMessage('delta', choice.delta)
    const message = readMessage('message', choice.message)
    const choiceFields = readChoiceFields(choice, [delta, message])
    // Moonshot sends token counts here.
    this.#tokens = toTokens(choice.usage) ?? this.#tokens
    // A choice that belongs to a different API, or has no message, is not a reply.
    this.#hasReply ||= Boolean(delta ?? message ?? choiceFields) || !('message' in choice || 'text' in choice)
    if (delta) this.#addMessage(delta, 'add')
    if (message) this.#addMessage(delta ? withoutRepeated(message, delta) : message, 'addWhole')
    if (choiceFields) this.#addMessage(choiceFields, message && !hasContent(delta) ? 'addWhole' : 'add')
    for (const one of [choice, delta, message]) this.#addReason(one?.finish_reason)
    for (const [name, value] of Object.entries(isRecord(choice.logprobs) ? choice.logprobs : {}))
      if (!isEmptyValue(value)) this.#beside[message ? 'addWhole' : 'add']('logprobs', { [name]: value })
  }

  /**
   * Keeps the first chunk's unknown fields, and the newest chunk. The unknown fields of the chunks in between are not
   * read, because a stream may have thousands of chunks.
   */
  #note(chunk: RawJson): void {
    if (!this.#lastChunk) addFields(chunk, this.#beside.fields)
    this.#lastChunk = chunk
  }

  #addReason(raw: unknown): void {
    const reason = toFinishReason(raw)
    if (reason === 'error') this.#failureReason ||= toText(raw)
    this.#finishReason = worseReason(this.#finishReason, reason)
    this.isFinished ||= reason !== ''
  }

  #addMessage(message: RawJson, how: Adding): void {
    const { role: _role, finish_reason: _reason, content, ...others } = message
    this.#addContent(content, how)
    for (const [field, value] of Object.entries(others)) {
      if (isCalls(field)) for (const delta of this.#calls[how](readCalls(value))) this.#emit(delta)
      else if (/^function_?call$/i.test(field)) this.#addOtherCalls(readFunctionCall(value), how)
      else if (field === 'audio' && isRecord(value)) this.#addAudio(value, how)
      else this.#addExtraField(field, value, how)
    }
  }

  /**
   * Adds audio, whose data and transcript arrive in pieces. The transcript is the content if there is no other content.
   */
  #addAudio(audio: RawJson, how: Adding): void {
    const lengthOf = () => toText(getOwn(this.#extraFields.fields.audio, 'transcript')).length
    const before = lengthOf()
    this.#extraFields[how]('audio', audio)
    const added = lengthOf() - before
    if (added <= 0) return
    this.#isSpoken ||= this.#content.isEmpty
    // Taken from the piece, because slicing the full transcript would copy it each time.
    if (this.#isSpoken) this.#content.add(toText(audio.transcript).slice(-added))
  }

  #noteNull(content: unknown): void {
    if (content !== undefined) this.#isAllNull = content === null && this.#isAllNull !== false
  }

  #addContent(raw: unknown, how: Adding): void {
    this.#noteNull(raw)
    const content = readContent(raw)
    if (isString(content)) {
      this.#content[how](content)
      return
    }
    const calls = content.map(readCallPart)
    this.#content[how](content.filter((_part, n) => !calls[n]))
    for (const { refusal } of content) this.#addExtraField('refusal', refusal, how)
    this.#addOtherCalls(calls.filter(isRecord), how)
  }

  #addExtraField(field: string, value: unknown, how: Adding): void {
    const text = this.#extraFields[how](field, value)
    if (text !== '' && /^reasoning(_content)?$/.test(field))
      this.#tellReasoning(text, toText(this.#extraFields.fields[field]).length)
  }

  /**
   * Emits reasoning only once, even if a server sends the same reasoning in several fields. Emits only text that
   * extends the longest field.
   */
  #tellReasoning(text: string, length: number): void {
    const added = length - this.#told
    if (added <= 0) return
    this.#told = length
    this.#sink?.({ type: 'reasoning', text: text.slice(-added) })
  }

  #addOtherCalls(entries: readonly RawJson[], how: Adding): void {
    // These calls are not emitted before the end, because the same calls may still arrive in `tool_calls`.
    for (const { isNew } of this.#otherCalls[how](entries)) if (isNew) this.isFinished = false
  }

  #emit({ isNew, index, id, name, arguments: text }: ArgumentsDelta): void {
    if (isNew) this.isFinished = false
    this.#sink?.({ type: 'call', index, id, name, arguments: text })
  }

  /** Keeps `null` as content next to calls, because some servers reject an empty string there. */
  #toMessage(calls: readonly ToolCall[]): AssistantMessage {
    const content = this.#content.toContent()
    const { thought } = this.#content
    return {
      ...(thought && { reasoning_content: thought }),
      ...this.#extraFields.fields,
      role: 'assistant',
      content: calls.length > 0 && this.#isAllNull && content === '' ? null : content,
      ...(calls.length > 0 && { tool_calls: calls }),
    }
  }
}

/** Whether a field name is a spelling of `tool_calls`, such as `toolCalls`. */
function isCalls(field: string): boolean {
  return /^tool_?calls?$/i.test(field)
}

/**
 * Returns a message without what the delta next to it also contains. Some servers put each piece into both, or put all
 * pieces so far into the message.
 */
function withoutRepeated(message: RawJson, delta: RawJson): RawJson {
  const rest: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(message)) {
    const piece = delta[field]
    const isText = [typeof value, typeof piece].includes('string')
    if (isEmptyValue(piece) || (isText && value !== piece)) setOwn(rest, field, value)
    // A call without a name is a piece.
    else if (isCalls(field)) rest[field] = readCalls(value).filter((entry) => readCall(entry).name !== '')
  }
  return rest
}

/** Builds a reply's content, keeping text and other parts in the order in which they arrive. */
export class ContentBuilder {
  /** Text parts and other parts, in order of arrival. Empty for a reply that consists of plain text so far. */
  readonly #parts: ContentPart[] = []
  readonly #tell: (text: string, thought: string) => void
  #text = ''
  #isStreamed = false
  /** The reasoning in parts of type `thinking`. */
  thought = ''

  /** Calls `tell` with new text and new reasoning. */
  constructor(tell: (text: string, thought: string) => void) {
    this.#tell = tell
  }

  get isEmpty(): boolean {
    return this.#text === '' && this.#parts.length === 0
  }

  /** Adds the next piece. */
  add(content: string | readonly ContentPart[]): void {
    this.#isStreamed ||= content.length > 0
    this.#append(content)
  }

  /** Adds a full message's content, which may repeat earlier content. */
  addWhole(content: string | readonly ContentPart[]): void {
    if (this.isEmpty) {
      this.#append(content, { isWhole: true })
      return
    }
    const text = textOf(content)
    const added = newText(text, this.#text, this.#isStreamed)
    if (added !== text) note('text-again', text, { to: added })
    this.#append(added)
    if (isString(content)) return
    const thought = newText(thoughtOf(content), this.thought, this.#isStreamed)
    const others = this.#parts.filter(isOther)
    const isNew = (part: ContentPart) =>
      isThought(part) ? thought !== '' : isOther(part) && !sameValue(part, others.shift())
    this.#append(content.filter(isNew), { isWhole: true }, thought)
  }

  /** Returns the text, or the parts if there are any. */
  toContent(): string | readonly ContentPart[] {
    return this.#parts.length > 0 ? this.#parts : this.#text
  }

  #append(content: string | readonly ContentPart[], how?: Joining, thought = thoughtOf(content)): void {
    if (content.length === 0) return
    const parts = this.#parts
    const text = textOf(content)
    if (!isString(content) || parts.length > 0) {
      if (parts.length === 0 && this.#text !== '') parts.push({ type: 'text', text: this.#text })
      joinList(parts, isString(content) ? [{ type: 'text', text }] : content, 'content', how)
    }
    if (parts.length > maxItems) throw tooManyItems('content parts')
    this.#text += text
    this.thought += thought
    if (text || thought) this.#tell(text, thought)
  }
}

/** Whether a part is neither text nor reasoning. */
function isOther(part: ContentPart): boolean {
  return !isString(part.text) && !isThought(part)
}

function thoughtOf(content: string | readonly ContentPart[]): string {
  if (isString(content)) return ''
  const thoughts = content.filter(isThought).map(({ thinking }) => thinking)
  return thoughts
    .map((one) => (isString(one) ? one : textOf(listOf(one).filter(isRecord) as ContentPart[])))
    .join('')
}

/** Collects the unknown fields of a reply, to send them back to the server. */
export class ExtraFields {
  readonly fields: Record<string, unknown> = {}
  readonly #streamed = new Set<string>()

  /** Adds a piece of a field. Returns the new text. */
  add(field: string, value: unknown): string {
    if (isFilled(value)) this.#streamed.add(field)
    return this.#join(field, value)
  }

  /** Adds a full message's field, which may repeat earlier values. */
  addWhole(field: string, value: unknown): string {
    return this.#join(field, value, { isWhole: true, isStreamed: this.#streamed.has(field) })
  }

  #join(field: string, value: unknown, how?: Joining): string {
    const before = getOwn(this.fields, field)
    const after = joined(before, value, field, how)
    if (after !== undefined) setOwn(this.fields, field, after)
    const added = toText(after).length - toText(before).length
    return isString(value) && added > 0 ? value.slice(-added) : ''
  }
}
