import type { IncomingHttpHeaders } from 'node:http'

// What an endpoint receives and gives back: the server around it does routing, keys, parsing and writing.

/** One authenticated, parsed request. */
export interface ServiceRequest {
  /** The JSON body, or the text fields of a form (always strings there). */
  readonly fields: Readonly<Record<string, unknown>>
  /** The files of a form, by field name; empty for JSON. */
  readonly files: Readonly<Record<string, UploadedFile>>
  /** The address this service was reached at, without a path: for links in answers. */
  readonly origin: string
  /** Aborts when the client hangs up, or the answer takes too long. */
  readonly signal: AbortSignal
}

export interface UploadedFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** An answer: JSON, bytes whole or as they come, or server-sent events (each string is the data of one event). */
export type Reply = {
  /** Default: 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
} & (
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array; readonly mediaType: string }
  | { readonly stream: AsyncIterable<Uint8Array>; readonly mediaType: string }
  | { readonly events: Iterable<string> | AsyncIterable<string> }
)

export type Endpoint = (request: ServiceRequest) => Promise<Reply>

/** A request that is handed on as it came. */
interface RawRequest {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array<ArrayBuffer>
  /** Aborts when the client hangs up, or the answer takes too long. */
  readonly signal: AbortSignal
}

/** Answers a request without looking into it. */
export type Passage = (request: RawRequest) => Promise<Reply>
