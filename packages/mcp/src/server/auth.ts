import { CapstanError } from '@capstan/core'
import type { McpServerOptions } from './options.js'

/** An authorized caller, or the response that rejects the request. */
type Authorization = { readonly caller: unknown } | { readonly response: Response }

/** Host names of this machine. */
const localHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * Checks that `authenticate` is set if the server accepts host names other than those of this machine.
 * @throws CapstanError `invalid_request` if it is not
 */
export function checkAuth({ hosts = localHosts, authenticate }: McpServerOptions): void {
  const beyond = hosts.find((host) => !localHosts.includes(host))
  if (beyond === undefined || authenticate) return
  const message = `hosts contains "${beyond}", but authenticate is not set. Set authenticate; () => true lets anyone in.`
  throw new CapstanError('invalid_request', message, { evidence: { host: beyond } })
}

/**
 * Checks a request's host, then its origin, then authenticates its caller. The host is checked first, so that a page
 * with a forged host name gets no information.
 * @throws TypeError if the caller's id is missing or empty; an error from `authenticate`
 */
export async function authorize(
  request: Request,
  { hosts = localHosts, origins = [], authenticate }: McpServerOptions,
): Promise<Authorization> {
  const { host, hostname } = requestHost(request)
  if (!hosts.includes(hostname)) return reject(403, 'This host is not allowed.')
  const origin = request.headers.get('origin')
  if (origin !== null && !origins.includes(origin) && !isSameOrigin(origin, host))
    return reject(403, 'Requests from this origin are not allowed.')
  if (!authenticate) return { caller: undefined }
  const caller = await authenticate(request)
  if (caller instanceof Response) return { response: caller }
  const isRefused = caller === undefined || caller === null || caller === false
  if (isRefused) return reject(401, 'Authentication is required.')
  checkCaller(caller)
  return { caller }
}

/** Rejects callers with an empty or missing id, because they would share sessions and artifacts. */
function checkCaller(caller: unknown): void {
  const isObject = typeof caller === 'object' && caller !== null && 'id' in caller
  const id = isObject ? caller.id : caller
  if (id !== '' && id !== undefined && id !== null) return
  throw new TypeError(
    `authenticate returned a caller with ${id === '' ? 'an empty id' : `the id ${id}`}. Return { id } with a non-empty string, or undefined to reject.`,
  )
}

/** Returns the host that the client requested. Uses the `Host` header, because a proxy may have changed the URL. */
function requestHost({ headers, url }: Request): URL {
  try {
    return new URL(`http://${headers.get('host') ?? new URL(url).host}`)
  } catch {
    return new URL('http://invalid.invalid')
  }
}

function isSameOrigin(origin: string, host: string): boolean {
  try {
    return new URL(origin).host === host
  } catch {
    return false
  }
}

function reject(status: number, message: string): { readonly response: Response } {
  return { response: errorResponse(status, message) }
}

/** Returns an error response in the protocol's format. */
export function errorResponse(status: number, message: string): Response {
  const body = { jsonrpc: '2.0', error: { code: -32000, message }, id: null }
  const headers: Record<string, string> = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return Response.json(body, { status, headers })
}

/** Returns a string that identifies a caller. Undefined for an object that is not plain and has no `id`. */
export function callerKey(caller: unknown): string | undefined {
  if (typeof caller !== 'object' || caller === null) return JSON.stringify(caller ?? null)
  const { id } = caller as { readonly id?: unknown }
  if (typeof id === 'string' || typeof id === 'number') return JSON.stringify([id])
  return Object.getPrototypeOf(caller) === Object.prototype ? JSON.stringify(caller) : undefined
}
