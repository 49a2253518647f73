import type { IncomingHttpHeaders } from 'node:http'

// The input and output of an endpoint. The server around it routes requests, checks keys, parses bodies and writes
// responses.

/** A request whose key and format have been checked. */
export interface ServiceRequest {
  /** The JSON body, or the text fields of a form. Text fields are always strings. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The files in a form, by field name. Empty for a JSON body. */
  readonly files: Readonly<Record<string, UploadedFile>>
  /** The URL that the client used, without a path. Links in responses start with it. */
  readonly origin: string
  readonly headers: IncomingHttpHeaders
  /** Whether the client runs on this machine. */
  readonly isLocal: boolean
  /** Aborts when the client disconnects or the time limit of the response is reached. */
  readonly signal: AbortSignal
}

export interface UploadedFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** A server-sent event: its data, or an object whose type is also the event's name. */
export type ServerEvent = string | TypedEvent

/** Declared here because public types refer to it. The type that the writers use is private. */
export interface TypedEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** A response: JSON, complete bytes, a stream of bytes, or server-sent events. */
export type Reply = {
  /** The HTTP status. Default: 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
} & (
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array; readonly mediaType: string }
  | { readonly stream: AsyncIterable<Uint8Array>; readonly mediaType: string }
  | { readonly events: Iterable<ServerEvent> | AsyncIterable<ServerEvent> }
)

export type Endpoint = (request: ServiceRequest) => Promise<Reply>

/** An unparsed request, to be forwarded. */
interface RawRequest {
  readonly method: string
  /** The path and the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array<ArrayBuffer>
  /** Aborts when the client disconnects or the time limit of the response is reached. */
  readonly signal: AbortSignal
}

/** Forwards a request without parsing it. */
export type ForwardEndpoint = (request: RawRequest) => Promise<Reply>
