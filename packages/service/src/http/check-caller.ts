import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from './service-error.js'
import { toServiceHeaders } from './write-reply.js'

export interface AccessRules {
  /** The key that clients must send. `false` gives every client on this machine access. */
  readonly apiKey: string | false
  /** The origins whose pages have access. `*` allows all origins. */
  readonly cors: readonly string[]
}

/**
 * Checks a request's key. Throws a 401 if the key is missing or wrong. If no key is required, web pages could send
 * requests through the user's browser. A service without a key therefore accepts only loopback host names and allowed
 * origins, and throws a 403 for all others.
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

/** Checks the key in `Authorization: Bearer <key>` or `x-api-key`. Throws a 401 if neither is valid. */
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
      'The key is wrong. Use the key that the service printed when it started.',
    )
  }
}

// Digests have equal lengths, so comparing them takes constant time.
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** If a request is from a page of an allowed origin, sets the CORS headers and returns true. */
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
