import { CapstanError } from '@capstan/core'
import type { McpServerOptions } from './options.js'

/** A request that may be answered, or the answer that says why not. */
type Guarded = { readonly caller: unknown } | { readonly refusal: Response }

/** Host names of this machine. */
const local = ['localhost', '127.0.0.1', '[::1]']

/** @throws CapstanError `invalid_request` for a server that anybody could call unasked */
export function checkGuard({ hosts = local, authenticate }: McpServerOptions): void {
  const beyond = hosts.find((host) => !local.includes(host))
  if (beyond === undefined || authenticate) return
  const message = `The server answers as "${beyond}" and asks nobody who they are. Give authenticate; () => true lets everybody in.`
  throw new CapstanError('invalid_request', message, { evidence: { host: beyond } })
}

/** The host first, so that a page that took on our name learns nothing; then its origin; then who asks. */
export async function guard(
  request: Request,
  { hosts = local, origins = [], authenticate }: McpServerOptions,
): Promise<Guarded> {
  const { host, hostname } = hostOf(request)
  if (!hosts.includes(hostname)) return refused(403, 'This host is not served here.')
  const origin = request.headers.get('origin')
  if (origin !== null && !origins.includes(origin) && !isOf(origin, host))
    return refused(403, 'Pages of this origin are not served.')
  if (!authenticate) return { caller: undefined }
  const caller = await authenticate(request)
  if (caller instanceof Response) return { refusal: caller }
  const isRefused = caller === undefined || caller === null || caller === false
  return isRefused ? refused(401, 'Say who you are.') : { caller }
}

/** What the client asked for, as it says; not what a proxy made of the address. */
function hostOf({ headers, url }: Request): URL {
  try {
    return new URL(`http://${headers.get('host') ?? new URL(url).host}`)
  } catch {
    return new URL('http://invalid.invalid')
  }
}

function isOf(origin: string, host: string): boolean {
  try {
    return new URL(origin).host === host
  } catch {
    return false
  }
}

function refused(status: number, message: string): { readonly refusal: Response } {
  return { refusal: refuse(status, message) }
}

/** An answer in the place of the protocol's own. */
export function refuse(status: number, message: string): Response {
  const body = { jsonrpc: '2.0', error: { code: -32000, message }, id: null }
  const headers: Record<string, string> = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return Response.json(body, { status, headers })
}

/** A text that tells callers apart; undefined for an object that cannot be told from others. */
export function callerKey(caller: unknown): string | undefined {
  if (typeof caller !== 'object' || caller === null) return JSON.stringify(caller ?? null)
  const { id } = caller as { readonly id?: unknown }
  if (typeof id === 'string' || typeof id === 'number') return JSON.stringify([id])
  return Object.getPrototypeOf(caller) === Object.prototype ? JSON.stringify(caller) : undefined
}
