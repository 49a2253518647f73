import type { CapstanError } from '../../errors.js'
import { isRecord, tryJson } from '../../json.js'
import type { BodyReader, ModelFeature, ReplyBuilder } from '../../model/protocol.js'
import { isShallow, type RawJson } from '../../model/reply-fields.js'
import { failedWithoutMessage, invalidJson, isFailure, truncatedEvent } from '../../model/response-errors.js'
import { note } from '../../types/model.js'
import { MessageBuilder } from './message-builder.js'
import {
  EventDecoder,
  isEndMark,
  isErrorName,
  isHeartbeat,
  isHeartbeatJson,
  type ServerEvent,
} from './stream-events.js'

/** Reads streams, and replies in the forms in which servers differ from the documented one. */
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

/** A field name within the data of an event. */
const repeatedField = /^\s*(data:\s*)+/i

/** Reads the text of a stream, event by event, or a JSON body, into a builder. */
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
    const isPlain = type === 'message' || this.builder.isNamed
    if (isPlain && this.builder.addLike?.(raw)) return
    const known = isPlain && raw.startsWith('{') ? tryJson(raw) : undefined
    if (isRecord(known)) {
      this.#handleRecord(known, raw)
      return
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
    // Named events have one that ends the reply: some servers leave the connection open after it.
    if (this.builder.isNamed && this.builder.isFinished) this.isDone = true
    if (!isTaken && isHeartbeatJson(chunk)) {
      // The heartbeats of named events are part of their interface.
      if (!this.builder.isNamed) note('event-passed-over', chunk)
      return
    }
    if (!isTaken && isFailure(chunk)) throw this.#toFailure(data)
    this.hasBegun = true
    if (!isTaken) this.builder.add(chunk)
  }

  /** Splits events without empty lines between them if each line is an event. */
  #handleLines(type: string, data: string): void {
    const lines = data.split('\n')
    if (lines.length > 1 && lines.every((line) => isEndMark(line.trim()) || isRecord(tryJson(line)))) {
      note('events-joined', data)
      for (const line of lines) this.#handleEvent({ type, data: line })
    } else if (!this.#isEnding || !this.hasBegun) throw invalidJson('a stream event', data)
    // After the finish reason, only an end mark or token counts can be incomplete.
    else if (!this.builder.isFinished || /"(delta|message|error)"/.test(data)) throw truncatedEvent(data)
    else note('event-passed-over', data)
  }

  #namedError(type: string, data: string): CapstanError {
    if (data === '' || isEndMark(data)) return failedWithoutMessage(`an event named "${type}"`)
    const parsed = tryJson(data)
    // Data that JSON.stringify cannot write is passed on as received.
    const isWritable = isRecord(parsed) && isShallow(parsed, 100)
    return this.#toFailure(isWritable ? JSON.stringify({ error: parsed, ...parsed }) : data)
  }
}
