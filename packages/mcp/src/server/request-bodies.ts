import { CapstanError } from '@capstan/core'
import { joinBytes } from '@capstan/core/internal'
import { refuse } from './auth.js'
import { type McpServerOptions, usualMaxBodyBytes } from './options.js'

/** A request whose body is read, as the protocol's own code takes it. */
export interface ReadRequest {
  readonly request: Request
  /** The body, if it is JSON; the request still has any other. */
  readonly parsedBody?: unknown
}

/** Reads the bodies of HTTP requests, as long as all that are being read stay within a limit. */
export class RequestBodies {
  readonly #maxBodyBytes: number
  readonly #maxBytes: number
  #bytes = 0

  /** @throws CapstanError `invalid_request` for a limit that is no number */
  constructor({ maxBodyBytes = usualMaxBodyBytes, maxBodiesBytes = 64 * 2 ** 20 }: McpServerOptions) {
    for (const [option, bytes] of Object.entries({ maxBodyBytes, maxBodiesBytes }))
      if (typeof bytes !== 'number' || !(bytes > 0)) throw noLimit(option, bytes)
    this.#maxBodyBytes = maxBodyBytes
    this.#maxBytes = Math.max(maxBodiesBytes, maxBodyBytes)
  }

  /** The request with its body read, or the answer where there is no room for it. */
  async read(request: Request): Promise<ReadRequest | Response> {
    const isAnnouncedTooLarge = Number(request.headers.get('content-length') ?? 0) > this.#maxBodyBytes
    // Those that read it refuse it unread.
    if (request.method !== 'POST' || !request.body || isAnnouncedTooLarge) return { request }
    const parts = await this.#take(request.body)
    if (parts instanceof Response) return parts
    const body = joinBytes(parts)
    const parsedBody = body.byteLength > this.#maxBodyBytes ? undefined : parse(body)
    if (parsedBody !== undefined) return { request, parsedBody }
    const { method, headers, signal, url } = request
    return { request: new Request(url, { method, headers, signal, body }) }
  }

  /** The parts of a body, or so many as show that it is too large. */
  async #take(body: ReadableStream<Uint8Array>): Promise<Uint8Array[] | Response> {
    const parts: Uint8Array[] = []
    let own = 0
    const reader = body.getReader()
    try {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return parts
        parts.push(value)
        if (own + value.byteLength > this.#maxBodyBytes) return parts
        if (this.#bytes + value.byteLength > this.#maxBytes) return noRoom()
        this.#bytes += value.byteLength
        own += value.byteLength
      }
    } catch {
      return refuse(400, 'The body ended before it was whole.')
    } finally {
      this.#bytes -= own
      reader.cancel().catch(() => {})
    }
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

function noLimit(option: string, bytes: unknown): CapstanError {
  const message = `The option ${option} of mcpServer is ${String(bytes)}. Give a positive number of bytes.`
  return new CapstanError('invalid_request', message, { evidence: { option } })
}

function noRoom(): Response {
  const refusal = refuse(503, 'Too much is being sent at one time. Send it again soon.')
  refusal.headers.set('retry-after', '1')
  refusal.headers.set('connection', 'close')
  return refusal
}
