import type { AssistantMessage, ToolCall } from '../words/message.js'
import type { ModelReply, ModelSink } from '../words/model.js'
import { isRecord } from '../words/record.js'
import type { TokenUsage } from '../words/usage.js'
import { CallDrafts, type CallNews } from './call-drafts.js'
import { ContentDraft } from './content-draft.js'
import { FieldDrafts } from './field-drafts.js'
import { graverReason, promisesCalls, toFinishReason } from './finish-reason.js'
import { isTelling, type Loose, toText } from './loose.js'
import { callsMissing, cutOff, failedSilently, noChoices, strayArguments } from './not-a-reply.js'
import { pickChoice, toChoices } from './pick-choice.js'
import type { Piece } from './read-piece.js'
import {
  readBeside,
  readCallPart,
  readCalls,
  readContent,
  readMessage,
  readOldCall,
  refuseLoose,
  unreadable,
} from './read-shapes.js'
import { toTokens } from './to-tokens.js'
import { boundUnknownFields } from './unknown-fields.js'

/** Whether a message is the next piece of an answer, or says all of it, maybe again. */
type Extent = 'piece' | 'whole'

/** One reply in the making, from a completion or from the chunks of a stream. */
export class Assembly {
  readonly #sink: ModelSink | undefined
  readonly #content: ContentDraft
  readonly #further = new FieldDrafts()
  readonly #calls: CallDrafts
  /** Calls in the old `function_call` or among the parts of content: often the same ones once more. */
  readonly #elsewhere: CallDrafts
  #answered = false
  #finishReason = ''
  #failedWith = ''
  #isFinished = false
  #tokens: TokenUsage | undefined

  constructor(isTool: (name: string) => boolean, sink?: ModelSink) {
    this.#sink = sink
    this.#content = new ContentDraft((text) => {
      this.#isFinished = false
      sink?.({ type: 'text', text })
    })
    this.#calls = new CallDrafts(isTool)
    this.#elsewhere = new CallDrafts(isTool)
  }

  /** Takes a parsed `chat.completion` or `chat.completion.chunk`; only the first choice counts. */
  add(chunk: Loose): void {
    this.#tokens = toTokens(chunk.usage) ?? this.#tokens
    const choices = toChoices(chunk)
    if (!choices) throw unreadable('choices', chunk.choices)
    const choice = pickChoice(chunk)
    if (choice) this.#addChoice(choice)
    else if (choices.length === 0) refuseLoose(chunk)
  }

  /** Takes what a chunk of the common form brings; false where it is not plain which call it is of. */
  addPiece({ text, call, reason }: Piece): boolean {
    const news = call && this.#calls.addPlain(call)
    if (call && !news) return false
    this.#answered = true
    if (text !== '') this.#content.add(text)
    if (news) this.#hear([news])
    if (reason !== '') this.#addReason(reason)
    return true
  }

  /** Whether the server has said why it ended, and nothing of the answer since: what may still come is the count of tokens. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  /**
   * The whole reply; `ended` says that the server marked the end otherwise than by a finish reason.
   * @throws CapstanError `truncated` when calls may be cut, `invalid_response` when there is no answer in it
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

  #addChoice(choice: Loose): void {
    const delta = readMessage('delta', choice.delta)
    const message = readMessage('message', choice.message)
    const beside = readBeside(choice, [delta, message])
    // A choice of another interface, or one whose message never came, answers nothing.
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

  #addMessage(message: Loose, extent: Extent): void {
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

  #addElsewhere(entries: readonly Loose[], extent: Extent): void {
    this.#hear(add(this.#elsewhere, entries, extent), this.#calls.isEmpty)
  }

  #hear(news: readonly CallNews[], isTold = true): void {
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

function add(drafts: CallDrafts, entries: readonly Loose[], extent: Extent): readonly CallNews[] {
  return extent === 'whole' ? drafts.addWhole(entries) : drafts.addPieces(entries)
}
