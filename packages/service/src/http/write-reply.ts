import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { eventStreamType, toEvent } from '@capstan/protocols/sse'
import type { Reply } from './endpoint.js'
import { ServiceError } from './service-error.js'

/** Writes a response at the client's speed. Stops when the client disconnects. */
export async function writeReply(response: ServerResponse, reply: Reply, signal: AbortSignal): Promise<void> {
  response.statusCode = reply.status ?? 200
  setHeaders(response, reply.headers)
  if ('events' in reply) return writeEvents(response, reply.events, signal)
  if ('stream' in reply) return writeStream(response, reply, signal)
  if ('json' in reply) return writeBytes(response, 'application/json', JSON.stringify(reply.json))
  writeBytes(response, reply.mediaType, reply.bytes)
}

/**
 * Returns the service's response headers. Since the service has no quota, its rate limits are constant and never used
 * up.
 */
export function toServiceHeaders(ms: number): Record<string, string> {
  return {
    'openai-processing-ms': String(Math.round(ms)),
    'openai-version': '2020-10-01',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-limit-tokens': '1000000',
    'x-ratelimit-remaining-requests': '10000',
    'x-ratelimit-remaining-tokens': '1000000',
    'x-ratelimit-reset-requests': '0s',
    'x-ratelimit-reset-tokens': '0s',
  }
}

/**
 * Writes an error response. Omits the details of unexpected errors, because they could contain file names of this
 * machine.
 */
export function writeError(response: ServerResponse, error: unknown, toBody: ToErrorBody = toJSON): void {
  const known =
    error instanceof ServiceError
      ? error
      : new ServiceError(
          500,
          'internal_error',
          'The service failed with an internal error. The request is not the cause.',
        )
  response.statusCode = known.status
  setHeaders(response, known.headers)
  if (known.status === 401) response.setHeader('www-authenticate', 'Bearer')
  writeBytes(response, 'application/json', JSON.stringify(toBody(known)))
}

/** Converts an error to a body in a protocol's format. */
export type ToErrorBody = (error: ServiceError) => object

const toJSON: ToErrorBody = (error) => error.toJSON()

/** Sets headers. They replace earlier headers with the same names. */
export function setHeaders(response: ServerResponse, headers: Reply['headers'] = {}): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

function writeBytes(response: ServerResponse, mediaType: string, bytes: string | Uint8Array): void {
  response.setHeader('content-type', mediaType)
  response.setHeader('content-length', Buffer.byteLength(bytes))
  response.end(bytes)
}

type Events = Extract<Reply, { events: unknown }>['events']
type Stream = Extract<Reply, { stream: unknown }>

async function writeEvents(response: ServerResponse, events: Events, signal: AbortSignal): Promise<void> {
  response.setHeader('content-type', eventStreamType)
  response.setHeader('cache-control', 'no-cache')
  for await (const text of toEventTexts(events)) {
    if (signal.aborted) return
    await write(response, text, signal)
  }
  response.end()
}

/** Formats events as text. If the events have no types, `[DONE]` follows the last event. */
export async function* toEventTexts(events: Events): AsyncGenerator<string> {
  let isTyped = false
  for await (const event of events) {
    isTyped = typeof event !== 'string'
    yield toEvent(typeof event === 'string' ? { data: event } : { event: event.type, data: event })
  }
  if (!isTyped) yield toEvent({ data: '[DONE]' })
}

// Sends the head together with the first bytes, so that a failure before then can still have its own status.
async function writeStream(
  response: ServerResponse,
  { stream, mediaType }: Stream,
  signal: AbortSignal,
): Promise<void> {
  response.setHeader('content-type', mediaType)
  for await (const bytes of stream) {
    if (signal.aborted) return
    await write(response, bytes, signal)
  }
  response.end()
}

async function write(
  response: ServerResponse,
  bytes: string | Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  if (!response.write(bytes)) await once(response, 'drain', { signal })
}

/** Thrown instead of sending a response or the rest of it. `reset` resets the connection, and `cut` closes it. */
export class Disconnect extends Error {
  override readonly name = 'Disconnect'

  constructor(readonly how: 'reset' | 'cut') {
    super(`The connection is to be ${how}.`)
  }

  end(response: ServerResponse): void {
    if (this.how === 'reset') response.socket?.resetAndDestroy()
    else response.destroy()
  }
}
