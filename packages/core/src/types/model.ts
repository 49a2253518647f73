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
  /** Whether its protocol has tools that the server runs itself (`hosted`). Default false. */
  readonly hostedTools?: boolean
  /** Whether it accepts images: its requests show attached images. Default false. */
  readonly vision?: boolean | undefined
  /** Its context window in tokens, if known in advance. */
  readonly contextTokens?: number | undefined
  /** The names of other models that may reply instead. */
  readonly others?: readonly string[]
  /**
   * Sends one request. A partial reply is never returned as complete. `sink` gets the pieces of a streamed reply, and a
   * notice for each retry.
   * @throws CapstanError without a usable reply
   */
  complete(request: ModelRequest, sink?: ModelSink): Promise<ModelReply>
}

export interface ModelRequest {
  /** Instructions first, then the conversation. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** Tools that the server runs itself, in its own form. Default: none. */
  readonly hostedTools?: readonly HostedDefinition[]
  /** Default `auto`. Sent only with tools. */
  readonly toolChoice?: WireToolChoice
  /** Additional fields of the request body. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly stream: boolean
  readonly signal: AbortSignal
  readonly idempotencyKey: string
  /**
   * Additional HTTP headers with lower-case names, such as trace headers. The model's own headers override them.
   * Default: none.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the model may retry on its own. A host that repeats steps sets false. Default true. */
  readonly retries?: boolean
  /**
   * Wraps each attempt of a model that repeats requests itself: `send` makes the attempt. Your own models may ignore
   * it. Default: none.
   */
  readonly wrapAttempt?:
    | ((request: ModelRequest, send: (request: ModelRequest) => Promise<ModelReply>) => Promise<ModelReply>)
    | undefined
  /** Receives the bytes of the request and its response, and of retries: `wireTap(...)`. Default: none. */
  readonly tap?: WireTap | undefined
}

/** A tool that the server runs itself, in its own form. */
export interface HostedDefinition {
  readonly type: string
  readonly [field: string]: unknown
}

/** A delta of a streamed reply, or a notice that the request is retried and the reply starts again. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      /** A piece of a call. */
      readonly type: 'call'
      /** Distinguishes the calls of the reply. */
      readonly index: number
      /** The id of the call in the reply. Without it, a run reports the call once the reply is complete. */
      readonly id?: string
      readonly name: string
      readonly arguments: string
    }
  | RetryNotice

export interface RetryNotice {
  readonly type: 'retry'
  /** Counts from 1. */
  readonly attempt: number
  readonly delayMs: number
  /** The code of the failure. */
  readonly code: ErrorCode
  readonly message: string
  /** The name of the fallback model, if another model gets the request. */
  readonly model?: string
}

/** Notifies listeners that the text streamed so far is void and the reply restarts immediately. */
export function restartNotice(message: string): RetryNotice {
  return { type: 'retry', attempt: 1, delayMs: 0, code: 'invalid_response', message }
}

/** Receives deltas of a streamed reply. */
export type ModelSink = (delta: ModelDelta) => void

export interface ModelReply {
  /** The message as received: names and arguments are checked later, unknown fields are kept. */
  readonly message: AssistantMessage
  /** The reason for the end: `length` and `content_filter` normalized, others as received in lower case. */
  readonly finishReason?: string
  /** Token counts as the server reports them. The run raises a total that is less than one of its parts. */
  readonly tokens?: TokenUsage
  /** True if the end of the text is missing. */
  readonly incomplete?: boolean
  /** Paths of unknown fields that were omitted from the message because they were nested too deeply or too long. */
  readonly omitted?: readonly string[]
  /**
   * Other fields of the response, as received: `citations`, `search_results`, `logprobs`, and fields that the interface
   * does not define.
   */
  readonly extra?: Readonly<Record<string, Json>>
  /** The server's data on its response. Absent for a reply that no server sent. */
  readonly response?: ResponseFacts
  /** The name of the model that replied, if it may differ from the requested one. */
  readonly model?: string
  /** Calls of offered tools that the model wrote as text. Absent for other replies. */
  readonly textCalls?: WrittenAsText
  /** The calls of tools that the server ran itself. */
  readonly hostedCalls?: readonly HostedCall[]
  /** The sources that the reply cites. */
  readonly sources?: readonly Source[]
}

/** A call of a tool that the server ran itself. */
export interface HostedCall {
  /** As the server names it: `web_search_call`, `server_tool_use`, ... */
  readonly type: string
  readonly id?: string
  readonly status?: string
  /** The call as received, within the bounds of unknown fields. */
  readonly details: Json
}

/** A source that a reply cites. */
export interface Source {
  readonly url?: string
  readonly title?: string
  /** The cited text. */
  readonly text?: string
  /** The range in the text of the reply. */
  readonly start?: number
  readonly end?: number
}

/** Calls that a model wrote as text. */
export interface WrittenAsText {
  /** The family of the notation: `hermes`, `mistral`, ... */
  readonly form: string
  /** The name of the tool of each call. */
  readonly names: readonly string[]
  /** Whether they became calls of the reply. */
  readonly recovered: boolean
  /** What to change so that these calls run. Absent if they ran. */
  readonly hint?: string
}

/** Receives a model's requests and responses as bytes. `wireTap` turns it into a tap. */
export interface WireListener {
  /** Called before each request, including retries. */
  sent(request: WireRequest): ExchangeTap
}

/** Receives a request's bytes. `wireTap(listener)` creates one; only programs that import it contain its code. */
export interface WireTap {
  /** Makes one request and reports it. Called by models that have the bytes. */
  exchange(sending: TappedRequest<ModelReply>): Promise<ModelReply>
}

/** Receives one response. */
export interface ExchangeTap {
  /** Called with the status and the headers of the response, by lower-case name and without secrets. */
  headers?(status: number, headers: Readonly<Record<string, string>>): void
  /** Called with each piece of the body before it is read, after decompression. It may contain secrets. */
  received?(bytes: Uint8Array): void
  /**
   * Called when a part of the response is interpreted differently from what was received. The note belongs to the last
   * piece.
   */
  noted(note: WireNote): void
  /** Called once at the end, with the reply, or the reason for its absence. The error contains no secrets. */
  ended(outcome: { readonly reply: ModelReply } | { readonly error: unknown }): void
}

/** Sends one request and returns the response as it arrives. The layer below the chat protocol. */
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
  /** The names and values of all headers, in turn. */
  headers(): readonly string[]
  /**
   * Passes the body on piece by piece until it ends, or until `take` returns `false`: then the connection is closed.
   * Rejects when the body breaks off. Call it once.
   */
  read(take: (bytes: Uint8Array) => boolean): Promise<void>
  /** Closes the connection: `read` resolves. */
  leave(): void
}

/** A request that a tap sends and reports to a listener. */
export interface TappedRequest<Reply> {
  readonly request: Omit<TransportRequest, 'signal'>
  /** Whether a stream is requested. */
  readonly stream: boolean
  readonly transport: Transport
  readonly signal: AbortSignal
  /** Hides the secrets of the model. */
  readonly secrets: { hide(text: string): string }
  /** Whether a tool of this name is offered. */
  readonly isTool: (name: string) => boolean
  /** Sends the request and reads its reply. `noting` wraps the parsing that follows the last piece. */
  send(transport: Transport, noting: <T>(read: () => T) => T): Promise<Reply>
}

/** A request as bytes. */
export interface WireRequest {
  /** Without secrets. */
  readonly url: string
  /** By lower-case name, without secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as UTF-8, in one or more parts. It may contain secrets. */
  readonly body: readonly Uint8Array[]
}

/** A part of a response that was interpreted differently from what was received. */
export interface WireNote {
  readonly code: WireNoteCode
  /** The index of the call in the response, if the note is about one. */
  readonly call?: number
  /** The received text; at most 200 characters. */
  readonly from?: string
  /** The text that it is interpreted as; at most 200 characters. */
  readonly to?: string
}

/** What a note reports. `explainNote` of `@capstan/testing/recording` has a sentence for each code. */
export type WireNoteCode =
  // The entire response.
  | 'body-for-stream'
  | 'stream-for-body'
  | 'bytes-garbled'
  | 'compressed'
  | 'left-open'
  | 'broken-after-end'
  | 'no-usage'
  // Its events.
  | 'line-without-data'
  | 'events-joined'
  | 'event-passed-over'
  | 'start-missing'
  // Its end.
  | 'no-finish-reason'
  | 'finish-reason-read'
  | 'calls-despite-reason'
  // The place of the message.
  | 'choice-by-index'
  | 'object-for-list'
  | 'message-beside-choice'
  | 'text-again'
  // Its calls.
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

/** Receives the notes of the response that is being parsed. Parsing is synchronous, so there is at most one. */
let listener: Listener | undefined

/** Records that a part of a response is read differently from what was received. Does nothing without a tap. */
export function note(code: WireNoteCode, from?: unknown, further?: Omit<NoteSubject, 'from'>): void {
  listener?.(code, { from, ...further })
}

/** Reads a part of a response and forwards its notes, also to outer listeners. The listener must not throw. */
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

/** The output read from text, or the reason why it is invalid. */
export type ReadOutput = { readonly value: Json } | { readonly issues: readonly string[] }

/** The output schema that a model receives: an object schema, since tools and servers accept no other. */
export interface OutputSchema {
  /** The given schema, or an object schema around it. */
  readonly schema: StandardSchemaV1
  /** The brackets that a reply may start with. */
  readonly opening: '{' | '{['
  /** Returns the value without the object around it. */
  unwrap(value: unknown): unknown
}
