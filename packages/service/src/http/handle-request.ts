import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AccessRules,
  allowOrigin,
  answerPreflight,
  checkCaller,
  isLoopback,
  isPreflight,
} from './check-caller.js'
import type { Endpoint, ForwardEndpoint, Reply } from './endpoint.js'
import type { Journal, OpenEntry } from './journal.js'
import {
  type BodyLimits,
  type BodyType,
  ClientDisconnected,
  checkContentType,
  parseBody,
  readBody,
} from './request-body.js'
import { ServiceError } from './service-error.js'
import {
  Disconnect,
  setHeaders,
  type ToErrorBody,
  toServiceHeaders,
  writeError,
  writeReply,
} from './write-reply.js'

/** The server's routes, limits and access rules. */
export interface HandlerOptions extends Routes, BodyLimits, AccessRules {
  readonly answerTimeoutMs: number
  /** Returns a deliberate change to a response, to test clients. */
  readonly transform?: ((request: IncomingMessage) => ReplyTransform | undefined) | undefined
  /** Called with unexpected errors. Clients do not get their details. */
  readonly onFault?: (error: unknown) => void
  /** Keeps requests, so that tests can check them. */
  readonly journal?: Pick<Journal, 'start'>
}

/**
 * Changes a response, or returns a different one. `answer` creates the original response, optionally from changed
 * request fields. It need not be called.
 */
export type ReplyTransform = (
  answer: (change?: ChangeFields) => Promise<Reply>,
  signal: AbortSignal,
) => Promise<Reply>

/** Changes the fields of a request. */
type ChangeFields = (fields: EndpointFields) => EndpointFields

type EndpointFields = Parameters<Endpoint>[0]['fields']

/** Handles a request. Never rejects. Resolves when the response has been written or the client has disconnected. */
export async function handleRequest(
  options: HandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let clear = (): void => {}
  let route: Route | undefined
  const started = performance.now()
  const id = toRequestId(request.headers['x-request-id'])
  response.setHeader('x-request-id', id)
  // The Messages protocol uses this header name.
  response.setHeader('request-id', id)
  const entry = options.journal?.start({
    id,
    method: request.method ?? '',
    path: pathOf(request),
    headers: request.headers,
  })
  const end = () => entry?.end(response.headersSent ? response.statusCode : undefined)
  // A client in the same process may have read the response before it is closed here.
  response.on('prefinish', end).on('close', end)
  try {
    if (allowOrigin(request, response, options.cors) && isPreflight(request)) {
      return answerPreflight(request, response)
    }
    checkHost(request)
    route = findRoute(options, request, response)
    if (!route.open) checkCaller(request, options)
    const ask = await receive(route, options, request, entry)
    const deadline = withDeadline(options.answerTimeoutMs)
    clear = deadline.clear
    response.on('close', deadline.hangUp)
    const transform = options.transform?.(request)
    const answer = (change?: ChangeFields) => ask(deadline.signal, change)
    const reply = await deadline.race(transform ? transform(answer, deadline.signal) : answer())
    if ('takes' in route) setHeaders(response, toServiceHeaders(performance.now() - started))
    await writeReply(response, reply, deadline.signal)
  } catch (error) {
    if (error instanceof Disconnect) return error.end(response)
    if (response.destroyed || error instanceof ClientDisconnected) return
    if (!(error instanceof ServiceError)) options.onFault?.(error)
    if (response.headersSent) response.destroy()
    else writeError(response, error, route?.toErrorBody)
  } finally {
    clear()
    if (!request.complete && !request.destroyed) discardRest(request)
  }
}

/** Returns a request's path, without the query. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/'
}

// Node itself would reject these requests with a body that clients of this interface cannot read.
function checkHost({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host !== undefined || httpVersion === '1.0') return
  throw new ServiceError(400, 'missing_host', 'The Host header is missing. HTTP/1.1 requires it.', 'host')
}

function findRoute(
  { find, list }: HandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Route {
  const path = pathOf(request)
  const route = find(path)
  if (!route) {
    const message = `The path ${path.slice(0, 100)} does not exist. Use one of: ${list.join(', ')}.`
    throw new ServiceError(404, 'not_found', message, 'path')
  }
  if (route.method !== request.method) {
    response.setHeader('allow', route.method)
    const message = `${path} requires ${route.method}, not ${request.method}.`
    throw new ServiceError(405, 'method_not_allowed', message, 'method')
  }
  return route
}

/** Reads the entire request and returns the function that runs its endpoint. */
async function receive(
  route: Route,
  options: HandlerOptions,
  request: IncomingMessage,
  entry: OpenEntry | undefined,
): Promise<(signal: AbortSignal, change?: ChangeFields) => Promise<Reply>> {
  const { method = 'GET', url: path = '/', headers } = request
  if ('passage' in route) {
    const body = await readBody(request, options)
    entry?.addBytes(body, headers['content-type'])
    return (signal) => route.passage({ method, path, headers, body, signal })
  }
  const caller = { headers, origin: originOf(request), isLocal: isLoopback(request.socket.remoteAddress) }
  const { endpoint, takes } = route
  if (!takes) return (signal) => endpoint({ fields: {}, files: {}, ...caller, signal })
  const contentType = headers['content-type']
  checkContentType(contentType, takes)
  const body = await parseBody(await readBody(request, options), contentType ?? '', takes)
  entry?.addFields(body)
  return (signal, change = (same) => same) =>
    endpoint({ ...body, fields: change(body.fields), ...caller, signal })
}

// Links contain the host that the client used, so that they work through a forwarded port.
function originOf({ headers, socket }: IncomingMessage): string {
  const host = headers.host && /^[\w.:[\]-]+$/.test(headers.host) ? headers.host : undefined
  return `http://${host ?? `127.0.0.1:${socket.localPort}`}`
}

// A client reads the response only after it has sent its entire body. A body that does not end is cut off.
function discardRest(request: IncomingMessage): void {
  request.resume()
  const patience = setTimeout(() => request.socket.destroy(), 2000)
  request.once('close', () => clearTimeout(patience))
  request.once('end', () => clearTimeout(patience))
}

/** An endpoint and the format of its requests. */
export type Route = {
  readonly method: 'GET' | 'POST'
  /** Whether the endpoint can be used without a key. Default: false. */
  readonly open?: boolean
  /** Converts an error to a response body. Default: the format of chat completions. */
  readonly toErrorBody?: ToErrorBody
} & (
  | {
      /** The content type of the request body. Undefined for a GET. */
      readonly takes?: BodyType
      readonly endpoint: Endpoint
    }
  | { readonly passage: ForwardEndpoint }
)

export interface Routes {
  readonly find: (path: string) => Route | undefined
  /** The endpoints to list in the response to an unknown path. */
  readonly list: readonly string[]
}

/** The time limit of a response. Its signal aborts when the time is up or the client disconnects. */
interface Deadline {
  /** Aborts with a 503 when the time is up. */
  readonly signal: AbortSignal
  readonly hangUp: () => void
  /** Settles like the work, but rejects with the signal's reason if the signal aborts first. */
  readonly race: <T>(work: Promise<T>) => Promise<T>
  readonly clear: () => void
}

/** Starts the time limit of a response. */
function withDeadline(ms: number): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  let isDone = false
  const onLate = () => {
    const message = `The response was not ready after ${ms} ms. Request less, or retry later.`
    controller.abort(new ServiceError(503, 'answer_timeout', message))
  }
  const timer = setTimeout(onLate, ms)
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  over.catch(() => {})
  return {
    signal,
    // Every response emits a close. Once its work is done, there is nothing to abort.
    hangUp: () => {
      if (!isDone) controller.abort()
    },
    race: (work) => Promise.race([work, over]),
    clear: () => {
      isDone = true
      clearTimeout(timer)
    },
  }
}

/** Returns the client's `x-request-id` if it is short and plain ASCII, otherwise a new id. */
function toRequestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given)) return given
  return `req_${randomUUID().replaceAll('-', '')}`
}
