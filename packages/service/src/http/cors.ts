import type { IncomingMessage, ServerResponse } from 'node:http'
import { mayAsk } from './check-caller.js'

/** Tells the browser that the page may read the answer, if its origin is among those that may. */
export function allowOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  cors: readonly string[],
): boolean {
  const { origin } = request.headers
  if (cors.length === 0) return false
  response.setHeader('vary', 'origin')
  if (origin === undefined || !mayAsk(origin, cors)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader(
    'access-control-expose-headers',
    'x-request-id, x-capstan-engine, x-capstan-understood, x-capstan-not-understood, retry-after',
  )
  return true
}

/** Answers a browser that asks whether a page may ask. */
export function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-methods', 'GET, POST')
  response.setHeader(
    'access-control-allow-headers',
    headers['access-control-request-headers'] ?? 'authorization, content-type',
  )
  response.setHeader('access-control-max-age', '600')
  response.writeHead(204).end()
}

/** Whether a request is such a question. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
