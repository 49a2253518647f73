import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ErrorCode } from '../errors.js'
import type { Json } from '../json.js'
import type { TokenUsage } from '../usage.js'
import type { AssistantMessage, Message, ToolDefinition, WireToolChoice } from './message.js'
import type { ResponseFacts } from './state.js'

/** A model: takes one request, streams deltas to a sink and returns one complete reply. */
export interface ChatModel {
  readonly name: string
  /** Whether the server enforces a `response_format` of type `json_schema`. Default false. */
  readonly structuredOutput?: boolean
  /** Whether the model's protocol supports tools that the server runs itself (`hosted`). Default false. */
  readonly hostedTools?: boolean
  /** Whether the model accepts images. If so, its requests contain attached images. Default false. */
  readonly vision?: boolean | undefined
  /** The model's context window in tokens, if known in advance. */
  readonly contextTokens?: number | undefined
  /** The names of other models that may reply instead, such as fallbacks. */
  readonly others?: readonly string[]
  /**
   * Sends one request and returns its reply. A partial reply is never returned as complete. `sink` gets the pieces of a
   * streamed reply, and a notice for each retry.
   * @throws CapstanError if there is no usable reply
   */
  complete(request: ModelRequest, sink?: ModelSink): Promise<ModelReply>
}

export interface ModelRequest {
  /** Instructions first, then the conversation. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** Tools that the server runs itself, in the server's own format. Default: none. */
  readonly hostedTools?: readonly HostedDefinition[]
  /** Default `auto`. Sent only if there are tools. */
  readonly toolChoice?: WireToolChoice
  /** Additional fields of the request body. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly stream: boolean
  readonly signal: AbortSignal
  readonly idempotencyKey: string
  /**
   * Additional HTTP headers with lower-case names, such as trace headers. The model's own headers override these.
   * Default: none.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the model may retry on its own. A host that retries steps itself sets this to false. Default true. */
  readonly retries?: boolean
  /**
   * Wraps each attempt of a model that does its own retries; `send` makes the attempt. Your own models may ignore this
   * field. Default: none.
   */
  readonly wrapAttempt?:
    | ((request: ModelRequest, send: (request: ModelRequest) => Promise<ModelReply>) => Promise<ModelReply>)
    | undefined
  /**
   * Receives the bytes of each request and response, including retries. Create it with `wireTap(...)`. Default: none.
   */
  readonly tap?: WireTap | undefined
}

/** A tool that the server runs itself, in the server's own format. */
export interface HostedDefinition {
  readonly type: string
  readonly [field: string]: unknown
}

/** A delta of a streamed reply, or a notice that the request is being retried and the reply starts over. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      /** A piece of a tool call. `arguments` is the newest fragment. */
      readonly type: 'call'
      /** Distinguishes the calls of one reply. */
      readonly index: number
      /**
       * The call's id, once the server has sent it. Without an id, the run reports the call only when the reply is
       * complete.
       */
      readonly id?: string
      readonly name: string
      readonly arguments: string
    }
  | RetryNotice

export interface RetryNotice {
  readonly type: 'retry'
  /** The number of the retry, from 1. */
  readonly attempt: number
  readonly delayMs: number
  /** The code of the error that caused the retry. */
  readonly code: ErrorCode
  readonly message: string
  /** The name of the fallback model, if the retry goes to a different model. */
  readonly model?: string
}

/** Returns the notice that the text streamed so far is void, because the reply starts over immediately. */
export function restartNotice(message: string): RetryNotice {
  return { type: 'retry', attempt: 1, delayMs: 0, code: 'invalid_response', message }
}

/** Receives deltas of a streamed reply. */
export type ModelSink = (delta: ModelDelta) => void

export interface ModelReply {
  /** The message as received: names and arguments are checked later, unknown fields are kept. */
  readonly message: AssistantMessage
  /**
   * The reason why the reply ended. Variants of `length` and `content_filter` are normalized; other reasons are as
   * received, in lower case.
   */
  readonly finishReason?: string
  /** Token counts as reported by the server. If the total is less than one of its parts, the run raises the total. */
  readonly tokens?: TokenUsage
  /** True if the end of the text is missing. */
  readonly incomplete?: boolean
  /** Paths of unknown fields that were omitted from the message because they were nested too deeply or too long. */
  readonly omitted?: readonly string[]
  /**
   * Other fields of the response, as received: `citations`, `search_results`, `logprobs`, and fields that OpenAI's API
   * does not define.
   */
  readonly extra?: Readonly<Record<string, Json>>
  /** The server's metadata for the response, such as its id. Absent if the reply did not come from a server. */
  readonly response?: ResponseFacts
  /** The name of the model that replied, if it may differ from the requested one. */
  readonly model?: string
  /** Calls to offered tools that the model wrote as text. Absent if there are none. */
  readonly textCalls?: WrittenAsText
  /** Calls to tools that the server ran itself. */
  readonly hostedCalls?: readonly HostedCall[]
  /** The sources that the reply cites. */
  readonly sources?: readonly Source[]
}

/** A call to a tool that the server ran itself. */
export interface HostedCall {
  /** The server's name for this kind of call: `web_search_call`, `server_tool_use`, ... */
  readonly type: string
  readonly id?: string
  readonly status?: string
  /** The call as received, within the size and depth limits that apply to unknown fields. */
  readonly details: Json
}

/** A source that a reply cites. Servers report different fields. */
export interface Source {
  readonly url?: string
  readonly title?: string
  /** The cited text. */
  readonly text?: string
  /** Where the reply cites the source: `start` and `end` are offsets in the reply's text. */
  readonly start?: number
  readonly end?: number
}

/** Calls that a model wrote as text, instead of real tool calls. */
export interface WrittenAsText {
  /** The notation, named after a model family: `hermes`, `mistral`, ... */
  readonly form: string
  /** The tool name of each call. */
  readonly names: readonly string[]
  /** Whether the reply contains real calls instead. */
  readonly recovered: boolean
  /** What to change so that these calls run. Absent if they ran. */
  readonly hint?: string
}

/** Receives a model's requests and responses as bytes. To get a tap, pass the listener to `wireTap`. */
export interface WireListener {
  /** Called before each request, including retries. */
  sent(request: WireRequest): ExchangeTap
}

/**
 * Sends requests and reports their bytes. Create one with `wireTap(listener)`; programs that do not use `wireTap` do
 * not load its code.
 */
export interface WireTap {
  /** Sends one request and reports it. Called by models that have access to the bytes. */
  exchange(sending: TappedRequest<ModelReply>): Promise<ModelReply>
}

/** Receives the response to one request. */
export interface ExchangeTap {
  /** Called with the response's status and headers. Header names are in lower case, and secrets are redacted. */
  headers?(status: number, headers: Readonly<Record<string, string>>): void
  /** Called with each piece of the decompressed body, before it is parsed. The bytes may contain secrets. */
  received?(bytes: Uint8Array): void
  /**
   * Called when a part of the response is interpreted differently from what was received. The note refers to the piece
   * that was received last.
   */
  noted(note: WireNote): void
  /** Called once at the end, with the reply or with the error that occurred instead. The error contains no secrets. */
  ended(outcome: { readonly reply: ModelReply } | { readonly error: unknown }): void
}

/** Sends one HTTP request and returns its response, whose body can be read as it arrives. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

export interface TransportRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as UTF-8, in one or more parts. */
  readonly body: readonly Uint8Array[]
  readonly signal: AbortSignal
}

export interface TransportResponse {
  readonly status: number
  header(name: string): string | null
  /** All headers as alternating names and values: `[name, value, name, value]`. */
  headers(): readonly string[]
  /**
   * Passes the body to `take` piece by piece, until it ends. If `take` returns `false`, the connection is closed and
   * reading ends early. Rejects if the body is incomplete. Call it only once.
   */
  read(take: (bytes: Uint8Array) => boolean): Promise<void>
  /** Closes the connection. A `read` in progress resolves. */
  leave(): void
}

/** A request that a tap sends and reports to a listener. */
export interface TappedRequest<Reply> {
  readonly request: Omit<TransportRequest, 'signal'>
  /** Whether the request asks for a streamed reply. */
  readonly stream: boolean
  readonly transport: Transport
  readonly signal: AbortSignal
  /** Redacts the model's secrets in text. */
  readonly secrets: { hide(text: string): string }
  /** Whether the request offers a tool with this name. */
  readonly isTool: (name: string) => boolean
  /**
   * Sends the request and reads its reply. Parsing that follows the last piece must run inside `noting`, so that its
   * notes are reported.
   */
  send(transport: Transport, noting: <T>(read: () => T) => T): Promise<Reply>
}

/** A request as it is sent, except that secrets in its URL and headers are redacted. */
export interface WireRequest {
  /** The URL, with secrets redacted. */
  readonly url: string
  /** The headers, with lower-case names and with secrets redacted. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as UTF-8, in one or more parts. The body may contain secrets. */
  readonly body: readonly Uint8Array[]
}

/** A part of a response that was interpreted differently from what was received. */
export interface WireNote {
  readonly code: WireNoteCode
  /** The index of the call in the response, if the note is about one. */
  readonly call?: number
  /** What was received, cut to 200 characters. */
  readonly from?: string
  /** What it is interpreted as, cut to 200 characters. */
  readonly to?: string
}

/** What a note reports. `explainNote` from `@capstan/testing/recording` describes each code in a sentence. */
export type WireNoteCode =
  // Notes on the entire response.
  | 'body-for-stream'
  | 'stream-for-body'
  | 'bytes-garbled'
  | 'compressed'
  | 'left-open'
  | 'broken-after-end'
  | 'no-usage'
  // Notes on the response's events.
  | 'line-without-data'
  | 'events-joined'
  | 'event-passed-over'
  | 'start-missing'
  // Notes on the response's end.
  | 'no-finish-reason'
  | 'finish-reason-read'
  | 'calls-despite-reason'
  // Notes on the position of the message.
  | 'choice-by-index'
  | 'object-for-list'
  | 'message-beside-choice'
  | 'text-again'
  // Notes on the message's calls.
  | 'call-by-order'
  | 'call-by-id'
  | 'call-by-name'
  | 'call-again'
  | 'call-in-content'
  | 'old-function-call'
  | 'id-missing'
  | 'name-in-pieces'
  | 'name-cleaned'
  | 'arguments-as-object'
  | 'arguments-elsewhere'
  | 'arguments-empty'
  | 'arguments-in-string'
  | 'arguments-twice'

/** The details of a note. Values other than strings are written as JSON. */
export interface NoteSubject {
  readonly call?: number
  readonly from?: unknown
  readonly to?: unknown
}

type Listener = (code: WireNoteCode, subject: NoteSubject) => void

/** Receives the notes on the response that is being parsed. Parsing is synchronous, so one variable is enough. */
let listener: Listener | undefined

/** Records that a part of a response is interpreted differently from what was received. Does nothing without a tap. */
export function note(code: WireNoteCode, from?: unknown, further?: Omit<NoteSubject, 'from'>): void {
  listener?.(code, { from, ...further })
}

/** Calls `read`, and passes the notes on what it reads to `to` and to outer listeners. `to` must not throw. */
export function noting<T>(to: Listener, read: () => T): T {
  const before = listener
  listener = (code, subject) => {
    before?.(code, subject)
    to(code, subject)
  }
  try {
    return read()
  } finally {
    listener = before
  }
}

/** The output parsed from text, or the reasons why it is invalid. */
export type ReadOutput = { readonly value: Json } | { readonly issues: readonly string[] }

/** The output schema that a model receives. Always an object schema, because tools and servers accept no other kind. */
export interface OutputSchema {
  /** The given schema, or an object schema that wraps it. */
  readonly schema: StandardSchemaV1
  /** The brackets that a reply may start with. */
  readonly opening: '{' | '{['
  /** Returns the value without the object that wraps it. */
  unwrap(value: unknown): unknown
}
