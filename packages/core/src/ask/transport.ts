import { CapstanError } from '../words/error.js'
import { reasonOf } from './reason-of.js'

/** Sends one request and hands back the answer as it arrives. The seam below the chat wire. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

export interface TransportRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** UTF-8, in one part or several. */
  readonly body: readonly Uint8Array[]
  readonly signal: AbortSignal
}

export interface TransportResponse {
  readonly status: number
  header(name: string): string | null
  /**
   * Hands over the body piece by piece until it ends, or until `take` says `false`: then the connection is given up.
   * Rejects when the body breaks off. Call it once.
   */
  read(take: (bytes: Uint8Array) => boolean): Promise<void>
  /** Gives the connection up: `read` resolves with what it had. */
  leave(): void
}

/** Bytes of an answer at most: 64 MiB. */
export const defaultMaxBytes = 64 * 2 ** 20

/** The error for a request that got no answer. */
export function unreachable(url: string, error: unknown): CapstanError {
  const { origin } = new URL(url)
  const why = reasonOf(error)
  const message = `No answer from ${origin} (${why}). Is the server running, and is baseURL right?`
  return new CapstanError('network', message, { retryable: true, evidence: { origin, why }, cause: error })
}
