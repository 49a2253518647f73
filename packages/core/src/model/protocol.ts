import type { CapstanError } from '../errors.js'
import type { OptionKinds } from '../option-names.js'
import type { ModelReply, ModelRequest, ModelSink } from '../types/model.js'
import type { RawJson } from './reply-fields.js'
import type { ServerForm } from './request-body.js'

/**
 * Sends requests to a kind of server and reads its replies. Each model has one protocol; everything else is shared by
 * all models.
 */
export interface Protocol {
  /** The name of the function that creates such models, for errors. */
  readonly of: string
  /** The path of its requests, after the `baseURL`. */
  readonly path: string
  /** The default URL, and the environment variables for `baseURL` and `apiKey`. Default: same as OpenAI. */
  readonly home?: string
  readonly variables?: readonly [baseURL: string, apiKey: string]
  /** Returns the headers with the API key, and others that such servers require. Default: a bearer token. */
  readonly toKeyHeaders?: (apiKey: string) => Readonly<Record<string, string>>
  /**
   * Returns the body of a request as UTF-8 parts, in the form of its server.
   * @throws CapstanError `invalid_request` for a setting that is not JSON
   */
  toBody(model: string, request: ModelRequest, form: ServerForm): readonly Uint8Array[]
  /** Changes to request forms that only this protocol needs. */
  readonly adaptations?: readonly Adaptation[]
  /** Parses a JSON body in the documented form. Undefined for any other form, which a builder parses. */
  readBody?(body: RawJson): ModelReply | undefined
  /** Creates the builder of a reply. Default: the builder for chat completions, which is in `replyForms`. */
  createBuilder?(options: BuilderOptions): ReplyBuilder
}

/** A request that the server rejected, and the form in which it was sent. */
export interface Refusal {
  /** The server's message and body, without their quotes from the request. */
  readonly text: string
  readonly request: ModelRequest
  readonly form: ServerForm
}

/**
 * Returns the change to the request form that a rejection requires. Undefined if it requires none, or one that was
 * already made.
 */
export type Adaptation = (refusal: Refusal) => ServerForm | undefined

/** An optional part of a model, for servers or programs that need it. */
export interface ModelFeature {
  readonly name: string
  /** The model options that the feature reads, with their kinds. */
  readonly options?: OptionKinds
  /**
   * Reads a stream, or a body in any other form. `text` is its start. If several features define it, the first one
   * applies.
   */
  createReader?(protocol: Protocol, options: BuilderOptions, text: string): BodyReader
  /** Surrounds each request, within its retries. Called once for each model. The first feature is outermost. */
  wrapSend?(send: SendRequest, model: ModelFacts): SendRequest
}

/** Sends a request once. `form` describes how the request differs from the default form. */
export type SendRequest = (request: ModelRequest, sink?: ModelSink, form?: ServerForm) => Promise<ModelReply>

/** The model that a feature is for. */
export interface ModelFacts {
  readonly name: string
  /** Returns the usual form of its requests, with its server's mark. A different URL has a different form. */
  readonly usualForm: () => ServerForm
  readonly options: RecoverOptions & WindowOptions & Readonly<Record<string, unknown>>
  readonly adaptations?: Protocol['adaptations']
}

export interface RecoverOptions {
  /**
   * Handles replies that only consist of calls to offered tools, written as text. `'report'` runs none: the model is
   * told once how to make calls, and a warning names this option. `'run'` runs them like other calls. `false` leaves
   * them as text. Default `'report'`.
   */
  readonly textCalls?: 'report' | 'run' | false
}

export interface WindowOptions {
  /**
   * The context window in tokens, prompt and reply together, at least 512. Default: unknown, until the server rejects
   * a prompt and reports it.
   */
  readonly contextTokens?: number
}

/** Reads one response: the text of a stream, or a JSON body. */
export interface BodyReader {
  readonly builder: ReplyBuilder
  /** Whether anything except heartbeats arrived in the stream. */
  readonly hasBegun: boolean
  /** Whether the server marked the end of the stream. Later text is not read. */
  readonly isDone: boolean
  /**
   * Adds text of the stream.
   * @throws CapstanError for an event that is an error or cannot be read
   */
  write(text: string): void
  /**
   * Ends the stream and reads the rest.
   * @throws CapstanError `truncated` when the last event is incomplete and needed
   */
  end(): void
}

export interface BuilderOptions {
  /** Whether a tool of this name is offered. */
  readonly isTool: (name: string) => boolean
  readonly sink?: ModelSink | undefined
  /** Creates the error for a body or an event of the server that is a failure. */
  readonly toFailure: (body: string) => CapstanError
}

/** Builds one reply from a JSON body, or from the events of a stream. */
export interface ReplyBuilder {
  /** Whether everything needed arrived, with nothing after it. Only token counts may follow. */
  readonly isFinished: boolean
  /**
   * Whether events are named, and nothing follows once the reply is finished. Otherwise an event with any name except
   * `message` is not part of a reply.
   */
  readonly isNamed?: boolean
  /** Adds an event that only differs from an earlier one in its text. False for any other. */
  addLike?(json: string): boolean
  /** Adds an event in the documented form. False for any other, which may be a heartbeat or a failure. */
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
   * Returns the complete reply. `ended` means that the server marked the end other than by its last event.
   * @throws CapstanError `truncated` when calls may be cut off, `invalid_response` without a reply
   */
  finish(ended: boolean): ModelReply
}
