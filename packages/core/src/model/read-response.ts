import { joinBytes } from '../bytes.js'
import { badResponse, CapstanError, isCapstanError } from '../errors.js'
import { isRecord, isString, tryJson } from '../json.js'
import type { Secrets } from '../secrets/secrets.js'
import { type AssistantMessage, type ToolCall, textOf } from '../types/message.js'
import type { ModelReply, ModelSink, TransportResponse } from '../types/model.js'
import { note } from '../types/model.js'
import type { BodyReader, ModelFeature, Protocol } from './protocol.js'
import {
  callFields,
  functionFields,
  furtherFieldsOf,
  JsonScanner,
  keptHeaders,
  maxItems,
  type RawJson,
  replyFields,
  toResponse,
  toText,
  toTokens,
} from './reply-fields.js'
import { invalidJson, isFailure, noChoices, toApiError } from './response-errors.js'
import { rootCause } from './transport.js'

export interface ReadOptions {
  readonly protocol: Protocol
  /** The feature that reads streams, and bodies that are not in the documented form. */
  readonly forms?: ModelFeature | undefined
  readonly isTool: (name: string) => boolean
  readonly sink?: ModelSink | undefined
  readonly signal: AbortSignal
  readonly maxBytes: number
  /** Secrets to remove from the headers that are kept. */
  readonly secrets: Secrets
  /** Identifies the server. Stored in replies with fields that only this server accepts. */
  readonly server?: string | undefined
  /** Calls `read` and reports its notes to the tap. Default: there is no tap. */
  readonly noting?: (<T>(read: () => T) => T) | undefined
}

/**
 * Reads a response to its end. The content shows whether the response is JSON or a stream, because some servers send
 * wrong headers, or ignore whether a stream was requested.
 * @throws CapstanError for anything that is not a complete reply
 */
export async function readReply(
  opened: Promise<TransportResponse>,
  options: ReadOptions,
): Promise<ModelReply> {
  const response = await opened
  const body = new ResponseBody(response, options)
  const timer = closeWhenIdle(body, response)
  try {
    await response.read((bytes) => body.take(bytes))
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    if (body.hasFailed || !body.isFinished) throw isCapstanError(error) ? error : body.cutOff(error)
  } finally {
    clearInterval(timer)
  }
  const reply = options.noting ? options.noting(() => body.finish()) : body.finish()
  const { message } = reply
  const { server = '' } = options
  const marked = furtherFieldsOf(message).length > 0 ? { ...reply, message: { ...message, server } } : reply
  const headers = keptHeaders(response.headers(), options.secrets)
  return headers ? { ...marked, response: { ...reply.response, headers } } : marked
}

/** A response body as it is read. Its first characters show whether it is a stream or JSON. */
class ResponseBody {
  readonly #response: TransportResponse
  readonly #options: ReadOptions
  readonly #isErrorStatus: boolean
  /** Created when it is needed. Bodies in the documented form need no reader. */
  #reader: BodyReader | undefined
  readonly #decoder = new TextReader()
  readonly #scanner = new JsonScanner()
  /** The text of a body that is not a stream. */
  #text = ''
  #kind: Kind = 'unknown'
  #bytes = 0
  /** Whether the content, not the connection, caused the failure. */
  hasFailed = false

  constructor(response: TransportResponse, options: ReadOptions) {
    const { status } = response
    this.#response = response
    this.#options = options
    this.#isErrorStatus = status < 200 || status >= 300
    if (this.#isErrorStatus) this.#kind = 'whole'
  }

  /** Whether later content cannot change the result: the reply is complete, or it is an error. */
  get isFinished(): boolean {
    if (this.#isErrorStatus) return true
    return this.#kind === 'stream' ? (this.#reader?.builder.isFinished ?? false) : this.isWhole
  }

  /** Whether the body is JSON and complete. Rarely checked, because most bodies end in time. */
  get isWhole(): boolean {
    return this.#kind === 'whole' && this.#scanner.isClosed
  }

  /**
   * Reads a piece. Returns whether more is needed: false once the server has marked the end of a stream, or if the body
   * is too long.
   */
  take(bytes: Uint8Array): boolean {
    try {
      const { maxBytes } = this.#options
      const left = maxBytes - this.#bytes
      this.#bytes += bytes.byteLength
      const isFull = this.#bytes > maxBytes
      this.#read(this.#decoder.read(isFull ? bytes.subarray(0, left) : bytes))
      const isDone = this.#reader?.isDone ?? false
      if (isFull && !this.isFinished && !isDone) {
        const message = `The response is longer than ${maxBytes} bytes. Raise the model's maxBytes.`
        throw new CapstanError('invalid_response', message, { evidence: { maxBytes } })
      }
      return !isFull && !isDone
    } catch (error) {
      this.hasFailed = true
      throw error
    }
  }

  finish(): ModelReply {
    this.#read(this.#decoder.end())
    this.#reader?.end()
    const reply = this.#reader?.builder.finish(this.#reader.isDone) ?? this.#readWhole()
    if (this.#decoder.hasInvalidBytes && reply.message.tool_calls)
      throw badResponse('The model server sent tool calls in invalid UTF-8. No tool ran.')
    // This does not mean that the model said nothing: its text had not arrived yet.
    if (reply.incomplete && !textOf(reply.message.content).trim()) throw this.cutOff('no text')
    return reply
  }

  /** Creates the error for a connection that broke: the reply is incomplete. */
  cutOff(error: unknown): CapstanError {
    const hasBegun = this.#reader?.hasBegun || (this.#kind === 'whole' && this.#text.trim() !== '')
    const what = hasBegun ? 'The response was cut off' : 'The connection broke before a response'
    const message = `${what} (${rootCause(error)}). No tool ran.`
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
    if (this.#kind === 'stream') {
      this.#reader ??= this.#createReader(next)
      this.#reader.write(next)
    } else {
      this.#text += next
      this.#scanner.add(next)
    }
  }

  /**
   * Creates a reader for a stream or an unusual body. @throws CapstanError `invalid_response` if no feature provides
   * one
   */
  #createReader(text: string): BodyReader {
    const { protocol, forms } = this.#options
    const options = { ...this.#options, toFailure: (body: string) => this.#failure(body) }
    const reader = forms?.createReader?.(protocol, options, text)
    if (!reader) throw noChoices()
    return reader
  }

  /**
   * Parses a JSON body: directly if it is in the documented form, otherwise with a builder. The reply's text is emitted
   * as deltas.
   */
  #readWhole(): ModelReply {
    // An error may begin with a byte order mark.
    const text = this.#text.trimStart()
    const body = tryJson(text)
    const { protocol, sink } = this.#options
    const reply = isRecord(body) && !this.#isErrorStatus ? protocol.readBody?.(body) : undefined
    if (reply) {
      const said = textOf(reply.message.content)
      if (said) sink?.({ type: 'text', text: said })
      // Changed in place, because adding fields to a copy would take Node 20 twenty times as long.
      return Object.assign(reply, toResponse(body as RawJson))
    }
    // Gateways send status 200 with errors in various formats.
    if (this.#isErrorStatus || isFailure(body)) throw this.#failure(text)
    if (!isRecord(body)) throw invalidJson(text.trim() === '' ? 'the body, which is empty' : 'the body', text)
    const { builder } = this.#createReader(text)
    builder.addBody(body, text)
    return builder.finish(true)
  }

  #failure(body: string): CapstanError {
    const { status } = this.#response
    const header = (name: string) => this.#response.header(name)
    return toApiError({ status, body, header, hasBegun: this.#reader?.hasBegun ?? false })
  }
}

/** The kind of a response, as far as its first characters show it. */
type Kind = 'unknown' | 'stream' | 'whole'

/**
 * Text that does not look like a stream after this many characters is JSON. Until then, each piece is checked together
 * with all text before it.
 */
const maxStartLength = 100

/** Detects a stream by a leading field name or comment. `unknown` if there is too little text. */
function detectKind(start: string): Kind {
  if (/^(:|(data|event|id|retry)[ \t]*[:\r\n])/i.test(start)) return 'stream'
  if (start.length > maxStartLength) return 'whole'
  const word = start.trimEnd().toLowerCase()
  return ['data', 'event', 'id', 'retry'].some((field) => field.startsWith(word)) ? 'unknown' : 'whole'
}

/**
 * Decodes UTF-8 that arrives in pieces. A piece may end inside a character. Invalid bytes become U+FFFD and set
 * `hasInvalidBytes`.
 */
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

  /** Returns the rest of the text: an incomplete character as U+FFFD, otherwise `''`. */
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

/** Returns the number of bytes at the end that are the start of an incomplete character. */
function partialLength(bytes: Uint8Array): number {
  for (let length = 1; length < 4; length++) {
    const byte = bytes.at(-length) ?? 0
    if (byte < 0x80) return 0
    // The first byte of a character has one leading bit for each of its bytes.
    if (byte >= 0xc0) return byte >= 256 - (128 >> length) ? length : 0
  }
  return 0
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
 * body. Checks every 125 ms, so a response that ends in time is never checked. Returns the interval, which the caller
 * must clear.
 */
export function closeWhenIdle(
  response: OpenResponse,
  connection: Pick<TransportResponse, 'leave'>,
): ReturnType<typeof setInterval> {
  let count = 0
  const timer = setInterval(() => {
    // More may follow what seems to be the end.
    count = response.isFinished ? count + (response.isWhole ? 6 : 1) : 0
    if (count <= 16) return
    clearInterval(timer)
    connection.leave()
  }, 125)
  return timer
}

/**
 * Parses a completion's message if it is in the documented form. Undefined for any other form, which the lenient reader
 * parses.
 */
export function readCompletion(completion: RawJson): ModelReply | undefined {
  const { object, usage } = completion
  if (object !== 'chat.completion') return undefined
  const { message: raw, finish_reason: reason = null } = onlyChoice(completion, 'message') ?? {}
  const message = isRecord(raw) ? toMessage(raw) : undefined
  // A finish reason `tool_calls` without calls is not a complete reply.
  const isWhole =
    reason === null ||
    wholeReasons.includes(reason as string) ||
    (reason === 'tool_calls' && message?.tool_calls)
  if (!message || !isWhole) return undefined
  const tokens = toTokens(usage)
  return {
    message,
    ...(isString(reason) && { finishReason: reason }),
    ...(tokens && { tokens }),
  }
}

/** Finish reasons of messages in the documented form. If a reply is cut off, its calls are kept but do not run. */
const wholeReasons = ['stop', 'length', 'content_filter']
/** The usual fields, and an array that OpenAI adds to every message; it is usually empty. */
const fieldsOfOpenAI = [...replyFields, 'annotations']
const entryFields = [...callFields, 'index']

/** Whether a record has a non-null field that is not in `fields`. */
export function hasOtherFields(record: RawJson, fields: readonly string[]): boolean {
  for (const field in record) if (!fields.includes(field) && record[field] !== null) return true
  return false
}

function toMessage(raw: RawJson): AssistantMessage | undefined {
  const { role, content, tool_calls: calls } = raw
  if (role !== 'assistant' || (content !== null && !isString(content))) return undefined
  const { annotations } = raw
  const hasEmptyAnnotations = Array.isArray(annotations) && annotations.length === 0
  if (hasOtherFields(raw, hasEmptyAnnotations ? fieldsOfOpenAI : replyFields)) return undefined
  const message = { ...(hasEmptyAnnotations && { annotations }), role, content } as const
  if (calls === undefined || calls === null) return content === null ? undefined : message
  const read = Array.isArray(calls) && calls.length <= maxItems ? calls.map(toCall) : []
  return read.length > 0 && read.every((call) => call !== undefined)
    ? { ...message, tool_calls: read }
    : undefined
}

function toCall(raw: unknown): ToolCall | undefined {
  const { id, type, name = '', text = '' } = readPlainCall(raw) ?? {}
  return id && type === 'function' && name.trim() && text.trim()
    ? { id, type, function: { name, arguments: text } }
    : undefined
}

/** A tool call, or a piece of one. */
export interface PlainEntry {
  readonly type: unknown
  readonly id: string
  /** The index as a string; `''` if there is none. */
  readonly index: string
  readonly name: string
  /** The arguments, or a piece of them. */
  readonly text: string
}

/** Parses a call, or a piece of one. Undefined for a call with fields other than the documented ones. */
export function readPlainCall(raw: unknown): PlainEntry | undefined {
  if (!isRecord(raw) || hasOtherFields(raw, entryFields) || !isRecord(raw.function)) return undefined
  const { index, type, id = '', function: called } = raw
  const { name = '', arguments: text } = called
  if (!isString(id) || !isString(name) || !isString(text)) return undefined
  return hasOtherFields(called, functionFields) ? undefined : { type, id, index: toText(index), name, text }
}

/**
 * Returns the only choice of a body or chunk. Undefined if there are several, if the choice has fields other than its
 * message or delta, or if the body contains an error, a heartbeat or search sources.
 */
export function onlyChoice(body: RawJson, message: string): RawJson | undefined {
  const { choices } = body
  if (!Array.isArray(choices) || choices.length !== 1) return undefined
  for (const name of unusualFields) if (name in body) return undefined
  const [choice] = choices as unknown[]
  const isPlain = isRecord(choice) && choice.index === 0
  return isPlain && !hasOtherFields(choice, ['index', message, 'finish_reason']) ? choice : undefined
}

const unusualFields = ['error', 'base_resp', 'type', 'event', 'citations', 'search_results']
