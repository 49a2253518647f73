import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from './service-error.js'

/** Who may ask. */
export interface Admission {
  /** `false`: whoever is on this machine. */
  readonly apiKey: string | false
  /** Origins whose pages may ask; `*` is every one. */
  readonly cors: readonly string[]
}

/**
 * Checks the key of a request; 401 without it. Where none is asked for, a browser could be made to ask by any page it
 * shows: under a name of this machine only, and from a page only if its origin may; 403 otherwise.
 */
export function checkCaller({ headers }: IncomingMessage, { apiKey, cors }: Admission): void {
  if (apiKey !== false) {
    checkKey(headers.authorization, apiKey)
    return
  }
  if (!isLocalName(headers.host)) {
    const message =
      'Without a key this service is asked as localhost or 127.0.0.1, and not under another name.'
    throw new ServiceError(403, 'forbidden_host', message, 'host')
  }
  if (headers.origin !== undefined && !mayAsk(headers.origin, cors)) {
    const message = 'Pages of this origin may not ask here: name it in the option "cors" of the service.'
    throw new ServiceError(403, 'forbidden_origin', message, 'origin')
  }
}

/** Whether pages of an origin may ask. */
function mayAsk(origin: string, cors: readonly string[]): boolean {
  return cors.includes('*') || cors.includes(origin)
}

function isLocalName(host: string | undefined): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '')
}

/** Checks the header `Authorization: Bearer <key>`; 401 when it is missing or wrong. */
function checkKey(authorization: string | undefined, apiKey: string): void {
  const [, given] = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '') ?? []
  if (given === undefined) {
    throw new ServiceError(
      401,
      'missing_api_key',
      'Send the key of this service as "Authorization: Bearer <key>".',
    )
  }
  if (!timingSafeEqual(digest(given), digest(apiKey))) {
    throw new ServiceError(
      401,
      'invalid_api_key',
      'This is not the key of this service: it was shown when it started.',
    )
  }
}

// Digests have one length, so that the comparison takes one time.
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

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
