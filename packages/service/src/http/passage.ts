import type { IncomingHttpHeaders } from 'node:http'
import type { Reply } from './endpoint.js'

/** A request that is handed on as it came. */
export interface RawRequest {
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
