import { CapstanError } from '../words/error.js'
import type { AssistantMessage, ContentPart, ToolCall } from '../words/message.js'
import type { TokenUsage } from '../words/usage.js'
import { CallDrafts } from './call-drafts.js'
import { getOwn, isFilled, isRecord, type Loose, setOwn, toText } from './loose.js'
import type { ModelReply, ModelSink } from './model.js'
import { readCalls, readContent, readMessage, readOldCall } from './read-shapes.js'
import { toTokens } from './to-tokens.js'

/** One reply in the making, from a completion or from the chunks of a stream. */
export class Assembly {
  readonly #calls: CallDrafts
  readonly #sink: ModelSink | undefined
  readonly #text: string[] = []
  readonly #parts: ContentPart[] = []
  readonly #further: Record<string, unknown> = {}
  #answered = false
  #finishReason = ''
  #tokens: TokenUsage | undefined

  constructor(isTool: (name: string) => boolean, sink?: ModelSink) {
    this.#calls = new CallDrafts(isTool)
    this.#sink = sink
  }

  /** Takes a parsed `chat.completion` or `chat.completion.chunk`; only the first choice counts. */
  add(chunk: Loose): void {
    this.#tokens = toTokens(chunk.usage) ?? this.#tokens
    const choice = toChoice(chunk)
    if (!choice) return
    const delta = readMessage('delta', choice.delta)
    const message = delta ?? readMessage('message', choice.message)
    // A choice of another interface, or one whose message never came.
    if (!message && ('message' in choice || 'text' in choice)) return
    this.#answered = true
    if (isFilled(choice.finish_reason)) this.#finishReason = toText(choice.finish_reason)
    if (message) this.#addMessage(message, message !== delta)
  }

  /** Whether the server has said why it ended: what may still come is the count of tokens. */
  get isFinished(): boolean {
    return this.#finishReason !== ''
  }

  /**
   * The whole reply; `ended` says that the server marked the end otherwise than by a finish reason.
   * @throws CapstanError `truncated` when calls may be cut, `invalid_response` when there is no answer in it
   */
  finish(ended: boolean): ModelReply {
    if (!this.#answered) throw noChoices()
    if (this.#finishReason === 'error') throw failedMidway()
    const calls = this.#calls.toCalls()
    const finishReason = this.#finishReason
    const isOver = ended || finishReason !== ''
    if (calls.length > 0 && !isOver) throw cutOff(calls)
    if (calls.length === 0 && /^(tool_calls|function_call)$/.test(finishReason))
      throw callsMissing(finishReason)
    return {
      message: this.#toMessage(calls),
      ...(finishReason === '' ? {} : { finishReason }),
      ...(this.#tokens ? { tokens: this.#tokens } : {}),
      ...(isOver ? {} : { incomplete: true }),
    }
  }

  #addMessage(message: Loose, whole: boolean): void {
    const { role: _role, content, tool_calls, function_call, ...others } = message
    this.#addContent(content)
    for (const [field, value] of Object.entries(others)) this.#addFurther(field, value)
    const entries = readCalls(tool_calls)
    const calls = entries.length > 0 ? entries : readOldCall(function_call)
    for (const call of calls) this.#addCall(call, whole)
  }

  #addContent(given: unknown): void {
    const content = readContent(given)
    if (typeof content === 'string') {
      if (content === '') return
      this.#text.push(content)
      this.#sink?.({ type: 'text', text: content })
      return
    }
    for (const part of content) {
      if (typeof part.refusal === 'string') this.#addFurther('refusal', part.refusal)
      this.#parts.push(part)
      if (part.text) this.#sink?.({ type: 'text', text: part.text })
    }
  }

  /** Kept for the server to see again: pieces of text are joined, lists appended, else the newest counts. */
  #addFurther(field: string, value: unknown): void {
    if (value === null || value === undefined) return
    const before = getOwn(this.#further, field)
    const isReasoning = /^reasoning(_content)?$/.test(field)
    if (isReasoning && toText(value) !== '') this.#sink?.({ type: 'reasoning', text: toText(value) })
    if (typeof before === 'string' && typeof value === 'string') setOwn(this.#further, field, before + value)
    else if (Array.isArray(before) && Array.isArray(value)) before.push(...value)
    else setOwn(this.#further, field, Array.isArray(value) ? [...value] : value)
  }

  #addCall(entry: Loose, whole: boolean): void {
    const { draft, fragment } = this.#calls.add(entry, whole)
    this.#sink?.({ type: 'call', index: draft.position, name: draft.name, arguments: fragment })
  }

  #toMessage(calls: readonly ToolCall[]): AssistantMessage {
    const text = this.#text.join('')
    const content =
      this.#parts.length === 0 ? text : text === '' ? this.#parts : [{ type: 'text', text }, ...this.#parts]
    return {
      ...this.#further,
      role: 'assistant',
      content,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
  }
}

function toChoice({ choices }: Loose): Loose | undefined {
  const given = Array.isArray(choices) ? choices.filter(isRecord) : []
  return given.find(({ index }) => index === 0) ?? given.find(({ index }) => typeof index !== 'number')
}

function failedMidway(): CapstanError {
  const message =
    'The server ended its answer with finish_reason "error" and no word about it: nothing of it was used.'
  return new CapstanError('api', message, { retryable: true })
}

function noChoices(): CapstanError {
  const message = 'The server answered without a single choice. Sending the request again may help.'
  return new CapstanError('invalid_response', message, { retryable: true })
}

function callsMissing(finishReason: string): CapstanError {
  const message = `The server ended with finish_reason "${finishReason}" but sent no call. Sending the request again may help.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { finishReason } })
}

function cutOff(calls: readonly ToolCall[]): CapstanError {
  const names = calls.map((call) => call.function.name)
  const message = `The answer was cut off before its end, with calls of ${names.join(', ')} in it: nothing was run.`
  return new CapstanError('truncated', message, { retryable: true, evidence: { calls: names } })
}
