import type { CapstanError } from '../errors.js'
import type { Adaptation } from '../features/request-forms.js'
import type { ModelReply, ModelRequest, ModelSink } from '../types/model.js'
import type { RawJson } from './reply-fields.js'
import type { ServerForm } from './request-body.js'

/** How a kind of server is asked and read. A model has one, and shares all else with the models of others. */
export interface Protocol {
  /** The name of the function that makes such models, for errors. */
  readonly of: string
  /** The path of its requests, after the `baseURL`. */
  readonly path: string
  /** The address without a `baseURL`, and the environment variables of `baseURL` and `apiKey`. Default: those of OpenAI. */
  readonly home?: string
  readonly variables?: readonly [baseURL: string, apiKey: string]
  /** Returns the headers with the API key, and others that such servers need. Default: a bearer token. */
  readonly toKeyHeaders?: (apiKey: string) => Readonly<Record<string, string>>
  /**
   * Returns the body of a request as UTF-8 parts, in the form of its server.
   * @throws CapstanError `invalid_request` for a setting that is not JSON
   */
  toBody(model: string, request: ModelRequest, form: ServerForm): readonly Uint8Array[]
  /** Changes of the form of requests that other protocols do not need. */
  readonly adaptations?: readonly Adaptation[]
  /** Reads a JSON body in the documented form. Undefined for any other, which a builder takes. */
  readBody?(body: RawJson): ModelReply | undefined
  createBuilder(options: BuilderOptions): ReplyBuilder
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
  /** Whether all that is needed arrived, with nothing after it. Only token counts may still follow. */
  readonly isFinished: boolean
  /**
   * Whether events are named, and nothing follows once the reply is finished. Otherwise a name other than `message` makes
   * an event no part of a reply.
   */
  readonly isNamed?: boolean
  /** Adds an event whose JSON is that of an earlier one except for a text. False for any other. */
  addLike?(json: string): boolean
  /** Adds an event in the documented form. False for any other, which may be a heartbeat or a failure. */
  addPlain(event: RawJson, json?: string): boolean
  /**
   * Adds an event in any other form.
   * @throws CapstanError `invalid_response`
   */
  add(event: RawJson): void
  /**
   * Adds a JSON body that is no failure.
   * @throws CapstanError `invalid_response`
   */
  addBody(body: RawJson, text: string): void
  /**
   * Returns the complete reply. `ended` means that the server marked the end in another way than by its last event.
   * @throws CapstanError `truncated` when calls may be cut off, `invalid_response` without a reply
   */
  finish(ended: boolean): ModelReply
}
