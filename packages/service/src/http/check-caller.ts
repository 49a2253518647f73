import type { IncomingMessage } from 'node:http'
import { checkKey } from './check-key.js'
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
export function mayAsk(origin: string, cors: readonly string[]): boolean {
  return cors.includes('*') || cors.includes(origin)
}

function isLocalName(host: string | undefined): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '')
}
