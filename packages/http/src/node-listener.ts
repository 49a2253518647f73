import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { HttpError, invalidRequest, toErrorResponse, warnOnce } from './http-error.js'

/** Handles a web `Request`, like the function that `agentHandler` returns. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

/** A listener for Node's `createServer`, and a route handler for Express and Fastify. */
export type NodeListener = (
  request: NodeRequest | FastifyRequest,
  response: NodeResponse | FastifyReply,
  next?: (error?: unknown) => void,
) => Promise<void>

type NodeRequest = IncomingMessage | Http2ServerRequest
type NodeResponse = ServerResponse | Http2ServerResponse

/** The fields that the listener reads from Fastify's request. */
interface FastifyRequest {
  readonly raw: NodeRequest
  readonly body?: unknown
}

/** The methods that the listener calls on Fastify's reply. */
interface FastifyReply {
  readonly raw: NodeResponse
  hijack(): unknown
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>
}

/**
 * Converts a handler to a listener for Node servers: `createServer(toNodeListener(handler))`, in Express
 * `app.all('/agent/*path', toNodeListener(handler))`, in Fastify `app.all('/agent/*', toNodeListener(handler))`.
 * Streams bodies in both directions at the reader's pace, and aborts the request's signal when the client disconnects.
 * A body that a parser has already read is passed on. The request's URL contains the full path, even if Express mounts
 * the listener under a prefix. Errors from the handler are passed to Express or Fastify; with node:http the response
 * has status 500.
 * @throws TypeError immediately if the handler is not a function
 */
export function toNodeListener(handler: FetchHandler): NodeListener {
  if (typeof handler !== 'function')
    throw new TypeError(
      'toNodeListener takes a function that takes a Request and returns a Response. Use agentHandler(agent).',
    )
  return async (request, reply, next) => {
    // HTTP/2 requests and responses have everything that is used here.
    const incoming = ('raw' in request ? request.raw : request) as IncomingMessage
    const outgoing = ('raw' in reply ? reply.raw : reply) as ServerResponse
    const client = new AbortController()
    const leave = () => client.abort(new Error('the client disconnected'))
    if (outgoing.destroyed) leave()
    outgoing.once('close', leave)
    const parsed = 'body' in request ? request.body : undefined
    try {
      const response = await respond(handler, incoming, { parsed, signal: client.signal, outgoing }).catch(
        (error: unknown) => {
          if ('raw' in reply) throw error
          if (!next) return failed(error)
          next(error)
        },
      )
      if (!response) return
      if ('raw' in reply) {
        reply.hijack()
        // Headers that hooks have set, such as CORS headers, are not yet on Node's response.
        setHeaders(outgoing, Object.entries(reply.getHeaders()))
      }
      await send(response, outgoing, client.signal)
      // Once the response has ended, closing the connection is not an abort.
      outgoing.off('close', leave)
      // Unread parts of a body would block the next request on the connection.
      incoming.resume()
    } finally {
      openRequests.delete(outgoing)
    }
  }
}

/**
 * Maps responses that have not ended to their requests. Without a reference, a request is garbage-collected and its
 * signal never aborts. A `WeakMap` would never release them: as long as a request exists, Node keeps its signal alive,
 * and with it the response.
 */
const openRequests = new Map<ServerResponse, Request>()

interface Exchange {
  readonly parsed: unknown
  readonly signal: AbortSignal
  readonly outgoing: ServerResponse
}

/**
 * Calls the handler with the converted request. An invalid request gets an error response instead.
 * @throws TypeError if the handler does not return a response
 */
async function respond(
  handler: FetchHandler,
  incoming: IncomingMessage,
  { parsed, signal, outgoing }: Exchange,
): Promise<Response> {
  const url = urlOf(incoming)
  if (!url) return toErrorResponse(invalidRequest("The request's host or path is not valid. Check its URL."))
  const { method = 'GET' } = incoming
  if (/^(?:CONNECT|TRACE|TRACK)$/i.test(method)) return toErrorResponse(unknownMethod(method))
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? bodyOf(incoming, parsed) : null
  const init = { method, headers: headersOf(incoming), body, signal, duplex: 'half' } as const
  const request = new Request(url, init)
  openRequests.set(outgoing, request)
  const response: unknown = await handler(request)
  if (isResponse(response)) return response
  const kind = response === undefined ? 'nothing' : `a value of type ${typeof response}`
  throw new TypeError(`The handler returned ${kind}. Return a Response.`)
}

/**
 * Whether a value has the fields of a `Response`. `instanceof` is not enough, because packages may have their own
 * `Response` class.
 */
function isResponse(value: unknown): value is Response {
  const { status, headers } = Object(value)
  return typeof status === 'number' && typeof Object(headers)[Symbol.iterator] === 'function'
}

function unknownMethod(method: string): HttpError {
  return new HttpError(501, 'unknown_method', `The method ${method} is not supported.`)
}

/** Returns a request's URL. Undefined if its host or path is invalid. */
function urlOf(incoming: IncomingMessage): string | undefined {
  const { headers, socket } = incoming
  const host = headers[':authority'] ?? headers.host
  // Any other text could be parsed as a user name, a path or a query.
  if (typeof host !== 'string' || !/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host)) return undefined
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
  const path = pathOf(incoming)
  const url = `${scheme}://${host}${path}`
  return path.startsWith('/') && URL.canParse(url) ? url : undefined
}

/** Returns the full path with its query. Returns `''` if the path is invalid. */
function pathOf(incoming: IncomingMessage): string {
  // Express removes the prefix of a mounted router from `url`.
  const target = 'originalUrl' in incoming ? String(incoming.originalUrl) : (incoming.url ?? '')
  // Proxy clients send the full URL. Its host is ignored, because only the Host header is checked.
  if (!/^https?:/i.test(target)) return target
  if (!URL.canParse(target)) return ''
  const { pathname, search } = new URL(target)
  return pathname + search
}

/** Returns the headers, including changes by earlier middleware. HTTP/2 pseudo-headers are omitted. */
function headersOf({ headers: own }: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(own)) {
    if (name.startsWith(':')) continue
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  return headers
}

/**
 * Returns the body as a stream or, if it has already been read, from the parser's `request.body`. Null if there is
 * none.
 * @throws TypeError if the body was read but not stored
 */
function bodyOf(
  incoming: IncomingMessage,
  parsed: unknown,
): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null {
  if (!incoming.readableDidRead && !incoming.readableEnded) return streamOf(incoming)
  if (typeof parsed === 'string') return parsed
  if (parsed instanceof Uint8Array) return new Uint8Array(parsed)
  if (parsed !== undefined && parsed !== null) return JSON.stringify(parsed)
  if (!incoming.readableDidRead) return null
  throw new TypeError(
    "This request's body was read before the listener ran, but request.body is not set. Register the listener first.",
  )
}

/** Returns a stream that reads the request's bytes on demand. */
function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let stop = () => {}
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        stop()
        return new Promise((resolve) => {
          const onData = (chunk: Uint8Array) => settle(() => controller.enqueue(new Uint8Array(chunk)))
          const onEnd = () => settle(() => controller.close())
          const onClose = () => settle(() => controller.error(new Error('the body ended early')))
          const settle = (act: () => void) => {
            stop()
            act()
            resolve()
          }
          stop = () => {
            incoming.pause()
            incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
          }
          // The stream may end between two reads.
          if (incoming.readableEnded) onEnd()
          else if (incoming.destroyed) onClose()
          else incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose).resume()
        })
      },
      cancel: () => stop(),
    },
    { highWaterMark: 0 },
  )
}

async function send(
  { status, headers, body }: Response,
  outgoing: ServerResponse,
  client: AbortSignal,
): Promise<void> {
  // A middleware may have already sent a response, for example after a time limit.
  if (outgoing.headersSent) return body?.cancel()
  outgoing.statusCode = status
  setHeaders(outgoing, headers)
  if (body && outgoing.req.method === 'HEAD') await body.cancel()
  if (!body || outgoing.req.method === 'HEAD') {
    outgoing.end()
    return
  }
  const reader = body.getReader()
  const cancel = () => {
    reader.cancel(client.reason).catch(() => {})
  }
  if (client.aborted) cancel()
  client.addEventListener('abort', cancel)
  // If a stream is silent at first, its headers are sent now. A short body is sent together with its headers.
  const begin = setImmediate(() => outgoing.flushHeaders())
  try {
    for (;;) {
      const { value, done } = await reader.read()
      clearImmediate(begin)
      if (done || client.aborted || outgoing.destroyed) break
      if (!outgoing.write(value)) await drained(outgoing)
    }
    outgoing.end()
  } catch {
    // Destroy the response, so that the client can tell that it is incomplete.
    clearImmediate(begin)
    outgoing.destroy()
  }
}

/** Sets headers. `set-cookie` and `vary` are added to the values that earlier middleware has set. */
function setHeaders(
  outgoing: ServerResponse,
  headers: Iterable<readonly [string, number | string | string[] | undefined]>,
): void {
  const lists = ['set-cookie', 'vary']
  for (const [name, value] of headers) {
    // HTTP/2 does not allow the header `connection`, and Node would emit a warning.
    const isUnknown = name === 'connection' && outgoing.req.httpVersionMajor > 1
    if (value === undefined || isUnknown) continue
    const before = lists.includes(name) ? outgoing.getHeader(name) : undefined
    outgoing.setHeader(name, before === undefined ? value : [before, value].flat().map(String))
  }
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      outgoing.off('drain', settle).off('close', settle)
      resolve()
    }
    outgoing.on('drain', settle).on('close', settle)
  })
}

/** Returns the response for a failure that no framework handles. */
function failed(error: unknown): Response {
  warnOnce(error, 'A handler of toNodeListener failed', 'Catch its errors to see every failure.')
  return toErrorResponse(new HttpError(500, 'internal', 'The server failed.'))
}
