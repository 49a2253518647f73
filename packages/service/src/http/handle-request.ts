import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkKey } from './check-key.js'
import type { ServiceRequest } from './endpoint.js'
import { checkContentType, parseBody } from './parse-body.js'
import { HungUp, readBody } from './read-body.js'
import type { Route, Routes } from './route.js'
import { ServiceError } from './service-error.js'
import { writeError, writeReply } from './write-reply.js'

export interface Door extends Routes {
  readonly apiKey: string
  readonly maxBodyBytes: number
  /** Hears of failures nobody foresaw; the client is told none of their details. */
  readonly onFault?: (error: unknown) => void
}

/** Answers one request, whatever happens. Resolves when the answer is written or nobody is there to read it. */
export async function handleRequest(
  door: Door,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const hungUp = new AbortController()
  response.on('close', () => hungUp.abort())
  response.setHeader('x-request-id', `req_${randomUUID().replaceAll('-', '')}`)
  try {
    const route = findRoute(door, request, response)
    if (!route.open) checkKey(request.headers.authorization, door.apiKey)
    const fields = await readFields(route, door, request)
    const reply = await route.endpoint({ ...fields, origin: originOf(request), signal: hungUp.signal })
    await writeReply(response, reply, hungUp.signal)
  } catch (error) {
    if (hungUp.signal.aborted || error instanceof HungUp) return
    if (!(error instanceof ServiceError)) door.onFault?.(error)
    if (response.headersSent) response.destroy()
    else writeError(response, error)
  } finally {
    if (!request.complete && !request.destroyed) discardRest(request)
  }
}

/** The path of a request, without its query. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/'
}

function findRoute({ find, list }: Door, request: IncomingMessage, response: ServerResponse): Route {
  const path = pathOf(request)
  const route = find(path)
  if (!route) {
    throw new ServiceError(404, 'not_found', `Nothing is served at ${path}. There are: ${list.join(', ')}.`)
  }
  if (route.method !== request.method) {
    response.setHeader('allow', route.method)
    throw new ServiceError(405, 'method_not_allowed', `${path} takes ${route.method}, not ${request.method}.`)
  }
  return route
}

async function readFields(
  route: Route,
  { maxBodyBytes }: Door,
  request: IncomingMessage,
): Promise<Pick<ServiceRequest, 'fields' | 'files'>> {
  if (!route.takes) return { fields: {}, files: {} }
  const contentType = request.headers['content-type']
  checkContentType(contentType, route.takes)
  return parseBody(await readBody(request, maxBodyBytes), contentType ?? '', route.takes)
}

// Links in answers lead back the way the client came, also through a port that was forwarded.
function originOf({ headers, socket }: IncomingMessage): string {
  const host = headers.host && /^[\w.:[\]-]+$/.test(headers.host) ? headers.host : undefined
  return `http://${host ?? `127.0.0.1:${socket.localPort}`}`
}

// A client reads the answer only when its own body is out of the way; one that never ends is cut off.
function discardRest(request: IncomingMessage): void {
  request.resume()
  const patience = setTimeout(() => request.socket.destroy(), 2000)
  request.once('close', () => clearTimeout(patience))
  request.once('end', () => clearTimeout(patience))
}
