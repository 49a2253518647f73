// The events of a stream, and chunks of chat completions in the documented form.

import { badResponse, type CapstanError } from '../../errors.js'
import { isRecord, isString, tryJson } from '../../json.js'
import type { BodyReader, ReplyBuilder } from '../../model/protocol.js'
import { hasOtherFields, onlyChoice, type PlainEntry, readPlainCall } from '../../model/read-response.js'
import {
  isEmptyValue,
  isFilled,
  isShallow,
  type RawJson,
  replyFields,
  toText,
} from '../../model/reply-fields.js'
import { failedWithoutMessage, invalidJson, isFailure } from '../../model/response-errors.js'
import { note } from '../../types/model.js'

/** Matches a repeated field name at the start of an event's data. */
const repeatedField = /^\s*(data:\s*)+/i

/** Reads a stream, event by event, or a JSON body, and adds the content to a builder. */
export class StreamReader implements BodyReader {
  readonly builder: ReplyBuilder
  readonly #toFailure: (body: string) => CapstanError
  readonly #events = new EventDecoder((event) => this.#handleEvent(event))
  #isEnding = false
  hasBegun = false
  isDone = false

  /** `toFailure` creates an error from a server's error body. */
  constructor(builder: ReplyBuilder, toFailure: (body: string) => CapstanError) {
    this.builder = builder
    this.#toFailure = toFailure
  }

  write(text: string): void {
    this.#events.write(text)
  }

  end(): void {
    this.#isEnding = true
    this.#events.end()
  }

  #handleEvent({ type, data: raw }: ServerEvent): void {
    if (this.isDone) return
    if (type === 'message' || this.builder.isNamed) {
      if (this.builder.addLike?.(raw)) return
      const known = raw.startsWith('{') ? tryJson(raw) : undefined
      if (isRecord(known)) {
        this.#handleRecord(known, raw)
        return
      }
    }
    const data = raw.trim().replace(repeatedField, '')
    if (repeatedField.test(raw)) note('line-without-data', raw)
    if (isErrorName(type)) throw this.#namedError(type, data)
    this.isDone = isEndMark(data)
    if (this.isDone) return
    const chunk = tryJson(data)
    if (isHeartbeat({ type, data })) note('event-passed-over', `${type}: ${data}`)
    else if (isRecord(chunk)) this.#handleRecord(chunk, data)
    else if (isHeartbeatJson(chunk)) note('event-passed-over', data)
    else if (isFailure(chunk)) throw this.#toFailure(data)
    else this.#handleLines(type, data)
  }

  #handleRecord(chunk: RawJson, data: string): void {
    const isTaken = this.builder.addPlain(chunk, data)
    // If events are named, one of them ends the reply. Some servers leave the connection open after the last event.
    if (this.builder.isNamed && this.builder.isFinished) this.isDone = true
    if (!isTaken && isHeartbeatJson(chunk)) {
      // The documentation of named events includes heartbeats, so they are not noted.
      if (!this.builder.isNamed) note('event-passed-over', chunk)
      return
    }
    if (!isTaken && isFailure(chunk)) throw this.#toFailure(data)
    this.hasBegun = true
    if (!isTaken) this.builder.add(chunk)
  }

  /** Splits events that have no empty lines between them, if each line is an event. */
  #handleLines(type: string, data: string): void {
    const lines = data.split('\n')
    if (lines.length > 1 && lines.every((line) => isEndMark(line.trim()) || isRecord(tryJson(line)))) {
      note('events-joined', data)
      for (const line of lines) this.#handleEvent({ type, data: line })
    } else if (!this.#isEnding || !this.hasBegun) throw invalidJson('a stream event', data)
    // After the finish reason, only an end mark or token counts can be incomplete.
    else if (!this.builder.isFinished || /"(delta|message|error)"/.test(data)) {
      const excerpt = data.slice(0, 200)
      const message = `The reply was cut off within an event: ${excerpt}. No tool ran.`
      throw badResponse(message, { excerpt }, 'truncated')
    } else note('event-passed-over', data)
  }

  #namedError(type: string, data: string): CapstanError {
    if (data === '' || isEndMark(data)) return failedWithoutMessage(`an event named "${type}"`)
    const parsed = tryJson(data)
    // Data that JSON.stringify cannot write is passed on as received.
    const isWritable = isRecord(parsed) && isShallow(parsed, 100)
    return this.#toFailure(isWritable ? JSON.stringify({ error: parsed, ...parsed }) : data)
  }
}

/** One server-sent event; `type` is `message` unless the server named it. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
}

/**
 * Decodes server-sent events from text that may be cut anywhere. Events with neither data nor a name are heartbeats and
 * are not reported. The last event does not need an empty line after it. Unknown lines that look like JSON count as
 * data, because dropping them could silently lose part of a reply.
 */
export class EventDecoder {
  readonly #onEvent: (event: ServerEvent) => void
  /** The start of an incomplete line. */
  #rest = ''
  /**
   * Whether the last piece ended with a CR. If so, an LF at the start of the next piece belongs to the same line break.
   */
  #afterCr = false
  #type = ''
  #data: string | undefined

  constructor(onEvent: (event: ServerEvent) => void) {
    this.#onEvent = onEvent
  }

  write(text: string): void {
    const own = this.#afterCr && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') this.#afterCr = text.endsWith('\r')
    // Nearly every server sends LF line endings.
    const lines = own.includes('\r') ? own.replace(/\r\n?/g, '\n') : own
    const [first = '', ...others] = lines.split('\n')
    this.#rest += first
    for (const line of others) {
      this.#line(this.#rest)
      this.#rest = line
    }
  }

  /** Ends the stream and dispatches the last event. */
  end(): void {
    this.#line(this.#rest)
    this.#dispatch()
  }

  #line(line: string): void {
    if (line === '') this.#dispatch()
    else if (line.startsWith('data: ')) this.#addData(line.slice(6))
    else this.#field(line)
  }

  #addData(line: string): void {
    this.#data = this.#data === undefined ? line : `${this.#data}\n${line}`
  }

  /** Reads any other line. The field name may be in upper or lower case, with byte order marks and spaces before it. */
  #field(line: string): void {
    const [all, field = '', value = ''] = /^[\ufeff\s]*(?:([a-z]+)[ \t]*)?(?:: ?(.*))?$/is.exec(line) ?? []
    const name = all === undefined ? 'unknown' : field.toLowerCase()
    if (name === 'event') this.#type = value
    // Comments, fields without a meaning here, and unknown fields without JSON are ignored.
    else if (name === 'data' || (!['', 'id', 'retry'].includes(name) && /[{}[\]"]/.test(line))) {
      if (!/^data(:|$)/.test(line)) note('line-without-data', line)
      this.#addData(name === 'data' ? value : line)
    }
  }

  #dispatch(): void {
    if (this.#data === undefined && this.#type === '') return
    const event = { type: this.#type.trim() || 'message', data: this.#data ?? '' }
    this.#type = ''
    this.#data = undefined
    if (event.data.trim() !== '' || event.type !== 'message') this.#onEvent(event)
  }
}

/** Whether an event's data marks the end of the stream. */
export function isEndMark(data: string): boolean {
  return /^"?(\[done\]|done)"?$/i.test(data)
}

/** Whether an event's name marks it as an error, whatever its data. */
export function isErrorName(type: string): boolean {
  return /(^|[._-])(error|failed|exception)$/i.test(type)
}

/** Whether an event is only a heartbeat: a keep-alive word, a timestamp, a comment that was sent as data, or no data. */
export function isHeartbeat({ type, data }: ServerEvent): boolean {
  return isAliveWord(type) || isAliveWord(data) || noData.test(data)
}

const noData = /^("?([\d\s.:TZ+-]+|\w{3}, \d\d \w{3} \d{4} [\d:]+ \w+)"?|:[^{}[\]"]*)?$/

/** Whether the JSON of an event is only a heartbeat. */
export function isHeartbeatJson(value: unknown): boolean {
  if (value === undefined) return false
  return isEmptyValue(value) || (isRecord(value) && [value.type, value.object, value.event].some(isAliveWord))
}

function isAliveWord(word: unknown): boolean {
  return /^["[]*(ping|pong|keep[\s_-]?alive|heart[\s_-]?beat)[\]"]*$/i.test(toText(word).trim())
}

/** The content of a chunk in the documented form. */
export interface PlainChunk {
  /** The content as sent: text, `null` or nothing. */
  readonly text: string | null | undefined
  readonly call?: PlainEntry
  /** The finish reason as sent. */
  readonly reason: unknown
}

/**
 * Parses a chunk in the documented form. Undefined for any other form, which the lenient reader parses. Must be fast,
 * because a stream has thousands of chunks.
 */
export function readChunk(chunk: RawJson): PlainChunk | undefined {
  const { object = 'chat.completion.chunk', usage = null } = chunk
  if (object !== 'chat.completion.chunk' || usage !== null) return undefined
  const { delta, finish_reason: reason } = onlyChoice(chunk, 'delta') ?? {}
  if (!isRecord(delta) || hasOtherFields(delta, replyFields)) return undefined
  const { content: text, tool_calls: calls = null } = delta
  if (text !== null && text !== undefined && !isString(text)) return undefined
  if (calls === null) return { text, reason }
  const call = Array.isArray(calls) && calls.length === 1 ? readPlainCall(calls[0]) : undefined
  return call && { text, call, reason }
}

/**
 * Parses chunks that differ from an earlier chunk only in their text, as nearly all do. Parsing only the text takes
 * half the time.
 */
export class ChunkFrame {
  /** The JSON before and after the text, including the text's quotes. */
  #start = ''
  #end = ''
  #piece: PlainChunk | undefined
  /** The chunk that the frame comes from. */
  chunk: RawJson = {}
  /** The number of consecutive frames that no later chunk matched. Some servers change a field in each chunk. */
  #unused = 0

  /**
   * Stores a chunk's layout, if the text can be replaced in its JSON. Ignores chunks without text or with a finish
   * reason.
   */
  learn(json: string, piece: PlainChunk, chunk: RawJson = {}): void {
    const text = textIn(piece)
    if (!text || isFilled(piece.reason) || this.#unused > 2) return
    const quoted = JSON.stringify(text)
    const at = json.lastIndexOf(quoted)
    this.#start = json.slice(0, at + 1)
    this.#end = json.slice(at + quoted.length - 1)
    this.#unused += 1
    this.chunk = chunk
    // The same text may also be the value of a different field.
    const changed = tryJson(`${this.#start}.${json.slice(at + 1)}`)
    this.#piece = textIn(readChunk(Object(changed))) === `.${text}` ? piece : undefined
  }

  /** Returns a chunk's content if the chunk differs from the stored one only in its text. Undefined otherwise. */
  read(json: string): PlainChunk | undefined {
    const { length } = this.#start
    // This is three times as fast as startsWith.
    if (!this.#piece || !json.endsWith(this.#end) || json.slice(0, length) !== this.#start) return undefined
    const text = tryJson(json.slice(length - 1, json.length - this.#end.length + 1))
    if (!isString(text)) return undefined
    this.#unused = 0
    const { call, reason } = this.#piece
    return call ? { ...this.#piece, call: { ...call, text } } : { text, reason }
  }
}

/** Returns the text of a chunk, the part that may differ in the next chunk. */
function textIn(piece: PlainChunk | undefined): string | null | undefined {
  return piece?.call?.text ?? piece?.text
}
