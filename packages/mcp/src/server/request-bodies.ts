import { CapstanError } from '@capstan/core'
import { joinBytes } from '@capstan/core/internal'
import { errorResponse } from './auth.js'
import { defaultMaxBodyBytes, type McpServerOptions } from './options.js'

/** A request whose body has been read. */
export interface ReadRequest {
  readonly request: Request
  /** The body, if it is JSON and within the limit. Otherwise `request` still contains the body. */
  readonly parsedBody?: unknown
}

/** Reads the bodies of HTTP requests. Limits how many bytes can be read at the same time. */
export class RequestBodies {
  readonly #maxBodyBytes: number
  readonly #maxBytes: number
  #bytes = 0

  /**
   * Checks the limits.
   * @throws CapstanError `invalid_request` for a limit that is not a positive number
   */
  constructor({ maxBodyBytes = defaultMaxBodyBytes, maxBodiesBytes = 64 * 2 ** 20 }: McpServerOptions) {
    for (const [option, bytes] of Object.entries({ maxBodyBytes, maxBodiesBytes }))
      if (typeof bytes !== 'number' || !(bytes > 0)) throw noLimit(option, bytes)
    this.#maxBodyBytes = maxBodyBytes
    this.#maxBytes = Math.max(maxBodiesBytes, maxBodyBytes)
  }

  /** Returns the request with its body read, or an error response if the limit is reached. */
  async read(request: Request): Promise<ReadRequest | Response> {
    const isAnnouncedTooLarge = Number(request.headers.get('content-length') ?? 0) > this.#maxBodyBytes
    // The SDK rejects these requests without reading the body.
    if (request.method !== 'POST' || !request.body || isAnnouncedTooLarge) return { request }
    const parts = await this.#take(request.body)
    if (parts instanceof Response) return parts
    const body = joinBytes(parts)
    const parsedBody = body.byteLength > this.#maxBodyBytes ? undefined : parse(body)
    if (parsedBody !== undefined) return { request, parsedBody }
    const { method, headers, signal, url } = request
    return { request: new Request(url, { method, headers, signal, body }) }
  }

  /** Returns a body's chunks. If the body is too large, returns only enough chunks to exceed the limit. */
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
      return errorResponse(400, 'The body ended before it was complete.')
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
  const message = `mcpServer: ${option} cannot be ${String(bytes)}. Pass a positive number of bytes.`
  return new CapstanError('invalid_request', message, { evidence: { option } })
}

function noRoom(): Response {
  const refusal = errorResponse(503, 'Too many bytes are being sent concurrently. Retry later.')
  refusal.headers.set('retry-after', '1')
  refusal.headers.set('connection', 'close')
  return refusal
}
