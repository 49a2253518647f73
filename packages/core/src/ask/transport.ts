import { CapstanError, messageOf } from '../words/error.js'

/** Sends one request and hands back the answer as it arrives. The seam below the chat wire. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

export interface TransportRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

export interface TransportResponse {
  readonly status: number
  header(name: string): string | null
  /** The body in pieces; leaving the iteration gives the connection up. */
  readonly body: AsyncIterable<Uint8Array>
}

/** A transport over `fetch`; default: the built-in one. @throws CapstanError `network` when no answer came */
export function fetchTransport(send: typeof fetch = fetch): Transport {
  return async ({ url, headers, body, signal }) => {
    try {
      return toTransportResponse(await send(url, { method: 'POST', headers, body, signal }))
    } catch (error) {
      throw signal.aborted ? signal.reason : unreachable(url, error)
    }
  }
}

export function toTransportResponse(response: Response): TransportResponse {
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    body: response.body ?? emptyBody(),
  }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

function unreachable(url: string, error: unknown): CapstanError {
  const { cause } = error as { cause?: { code?: string } }
  const { origin } = new URL(url)
  const why = cause?.code ?? messageOf(error)
  const message = `No answer from ${origin} (${why}). Is the server running, and is baseURL right?`
  return new CapstanError('network', message, { retryable: true, evidence: { origin, why }, cause: error })
}
