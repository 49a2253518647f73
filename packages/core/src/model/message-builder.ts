import { isRecord, setOwn } from '../json.js'
import {
  type AssistantMessage,
  type Content,
  type ContentPart,
  type ToolCall,
  textOf,
} from '../types/message.js'
import type { ModelReply, ModelSink } from '../types/model.js'
import type { TokenUsage } from '../usage.js'
import type { ReplyChunk } from './fast-path.js'
import {
  getOwn,
  graverReason,
  isFilled,
  isNothing,
  isShallow,
  isTelling,
  promisesCalls,
  type RawJson,
  readCallPart,
  readCalls,
  readChoiceFields,
  readContent,
  readMessage,
  readOldCall,
  rejectUnknownShape,
  sameValue,
  selectChoice,
  toChoices,
  toFinishReason,
  toText,
  toTokens,
  unreadable,
} from './lenient-json.js'
import { callsMissing, cutOff, failedSilently, noChoices, strayArguments } from './response-errors.js'
import { type CallDelta, ToolCallBuilder } from './tool-call-builder.js'

/** The kind of a message: the next piece of a reply, or all of it, possibly repeated. */
type Extent = 'piece' | 'whole'

/** Builds one reply from a completion or from the chunks of a stream. */
export class MessageBuilder {
  readonly #sink: ModelSink | undefined
  readonly #content: ContentBuilder
  readonly #further = new ExtraFields()
  readonly #calls: ToolCallBuilder
  /** Calls in the old `function_call` or in content parts. They often repeat the ones in `tool_calls`. */
  readonly #elsewhere: ToolCallBuilder
  #answered = false
  #finishReason = ''
  #failedWith = ''
  #isFinished = false
  #tokens: TokenUsage | undefined

  constructor(isTool: (name: string) => boolean, sink?: ModelSink) {
    this.#sink = sink
    this.#content = new ContentBuilder((text) => {
      this.#isFinished = false
      sink?.({ type: 'text', text })
    })
    this.#calls = new ToolCallBuilder(isTool)
    this.#elsewhere = new ToolCallBuilder(isTool)
  }

  /** Adds a parsed `chat.completion` or `chat.completion.chunk`. Only the first choice is used. */
  add(chunk: RawJson): void {
    this.#tokens = toTokens(chunk.usage) ?? this.#tokens
    const choices = toChoices(chunk)
    if (!choices) throw unreadable('choices', chunk.choices)
    const choice = selectChoice(chunk)
    if (choice) this.#addChoice(choice)
    else if (choices.length === 0) rejectUnknownShape(chunk)
  }

  /** Adds a chunk in the documented form. False if its call cannot be identified. */
  addPiece({ text, call, reason }: ReplyChunk): boolean {
    const news = call && this.#calls.addPlain(call)
    if (call && !news) return false
    this.#answered = true
    if (text !== '') this.#content.add(text)
    if (news) this.#hear([news])
    if (reason !== '') this.#addReason(reason)
    return true
  }

  /** Whether a finish reason arrived with nothing after it. Only token counts may still follow. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  /**
   * Returns the complete reply. `ended` means that the server marked the end in another way than by a finish reason.
   * @throws CapstanError `truncated` when calls may be cut off, `invalid_response` when there is no reply in it
   */
  finish(ended: boolean): ModelReply {
    const finishReason = this.#finishReason
    if (finishReason === 'error') throw failedSilently(`finish_reason "${this.#failedWith}"`)
    if (!this.#answered) throw noChoices()
    this.#calls.addAgain(this.#elsewhere.toCalls())
    const calls = this.#calls.toCalls()
    const isOver = ended || this.#isFinished
    if (calls.length > 0 && !isOver) throw cutOff(calls)
    if (calls.length === 0 && promisesCalls(finishReason)) throw callsMissing(finishReason)
    const stray = this.#calls.findStray()
    if (stray) throw strayArguments(stray.name, stray.text)
    const { message, omitted } = boundUnknownFields(this.#toMessage(calls))
    return {
      message,
      ...(omitted.length > 0 ? { omitted } : {}),
      ...(finishReason === '' ? {} : { finishReason }),
      ...(this.#tokens ? { tokens: this.#tokens } : {}),
      ...(isOver ? {} : { incomplete: true }),
    }
  }

  #addChoice(choice: RawJson): void {
    const delta = readMessage('delta', choice.delta)
    const message = readMessage('message', choice.message)
    const beside = readChoiceFields(choice, [delta, message])
    // A choice of another interface, or one without a message, is not a reply.
    this.#answered ||= Boolean(delta ?? message ?? beside) || !('message' in choice || 'text' in choice)
    if (delta) this.#addMessage(delta, 'piece')
    if (message) this.#addMessage(message, 'whole')
    if (beside) this.#addMessage(beside, message && !isTelling(delta) ? 'whole' : 'piece')
    for (const one of [choice, delta, message]) this.#addReason(one?.finish_reason)
  }

  #addReason(given: unknown): void {
    const reason = toFinishReason(given)
    if (reason === 'error') this.#failedWith ||= toText(given)
    this.#finishReason = graverReason(this.#finishReason, reason)
    this.#isFinished ||= reason !== ''
  }

  #addMessage(message: RawJson, extent: Extent): void {
    const { role: _role, finish_reason: _reason, content, ...others } = message
    this.#addContent(content, extent)
    for (const [field, value] of Object.entries(others)) {
      if (/^tool_?calls?$/i.test(field)) this.#hear(add(this.#calls, readCalls(value), extent))
      else if (/^function_?call$/i.test(field)) this.#addElsewhere(readOldCall(value), extent)
      else this.#addFurther(field, value, extent)
    }
  }

  #addContent(given: unknown, extent: Extent): void {
    const content = readContent(given)
    const parts = typeof content === 'string' ? [] : content
    const calls = parts.map(readCallPart)
    const words = typeof content === 'string' ? content : content.filter((_part, n) => !calls[n])
    if (extent === 'whole') this.#content.addWhole(words)
    else this.#content.add(words)
    for (const { refusal } of parts) this.#addFurther('refusal', refusal, extent)
    this.#addElsewhere(calls.filter(isRecord), extent)
  }

  #addFurther(field: string, value: unknown, extent: Extent): void {
    const text = extent === 'whole' ? this.#further.addWhole(field, value) : this.#further.add(field, value)
    if (text !== '' && /^reasoning(_content)?$/.test(field)) this.#sink?.({ type: 'reasoning', text })
  }

  #addElsewhere(entries: readonly RawJson[], extent: Extent): void {
    this.#hear(add(this.#elsewhere, entries, extent), this.#calls.isEmpty)
  }

  #hear(news: readonly CallDelta[], isTold = true): void {
    for (const { isNew, index, name, arguments: text } of news) {
      if (isNew) this.#isFinished = false
      if (isTold) this.#sink?.({ type: 'call', index, name, arguments: text })
    }
  }

  #toMessage(calls: readonly ToolCall[]): AssistantMessage {
    return {
      ...this.#further.fields,
      role: 'assistant',
      content: this.#content.toContent(),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
  }
}

function add(drafts: ToolCallBuilder, entries: readonly RawJson[], extent: Extent): readonly CallDelta[] {
  return extent === 'whole' ? drafts.addWhole(entries) : drafts.addPieces(entries)
}

/** Builds the content of a reply, with texts and parts in order of arrival. */
export class ContentBuilder {
  /** Parts, and lists of the texts between them. */
  readonly #said: (readonly string[] | ContentPart)[] = []
  readonly #tell: (text: string) => void
  #texts: string[] = []
  #text = ''
  #isPieced = false

  /** `tell` is called with each new text. */
  constructor(tell: (text: string) => void) {
    this.#tell = tell
  }

  /** Adds the next piece. */
  add(content: string | readonly ContentPart[]): void {
    this.#isPieced ||= textOf(content) !== ''
    this.#append(content)
  }

  /** Adds the content of a whole message, which may repeat earlier content. */
  addWhole(content: string | readonly ContentPart[]): void {
    if (this.#said.length === 0) {
      this.#append(content)
      return
    }
    this.#append(newText(textOf(content), this.#text, this.#isPieced))
    if (typeof content !== 'string') this.#append(content.filter((part) => !part.text && !this.#has(part)))
  }

  /** Returns text, or parts if there were any. */
  toContent(): string | readonly ContentPart[] {
    if (this.#said.every(Array.isArray)) return this.#text
    return this.#said.map((one) => ('type' in one ? one : { type: 'text', text: one.join('') }))
  }

  #append(content: string | readonly ContentPart[]): void {
    if (typeof content !== 'string') for (const part of content) this.#appendPart(part)
    else if (content !== '') {
      if (this.#said.at(-1) !== this.#texts) {
        this.#texts = []
        this.#said.push(this.#texts)
      }
      this.#texts.push(content)
      this.#hear(content)
    }
  }

  #appendPart(part: ContentPart): void {
    this.#said.push(part)
    this.#hear(textOf([part]))
  }

  #hear(text: string): void {
    if (text === '') return
    this.#text += text
    this.#tell(text)
  }

  #has(part: ContentPart): boolean {
    return this.#said.some((one) => sameValue(one, part))
  }
}

/** Collects the unknown fields of a reply, so that the server gets them back. */
export class ExtraFields {
  readonly fields: Record<string, unknown> = {}
  readonly #pieced = new Set<string>()

  /** Adds a piece: text and lists are appended, other values replace the old one. Returns the new text. */
  add(field: string, value: unknown): string {
    if (isFilled(value)) this.#pieced.add(field)
    return this.#join(field, value)
  }

  /** Adds a field of a whole message, which may repeat earlier values. */
  addWhole(field: string, value: unknown): string {
    const before = getOwn(this.fields, field)
    const isPieced = this.#pieced.has(field)
    if (typeof before === 'string' && typeof value === 'string')
      return this.#join(field, newText(value, before, isPieced))
    if (Array.isArray(before) && Array.isArray(value) && value.length > 0) {
      if (isPieced || sameValue(before, value.slice(0, before.length))) before.length = 0
    }
    return this.#join(field, value)
  }

  #join(field: string, value: unknown): string {
    const before = getOwn(this.fields, field)
    if (!isFilled(value) || (before !== undefined && isNothing(value))) return ''
    if (Array.isArray(before) && Array.isArray(value)) {
      for (const one of value) before.push(one)
      return ''
    }
    if (typeof before !== 'string' || typeof value !== 'string') {
      setOwn(this.fields, field, Array.isArray(value) ? [...value] : value)
      return typeof value === 'string' ? value : ''
    }
    if (value === before && !isSpoken(field)) return ''
    setOwn(this.fields, field, before + value)
    return value
  }
}

/** Whether a field contains text of the model. In other fields, such as `name`, an equal value is a repetition. */
function isSpoken(field: string): boolean {
  return /reason|think|thought|refusal|content|text|transcript|summary/i.test(field)
}

/**
 * Returns the part of a message's text that is new. The message may repeat all text so far, extend it, or be its next
 * piece. If the text came in deltas (`isPieced`), a repeated beginning or end adds nothing.
 */
export function newText(said: string, soFar: string, isPieced: boolean): string {
  if (said.length >= soFar.length && said.startsWith(soFar)) return said.slice(soFar.length)
  if (!isPieced) return said
  const isRepeated = soFar.startsWith(said) || soFar.endsWith(said) || soFar.trim() === said.trim()
  return isRepeated ? '' : said
}

interface BoundedMessage {
  readonly message: AssistantMessage
  /** Paths of omitted fields, such as `tool_calls.extra_content`. At most 20. */
  readonly omitted: readonly string[]
}

/**
 * Removes unknown fields with more than 100 levels, which `JSON.stringify` may not handle, or beyond 8 MiB of JSON in
 * total. Fields of calls are kept first, then content parts, then the rest.
 */
export function boundUnknownFields(given: AssistantMessage): BoundedMessage {
  const allowance = new Allowance()
  const { tool_calls: calls, content } = given
  const bounded = {
    ...given,
    ...(calls ? { tool_calls: calls.map((call) => boundCall(call, allowance)) } : {}),
    content: boundContent(content, allowance),
  }
  const message = allowance.bound(bounded, ['role', 'content', 'tool_calls'])
  return { message, omitted: [...allowance.omitted] }
}

const mostLevels = 100
const mostCharacters = 8 * 2 ** 20
const mostOmitted = 20

/** The remaining size for unknown fields of a message. */
class Allowance {
  readonly omitted = new Set<string>()
  #left = mostCharacters

  /** Returns the record without unknown fields that do not fit. `path` is the prefix of their names. */
  bound<Fields extends RawJson>(record: Fields, known: readonly string[], path = ''): Fields {
    const tooMuch = new Set<string>()
    for (const [name, value] of Object.entries(record))
      if (!known.includes(name) && !this.#takes(name, value)) tooMuch.add(name)
    if (tooMuch.size === 0) return record
    for (const name of tooMuch) this.#note(path + name)
    return Object.fromEntries(Object.entries(record).filter(([name]) => !tooMuch.has(name))) as Fields
  }

  #takes(name: string, value: unknown): boolean {
    if (value === undefined) return true
    if (!isShallow(value, mostLevels)) return false
    // Escapes in a text are not counted: most texts have none.
    const length = name.length + (typeof value === 'string' ? value : JSON.stringify(value)).length
    if (length > this.#left) return false
    this.#left -= length
    return true
  }

  #note(path: string): void {
    if (this.omitted.size < mostOmitted) this.omitted.add(path.slice(0, 100))
  }
}

function boundCall(given: ToolCall, allowance: Allowance): ToolCall {
  const call = allowance.bound(given, ['id', 'type', 'function'], 'tool_calls.')
  const inner = allowance.bound(given.function, ['name', 'arguments'], 'tool_calls.function.')
  return inner === given.function ? call : { ...call, function: inner }
}

function boundContent(content: Content, allowance: Allowance): Content {
  if (!Array.isArray(content)) return content
  const parts = content.map((part) => boundPart(part, allowance)).filter((part) => part !== undefined)
  return parts.length > 0 ? parts : ''
}

/** Servers may reject a partial content part, so only its text is kept. */
function boundPart(given: ContentPart, allowance: Allowance): ContentPart | undefined {
  if (allowance.bound(given, ['type', 'text'], 'content.') === given) return given
  return given.text ? { type: given.type, text: given.text } : undefined
}
