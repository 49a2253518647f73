import { ServiceError } from '../http/service-error.js'
import type { Upstream } from './upstream.js'

/** Sends a request to the other server. A 502 when it cannot be reached, or leads elsewhere. */
export async function askUpstream(
  { url, apiKey }: Upstream,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const headers = new Headers(init.headers)
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
  // A redirect could carry the key and the conversation to somebody else.
  const asked = fetch(toAddress(url, path), { ...init, headers, redirect: 'manual' })
  const response = await asked.catch((error: unknown) => {
    if (init.signal?.aborted) throw init.signal.reason
    throw unreachable(reasonOf(error))
  })
  if (response.status < 300 || response.status >= 400) return response
  await response.body?.cancel()
  throw unreachable(`it redirects (${response.status}): give the address it leads to`)
}

// The paths of this service begin with /v1, and so do addresses of such servers end.
function toAddress(url: string, path: string): string {
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '/v1' : pathname.replace(/\/+$/, '')
  return origin + base + path.replace(/^\/v1/, '')
}

function unreachable(reason: string): ServiceError {
  const message = `The upstream server of this service did not answer: ${reason}.`
  return new ServiceError(502, 'upstream_failed', message)
}

// Codes only: the words of a failure name addresses of this network.
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code)
  return 'the connection failed'
}
