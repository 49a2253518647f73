// Checks each request before it is handled. The checks are strict, because a request can run code on this machine.

import { HttpError } from '@capstan/http/parts'

/** The port and the host names at which the studio may be reached. */
export interface OwnHost {
  readonly port: number
  /** Other allowed host names, for forwarded ports. A name with a port matches only requests with the same port. */
  readonly allowed: readonly string[]
}

/**
 * Rejects requests with a foreign host name, because a website can point its own domain at this machine (DNS
 * rebinding).
 * @throws HttpError 421
 */
export function checkHost(request: Request, { port, allowed }: OwnHost): void {
  const host = request.headers.get('host') ?? ''
  const url = parseHost(host)
  const isOwn = url !== undefined && loopback.test(url.hostname) && (url.port || '80') === String(port)
  if (isOwn || (url !== undefined && allowed.some((name) => isListed(url, name)))) return
  const message = `Requests for the host ${JSON.stringify(host)} are not allowed. If the host is yours, start the studio with --allow-host.`
  throw new HttpError(421, 'unknown_host', message)
}

const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])$/

function parseHost(host: string): URL | undefined {
  const address = `http://${host}`
  return host === '' || /[/?#@\\\s]/.test(host) || !URL.canParse(address) ? undefined : new URL(address)
}

function isListed(url: URL, name: string): boolean {
  const listed = parseHost(name)
  return listed?.hostname === url.hostname && (listed.port === '' || listed.port === url.port)
}

/**
 * Rejects requests from pages with another origin, and all CORS preflights.
 * @throws HttpError 403
 */
export function checkOrigin({ method, headers }: Request): void {
  const origin = headers.get('origin')
  if (method === 'OPTIONS' || (origin !== null && !isOwnOrigin(origin, headers.get('host') ?? '')))
    throw new HttpError(403, 'forbidden_origin', 'Requests from other origins are not allowed.')
}

/** Whether an origin is the studio's own. It can be `https:` for a forwarded port, to which a proxy adds TLS. */
function isOwnOrigin(origin: string, host: string): boolean {
  const url = parseHost(host)
  if (!url || !URL.canParse(origin)) return false
  const page = new URL(origin)
  if (page.protocol !== 'http:' && page.protocol !== 'https:') return false
  if (page.protocol === 'https:' && loopback.test(url.hostname)) return false
  return origin === `${page.protocol}//${host}`.toLowerCase()
}

/**
 * Rejects requests that the browser reports as caused by another site. These include requests for images and scripts,
 * which have no `Origin` header.
 * @throws HttpError 403
 */
export function checkSite({ headers }: Request): void {
  const site = headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  throw new HttpError(403, 'forbidden_site', 'Requests from other sites are not allowed.')
}

/**
 * Rejects changes that a foreign page could send without a CORS preflight, and changes that the studio's own page did
 * not send.
 * @throws HttpError 403 without an origin, 415 without the content type or the header
 */
export function checkChange({ method, headers, url }: Request): void {
  if (method === 'GET' || method === 'HEAD') return
  if (headers.get('origin') === null)
    throw new HttpError(
      403,
      'forbidden_origin',
      "Requests that change data must have the header Origin, with the studio's own origin.",
    )
  if (method === 'DELETE' || new URL(url).pathname === uploads) {
    if (headers.get('x-capstan-studio') === '1') return
    throw new HttpError(415, 'missing_header', 'Send the header x-capstan-studio: 1.')
  }
  if (/^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '')) return
  throw new HttpError(415, 'unsupported_media_type', 'Send JSON, with the content-type application/json.')
}

const uploads = '/api/artifacts'

/**
 * Adds security headers to a response. Keeps headers that are already set, because artifacts have a stricter policy.
 */
export function withSafeHeaders(response: Response): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(safeHeaders)) if (!headers.has(name)) headers.set(name, value)
  const { status, statusText, body } = response
  return new Response(body, { status, statusText, headers })
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
]

const safeHeaders = {
  'content-security-policy': policy.join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}
