import { joinBytes } from '../bytes.js'
import { CapstanError, isCapstanError } from '../errors.js'
import { isRecord, tryJson } from '../json.js'
import type { Secrets } from '../secrets/secrets.js'
import { type AssistantMessage, textOf } from '../types/message.js'
import type { ModelReply, ModelSink } from '../types/model.js'
import { note } from '../types/model.js'
import type { BodyReader, ModelFeature, Protocol } from './protocol.js'
import { JsonScanner, keptHeaders, type RawJson, toResponse } from './reply-fields.js'
import { furtherFieldsOf } from './request-body.js'
import { invalidJson, invalidUtf8, isFailure, noChoices, toApiError, tooLong } from './response-errors.js'
import { rootCause, type TransportResponse } from './transport.js'

export interface ReadOptions {
  readonly protocol: Protocol
  /** The feature that reads streams, and bodies that are not in the documented form. */
  readonly forms?: ModelFeature | undefined
  readonly isTool: (name: string) => boolean
  readonly sink?: ModelSink | undefined
  readonly signal: AbortSignal
  readonly maxBytes: number
  /** Values that kept headers must not show. */
  readonly secrets: Secrets
  /** The mark of the server, for replies with fields that only the server itself takes back. */
  readonly server?: string | undefined
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
  const reader = new ResponseBody(response, options)
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
  const { server = '' } = options
  const marked = furtherFieldsOf(message).length > 0 ? { ...reply, message: { ...message, server } } : reply
  const headers = keptHeaders(response.headers(), options.secrets)
  return headers ? { ...marked, response: { ...reply.response, headers } } : marked
}

/** Reads a response body. Its first characters decide whether it is a stream or JSON. */
class ResponseBody {
  readonly #response: TransportResponse
  readonly #options: ReadOptions
  /** Created when needed: bodies in the documented form need none. */
  #reader: BodyReader | undefined
  readonly #decoder = new TextReader()
  #scanner: JsonScanner | undefined
  /** The text of a body that is no stream, and its end that is not scanned yet: a slice would copy all of it. */
  #text = ''
  #unscanned = ''
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

  /** @throws CapstanError `invalid_response` without a feature that reads it */
  #readerOf(text: string): BodyReader {
    if (this.#reader) return this.#reader
    const { protocol, forms } = this.#options
    const toFailure = (body: string) => this.#failure(body)
    this.#reader = forms?.createReader?.(protocol, { ...this.#options, toFailure }, text)
    if (!this.#reader) throw noChoices()
    return this.#reader
  }

  /** Whether reading is over: the server marked the end, or the body is too long. */
  get isDone(): boolean {
    return this.#isFull || (this.#reader?.isDone ?? false)
  }

  /** Whether later content cannot change the outcome: the reply is complete, or it is an error. */
  get isFinished(): boolean {
    if (this.#isErrorStatus) return true
    return this.#kind === 'stream' ? (this.#reader?.builder.isFinished ?? false) : this.isWhole
  }

  /** Whether the body is JSON and complete. Few bodies are looked at: most end in time. */
  get isWhole(): boolean {
    if (this.#kind !== 'whole') return false
    this.#scanner ??= new JsonScanner()
    this.#scanner.add(this.#unscanned)
    this.#unscanned = ''
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
      if (this.#isFull && !this.isFinished && !this.#reader?.isDone) throw tooLong(maxBytes)
    } catch (error) {
      this.hasFailed = true
      throw error
    }
  }

  finish(): ModelReply {
    this.#read(this.#decoder.end())
    const reply = this.#kind === 'stream' ? this.#endStream() : this.#readWhole()
    if (this.#decoder.hasInvalidBytes && reply.message.tool_calls) throw invalidUtf8()
    // The model is not silent: its answer was still to come.
    if (reply.incomplete && !textOf(reply.message.content).trim()) throw this.cutOff('no text')
    return reply
  }

  /** Creates the error for a broken connection: the reply is incomplete. */
  cutOff(error: unknown): CapstanError {
    const hasBegun = this.#reader?.hasBegun || (this.#kind === 'whole' && this.#text.trim() !== '')
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
    if (this.#kind === 'stream') this.#readerOf(next).write(next)
    else {
      this.#text += next
      this.#unscanned += next
    }
  }

  #endStream(): ModelReply {
    const reader = this.#readerOf('')
    reader.end()
    return reader.builder.finish(reader.isDone)
  }

  /** Reads a body in the documented form directly. Its deltas are emitted like those of others. */
  #readWhole(): ModelReply {
    // An error may begin with a byte order mark.
    const text = this.#text.trimStart()
    const body = tryJson(text)
    const { protocol, sink } = this.#options
    const reply = isRecord(body) && !this.#isErrorStatus ? protocol.readBody?.(body) : undefined
    if (reply) {
      if (sink) tellReply(reply.message, sink)
      // A copy that gets new fields would take Node 20 twenty times as long.
      return Object.assign(reply, toResponse(body as RawJson))
    }
    // Gateways send status 200 with errors in various formats.
    if (this.#isErrorStatus || isFailure(body)) throw this.#failure(text)
    if (!isRecord(body)) throw invalidJson(text.trim() === '' ? 'the body, which is empty' : 'the body', text)
    const { builder } = this.#readerOf(text)
    builder.addBody(body, text)
    return builder.finish(true)
  }

  #failure(body: string): CapstanError {
    const { status, header } = this.#response
    return toApiError({ status, body, header, hasBegun: this.#reader?.hasBegun ?? false })
  }
}

/** Tells a sink of a whole reply. */
export function tellReply({ content, tool_calls: calls = [] }: AssistantMessage, sink: ModelSink): void {
  const text = textOf(content)
  if (text !== '') sink({ type: 'text', text })
  for (const [index, { function: calledFunction }] of calls.entries())
    sink({ type: 'call', index, ...calledFunction })
}

/** What a response is, by its first characters. */
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
    // A first byte has a bit for each byte of its character.
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
