import { joinBytes } from '../bytes.js'
import { CapstanError, isCapstanError } from '../errors.js'
import {
  EventDecoder,
  isEndMark,
  isErrorName,
  isHeartbeat,
  isHeartbeatJson,
  type ServerEvent,
} from '../features/reply-forms/sse.js'
import { isRecord, tryJson } from '../json.js'
import type { Secrets } from '../secrets/secrets.js'
import { type AssistantMessage, textOf } from '../types/message.js'
import type { ModelReply, ModelSink } from '../types/model.js'
import { note } from '../types/wire.js'
import type { Protocol, ReplyBuilder } from './protocol.js'
import { isShallow, JsonScanner, keptHeaders, type RawJson, toResponse } from './reply-fields.js'
import { furtherFieldsOf } from './request-body.js'
import {
  failedWithoutMessage,
  invalidJson,
  invalidUtf8,
  isFailure,
  toApiError,
  tooLong,
  truncatedEvent,
} from './response-errors.js'
import { rootCause, type TransportResponse } from './transport.js'

export interface ReadOptions {
  readonly protocol: Protocol
  readonly isTool: (name: string) => boolean
  readonly sink?: ModelSink | undefined
  readonly signal: AbortSignal
  readonly maxBytes: number
  /** Values that kept headers must not show. */
  readonly secrets: Secrets
  /** The mark of the server, for replies with fields that only the server itself takes back. */
  readonly server: string
  /** Finishes reading and passes the notes on. Default: there is no tap. */
  readonly noting?: (<T>(read: () => T) => T) | undefined
}

/**
 * Reads a response to its end. Its content decides whether it is JSON or a stream: servers send wrong headers and even
 * the wrong mode.
 * @throws CapstanError for everything that is not a complete reply
 */
export async function readReply(
  opened: Promise<TransportResponse>,
  options: ReadOptions,
): Promise<ModelReply> {
  const response = await opened
  const reader = new BodyReader(response, options)
  const release = closeWhenIdle(reader, response.leave)
  try {
    await response.read((bytes) => {
      reader.write(bytes)
      return !reader.isDone
    })
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    if (reader.hasFailed || !reader.isFinished) throw isCapstanError(error) ? error : reader.cutOff(error)
  } finally {
    release()
  }
  const reply = options.noting ? options.noting(() => reader.finish()) : reader.finish()
  const { message } = reply
  const { server } = options
  const marked = furtherFieldsOf(message).length > 0 ? { ...reply, message: { ...message, server } } : reply
  const headers = keptHeaders(response.headers(), options.secrets)
  return headers ? { ...marked, response: { ...reply.response, headers } } : marked
}

/** Reads a response body. Its first characters decide whether it is a stream or JSON. */
class BodyReader {
  readonly #response: TransportResponse
  readonly #options: ReadOptions
  /** Created when needed: most bodies in the documented form need neither. */
  #ownBuilder: ReplyBuilder | undefined
  #ownStream: StreamReader | undefined
  readonly #decoder = new TextReader()
  #scanner: JsonScanner | undefined
  #scanned = 0
  /** The text of a body that is no stream. */
  #text = ''
  #kind: Kind = 'unknown'
  #bytes = 0
  /** Whether the body is longer than `maxBytes` and reading stopped. */
  #isFull = false
  /** Whether the content caused the failure, not the connection. */
  hasFailed = false

  constructor(response: TransportResponse, options: ReadOptions) {
    this.#response = response
    this.#options = options
    if (this.#isErrorStatus) this.#kind = 'whole'
  }

  get #builder(): ReplyBuilder {
    this.#ownBuilder ??= this.#options.protocol.createBuilder({
      ...this.#options,
      toFailure: (body) => this.#failure(body),
    })
    return this.#ownBuilder
  }

  get #stream(): StreamReader {
    this.#ownStream ??= new StreamReader(this.#builder, (body) => this.#failure(body))
    return this.#ownStream
  }

  /** Whether reading is over: the server marked the end, or the body is too long. */
  get isDone(): boolean {
    return this.#isFull || this.#isStreamDone
  }

  get #isStreamDone(): boolean {
    return this.#ownStream?.isDone ?? false
  }

  /** Whether later content cannot change the outcome: the reply is complete, or it is an error. */
  get isFinished(): boolean {
    if (this.#isErrorStatus) return true
    return this.#kind === 'stream' ? this.#builder.isFinished : this.isWhole
  }

  /** Whether the body is JSON and complete. Few bodies are looked at: most end in time. */
  get isWhole(): boolean {
    if (this.#kind !== 'whole') return false
    this.#scanner ??= new JsonScanner()
    this.#scanner.add(this.#text.slice(this.#scanned))
    this.#scanned = this.#text.length
    return this.#scanner.isClosed
  }

  get #isErrorStatus(): boolean {
    return this.#response.status < 200 || this.#response.status >= 300
  }

  write(bytes: Uint8Array): void {
    try {
      const { maxBytes } = this.#options
      const bytesLeft = maxBytes - this.#bytes
      this.#bytes += bytes.byteLength
      this.#isFull = this.#bytes > maxBytes
      this.#read(this.#decoder.read(this.#isFull ? bytes.subarray(0, bytesLeft) : bytes))
      if (this.#isFull && !this.isFinished && !this.#isStreamDone) throw tooLong(maxBytes)
    } catch (error) {
      this.hasFailed = true
      throw error
    }
  }

  finish(): ModelReply {
    this.#read(this.#decoder.end())
    if (this.#kind === 'stream') this.#stream.end()
    else {
      // An error may begin with a byte order mark.
      const body = this.#text.trimStart()
      const completion = tryJson(body)
      const fast = this.#readFast(completion)
      if (fast) return fast
      this.#addWhole(completion, body)
    }
    const reply = this.#builder.finish(this.#isStreamDone || this.#kind !== 'stream')
    if (this.#decoder.hasInvalidBytes && reply.message.tool_calls) throw invalidUtf8()
    // The model is not silent: its answer was still to come.
    if (reply.incomplete && !textOf(reply.message.content).trim()) throw this.cutOff('no text')
    return reply
  }

  /** Creates the error for a broken connection: the reply is incomplete. */
  cutOff(error: unknown): CapstanError {
    const hasBegun = this.#ownStream?.hasBegun || (this.#kind === 'whole' && this.#text.trim() !== '')
    const what = hasBegun ? 'The response was cut off' : 'The connection broke before a response'
    const message = `${what} (${rootCause(error)}). Nothing was run.`
    return new CapstanError(hasBegun ? 'truncated' : 'network', message, { retryable: true, cause: error })
  }

  #read(text: string): void {
    let next = text
    if (this.#kind === 'unknown') {
      // Leading white space may be a keep-alive of any length.
      next = (this.#text + text).trimStart()
      this.#text = ''
      this.#kind = detectKind(next)
    }
    if (this.#kind === 'stream') this.#stream.write(next)
    else this.#text += next
  }

  /** Reads a reply in the documented form directly. Its deltas are emitted like those of others. */
  #readFast(completion: unknown): ModelReply | undefined {
    if (!isRecord(completion) || this.#isErrorStatus || this.#decoder.hasInvalidBytes) return undefined
    const { protocol, sink } = this.#options
    const reply = protocol.readBody?.(completion)
    if (!reply) return undefined
    if (sink) emitReply(reply.message, sink)
    // A copy that gets new fields would take Node 20 twenty times as long.
    return Object.assign(reply, toResponse(completion))
  }

  #addWhole(completion: unknown, body: string): void {
    // Gateways send status 200 with errors in various formats.
    if (this.#isErrorStatus || isFailure(completion)) throw this.#failure(body)
    if (!isRecord(completion))
      throw invalidJson(body.trim() === '' ? 'the body, which is empty' : 'the body', body)
    this.#builder.addBody(completion, body)
  }

  #failure(body: string): CapstanError {
    const { status, header } = this.#response
    return toApiError({ status, body, header, hasBegun: this.#ownStream?.hasBegun ?? false })
  }
}

function emitReply({ content, tool_calls: calls = [] }: AssistantMessage, sink: ModelSink): void {
  const text = textOf(content)
  if (text !== '') sink({ type: 'text', text })
  for (const [index, { function: calledFunction }] of calls.entries())
    sink({ type: 'call', index, ...calledFunction })
}

type Kind = 'unknown' | 'stream' | 'whole'

/**
 * Text that is not a stream after this many characters is JSON: each earlier piece is checked again with all before it.
 */
const maxStartLength = 100

/** Detects a stream by a leading field name or comment. `unknown` if there is too little text. */
function detectKind(start: string): Kind {
  if (/^(:|(data|event|id|retry)[ \t]*[:\r\n])/i.test(start)) return 'stream'
  if (start.length > maxStartLength) return 'whole'
  const word = start.trimEnd().toLowerCase()
  return ['data', 'event', 'id', 'retry'].some((field) => field.startsWith(word)) ? 'unknown' : 'whole'
}

/** Decodes UTF-8 that is cut at any byte. Invalid bytes become U+FFFD and set `isGarbled`. */
export class TextReader {
  /** The bytes of an incomplete character. */
  #partial: Uint8Array | undefined
  /** Whether some bytes were invalid UTF-8. A U+FFFD sent by the server is valid. */
  hasInvalidBytes = false

  read(bytes: Uint8Array): string {
    const all = this.#partial ? joinBytes([this.#partial, bytes]) : bytes
    const left = partialLength(all)
    // Copied because a Buffer's own `slice` would share the sender's memory.
    this.#partial = left > 0 ? new Uint8Array(all.subarray(-left)) : undefined
    return this.#decode(left > 0 ? all.subarray(0, -left) : all)
  }

  /** Returns the rest at the end: an incomplete character, if any. */
  end(): string {
    return this.#partial ? this.#decode(this.#partial) : ''
  }

  #decode(bytes: Uint8Array): string {
    if (this.hasInvalidBytes) return lenient.decode(bytes)
    try {
      return strict.decode(bytes)
    } catch {
      this.hasInvalidBytes = true
      note('bytes-garbled')
      return lenient.decode(bytes)
    }
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns the number of bytes of an incomplete character at the end. */
function partialLength(bytes: Uint8Array): number {
  for (let length = 1; length < 4; length++) {
    const byte = bytes.at(-length) ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return characterLength(byte) > length ? length : 0
  }
  return 0
}

/** Returns the length of the character that starts with this byte. */
function characterLength(first: number): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
}

/** A response that is being read. */
interface OpenResponse {
  /** Whether everything needed has arrived. */
  readonly isFinished: boolean
  /** Whether the body is JSON and complete. */
  readonly isWhole: boolean
}

/**
 * Closes a connection that the server keeps open after a complete response: after 2 s, or 250 ms after a complete JSON
 * body. It looks every 125 ms, so it never looks at a response that ends in time. The returned function ends that.
 */
export function closeWhenIdle(response: OpenResponse, leave: () => void): () => void {
  let count = 0
  const release = () => clearInterval(timer)
  const timer = setInterval(() => {
    // A seeming end may be followed by more.
    count = response.isFinished ? count + (response.isWhole ? 6 : 1) : 0
    if (count <= 16) return
    release()
    leave()
  }, 125)
  return release
}

/** A field name within the data of an event. */
const repeatedField = /^\s*(data:\s*)+/i

/** Reads the text of a stream, event by event, into a builder. */
export class StreamReader {
  readonly #builder: ReplyBuilder
  readonly #toFailure: (body: string) => CapstanError
  readonly #events = new EventDecoder((event) => this.#handleEvent(event))
  #isEnding = false
  /** Whether anything but heartbeats arrived. */
  hasBegun = false
  /** Whether the server marked the end. Later text is not read. */
  isDone = false

  /** `toFailure` creates an error from a server's error body. */
  constructor(builder: ReplyBuilder, toFailure: (body: string) => CapstanError) {
    this.#builder = builder
    this.#toFailure = toFailure
  }

  /**
   * Adds text.
   * @throws CapstanError for an event that is an error or cannot be read
   */
  write(text: string): void {
    this.#events.write(text)
  }

  /**
   * Ends the stream and reads the rest.
   * @throws CapstanError `truncated` when the last event is incomplete and needed
   */
  end(): void {
    this.#isEnding = true
    this.#events.end()
  }

  #handleEvent({ type, data: raw }: ServerEvent): void {
    if (this.isDone) return
    const isPlain = type === 'message' || this.#builder.isNamed
    if (isPlain && this.#builder.addLike?.(raw)) return
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
    const isTaken = this.#builder.addPlain(chunk, data)
    // Named events have one that ends the reply: some servers leave the connection open after it.
    if (this.#builder.isNamed && this.#builder.isFinished) this.isDone = true
    if (!isTaken && isHeartbeatJson(chunk)) {
      // The heartbeats of named events are part of their interface.
      if (!this.#builder.isNamed) note('event-passed-over', chunk)
      return
    }
    if (!isTaken && isFailure(chunk)) throw this.#toFailure(data)
    this.hasBegun = true
    if (!isTaken) this.#builder.add(chunk)
  }

  /** Splits events without empty lines between them if each line is an event. */
  #handleLines(type: string, data: string): void {
    const lines = data.split('\n')
    if (lines.length > 1 && lines.every((line) => isEndMark(line.trim()) || isRecord(tryJson(line)))) {
      note('events-joined', data)
      for (const line of lines) this.#handleEvent({ type, data: line })
    } else if (!this.#isEnding || !this.hasBegun) throw invalidJson('a stream event', data)
    // After the finish reason, only an end mark or token counts can be incomplete.
    else if (!this.#builder.isFinished || /"(delta|message|error)"/.test(data)) throw truncatedEvent(data)
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
