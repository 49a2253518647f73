import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from './service-error.js'
import { toServiceHeaders } from './write-reply.js'

/** The access rules of the service. */
export interface AccessRules {
  /** The required key. `false`: every client on this machine has access. */
  readonly apiKey: string | false
  /** Origins whose pages have access; `*` allows all. */
  readonly cors: readonly string[]
}

/**
 * Checks a request's key. Throws a 401 without a valid one. If no key is required, any web page could send requests
 * through a browser, so only loopback host names and allowed origins are accepted; others get a 403.
 */
export function checkCaller({ headers }: IncomingMessage, { apiKey, cors }: AccessRules): void {
  if (apiKey !== false) {
    checkKey(headers, apiKey)
    return
  }
  if (!isLocalName(headers.host)) {
    const message =
      'A service without a key is reachable only as localhost or 127.0.0.1. Use one of these names.'
    throw new ServiceError(403, 'forbidden_host', message, 'host')
  }
  if (headers.origin !== undefined && !isAllowedOrigin(headers.origin, cors)) {
    const message = 'Pages from this origin have no access. Add the origin to the service\'s "cors" option.'
    throw new ServiceError(403, 'forbidden_origin', message, 'origin')
  }
}

/** Whether pages of an origin have access. */
function isAllowedOrigin(origin: string, cors: readonly string[]): boolean {
  return cors.includes('*') || cors.includes(origin)
}

/** Whether an address is a loopback address, which only this machine can reach. */
export function isLoopback(address: string | undefined): boolean {
  return /^(localhost|::1|(::ffff:)?127(\.\d{1,3}){3})$/i.test(address ?? '')
}

function isLocalName(host: string | undefined): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '')
}

/** Checks the header `Authorization: Bearer <key>`, or `x-api-key`. Throws a 401 if neither is valid. */
function checkKey({ authorization, 'x-api-key': plain }: IncomingHttpHeaders, apiKey: string): void {
  const [, bearer] = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '') ?? []
  const given = bearer ?? (typeof plain === 'string' ? plain : undefined)
  if (given === undefined) {
    throw new ServiceError(
      401,
      'missing_api_key',
      'The key is missing. Send it as "Authorization: Bearer <key>", or as "x-api-key: <key>".',
    )
  }
  if (!timingSafeEqual(digest(given), digest(apiKey))) {
    throw new ServiceError(
      401,
      'invalid_api_key',
      'The key is wrong. Use the key that the service showed when it started.',
    )
  }
}

// Digests have the same length, so the comparison takes constant time.
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Sets the CORS headers for a page from an allowed origin. Returns whether the request comes from one. */
export function allowOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  cors: readonly string[],
): boolean {
  const { origin } = request.headers
  if (cors.length === 0) return false
  response.setHeader('vary', 'origin')
  if (origin === undefined || !isAllowedOrigin(origin, cors)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader(
    'access-control-expose-headers',
    `x-request-id, request-id, x-capstan-engine, x-capstan-understood, x-capstan-not-understood, retry-after, ${Object.keys(toServiceHeaders(0)).join(', ')}`,
  )
  return true
}

/** Responds to a CORS preflight request. */
export function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-methods', 'GET, POST')
  response.setHeader(
    'access-control-allow-headers',
    headers['access-control-request-headers'] ?? 'authorization, content-type',
  )
  response.setHeader('access-control-max-age', '600')
  response.writeHead(204).end()
}

/** Whether a request is a CORS preflight. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
