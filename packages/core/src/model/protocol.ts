import type { CapstanError } from '../errors.js'
import type { OptionKinds } from '../option-names.js'
import type { ModelReply, ModelRequest, ModelSink } from '../types/model.js'
import type { RawJson } from './reply-fields.js'
import type { ServerForm } from './request-body.js'

/**
 * The interface of a kind of server: how requests are written and replies are read. Each model has one protocol; all
 * models share everything else.
 */
export interface Protocol {
  /** The name of the function that creates models with this protocol, for error messages. */
  readonly of: string
  /** The request path, relative to the `baseURL`. */
  readonly path: string
  /** The default URL, and the environment variables for `baseURL` and `apiKey`. Default: OpenAI's URL and variables. */
  readonly home?: string
  readonly variables?: readonly [baseURL: string, apiKey: string]
  /** Returns the headers for the API key, and other headers that such servers require. Default: a bearer token. */
  readonly toKeyHeaders?: (apiKey: string) => Readonly<Record<string, string>>
  /**
   * Returns the body of a request as UTF-8 parts, in the form that the server accepts.
   * @throws CapstanError `invalid_request` for a setting that is not JSON
   */
  toBody(model: string, request: ModelRequest, form: ServerForm): readonly Uint8Array[]
  /** Changes to request forms that only this protocol needs. */
  readonly adaptations?: readonly Adaptation[]
  /** Parses a JSON body in the documented form. Undefined for any other form, which a builder parses. */
  readBody?(body: RawJson): ModelReply | undefined
  /** Creates the builder for a reply. Default: the builder for chat completions, which is in `replyForms`. */
  createBuilder?(options: BuilderOptions): ReplyBuilder
}

/** A request that the server rejected, and the form in which it was sent. */
export interface Refusal {
  /** The server's message and body, without text that they quote from the request. */
  readonly text: string
  readonly request: ModelRequest
  readonly form: ServerForm
}

/**
 * Returns the change to the request form that a rejection requires. Undefined if no change is required, or if the
 * change has already been made.
 */
export type Adaptation = (refusal: Refusal) => ServerForm | undefined

/** An optional part of a model, for servers or programs that need it. */
export interface ModelFeature {
  readonly name: string
  /** The model options that the feature reads, with their kinds. */
  readonly options?: OptionKinds
  /**
   * Creates the reader for a stream, or for a body that is not in the documented form. `text` is the start of the
   * response. If several features define `createReader`, the first feature's applies.
   */
  createReader?(protocol: Protocol, options: BuilderOptions, text: string): BodyReader
  /**
   * Wraps the function that sends a request; retries call the wrapped function. Called once for each model. The first
   * feature is outermost.
   */
  wrapSend?(send: SendRequest, model: ModelFacts): SendRequest
}

/** Sends a request once. `form` describes how the request differs from the default form. */
export type SendRequest = (request: ModelRequest, sink?: ModelSink, form?: ServerForm) => Promise<ModelReply>

/** The facts about a model that its features get. */
export interface ModelFacts {
  readonly name: string
  /**
   * Returns the usual form of the model's requests, which identifies the server. If the URL changes, so does the form.
   */
  readonly usualForm: () => ServerForm
  readonly options: RecoverOptions & WindowOptions & Readonly<Record<string, unknown>>
  readonly adaptations?: Protocol['adaptations']
}

export interface RecoverOptions {
  /**
   * Handles replies that consist only of calls to offered tools, written as text. `'report'`: no such call runs; the
   * model is told once how to make calls, and a warning mentions this option. `'run'`: such calls run like other calls.
   * `false`: such calls remain text. Default `'report'`.
   */
  readonly textCalls?: 'report' | 'run' | false
}

export interface WindowOptions {
  /**
   * The context window in tokens, for prompt and reply together; at least 512. Default: unknown, until the server
   * rejects a prompt and reports the size.
   */
  readonly contextTokens?: number
}

/** Reads one response: the text of a stream, or a JSON body. */
export interface BodyReader {
  readonly builder: ReplyBuilder
  /** Whether anything except heartbeats has arrived in the stream. */
  readonly hasBegun: boolean
  /** Whether the server has marked the end of the stream. Text after that is not read. */
  readonly isDone: boolean
  /** Adds text from the stream. @throws CapstanError for an event that is an error or cannot be read */
  write(text: string): void
  /**
   * Ends the stream and reads what is left.
   * @throws CapstanError `truncated` if the last event is incomplete and needed
   */
  end(): void
}

export interface BuilderOptions {
  /** Whether the request offers a tool with this name. */
  readonly isTool: (name: string) => boolean
  readonly sink?: ModelSink | undefined
  /** Creates the error for a failure that the server sent as a body or an event. */
  readonly toFailure: (body: string) => CapstanError
}

/** Builds one reply from a JSON body, or from the events of a stream. */
export interface ReplyBuilder {
  /** Whether everything needed has arrived, with nothing after it. Only token counts may still follow. */
  readonly isFinished: boolean
  /**
   * Whether events have names, and nothing follows once the reply is finished. Otherwise, an event with a name other
   * than `message` is not part of a reply.
   */
  readonly isNamed?: boolean
  /** Adds an event if it differs from an earlier one only in its text. Returns false for any other event. */
  addLike?(json: string): boolean
  /**
   * Adds an event if it is in the documented form. Returns false for any other event, which may be a heartbeat or a
   * failure.
   */
  addPlain(event: RawJson, json?: string): boolean
  /**
   * Adds an event in any other form.
   * @throws CapstanError `invalid_response`
   */
  add(event: RawJson): void
  /**
   * Adds a JSON body that is not a failure.
   * @throws CapstanError `invalid_response`
   */
  addBody(body: RawJson, text: string): void
  /**
   * Returns the complete reply. `ended`: whether the server has marked the end of the stream. True for a JSON body.
   * @throws CapstanError `truncated` if calls may be cut off, `invalid_response` without a reply
   */
  finish(ended: boolean): ModelReply
}
