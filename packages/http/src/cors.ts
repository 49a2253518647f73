import { HttpError } from './http-error.js'

/** Origins, other than the server's own, whose pages may send requests: an array, or `'*'` for all. */
export type AllowedOrigins = readonly string[] | '*'

/**
 * Rejects unknown host names. Otherwise a page could point its own domain at this machine, and browsers would let the
 * page read the responses.
 * @throws HttpError 403 for a host name that is neither local nor listed
 */
export function checkHost(request: Request, hosts: readonly string[]): void {
  const host = request.headers.get('host') ?? new URL(request.url).host
  const name = parseHostname(host)
  if (name !== undefined && (isLoopback(name) || hosts.some((listed) => parseHostname(listed) === name)))
    return
  const message = `The host ${JSON.stringify(host)} is not allowed. Add its name to agentHandler's hosts, or set authenticate.`
  throw new HttpError(403, 'forbidden_host', message)
}

/** Returns the host name of a `Host` header, without its port. Undefined if it is invalid. */
export function parseHostname(host: string): string | undefined {
  const address = `http://${host}`
  if (!URL.canParse(address)) return undefined
  return /[/?#@\\]/.test(host) ? undefined : new URL(address).hostname
}

/**
 * Rejects requests from pages of other origins, because browsers send some requests without a preflight.
 * @throws HttpError 403 for an origin that is not allowed
 */
export function checkOrigin(request: Request, origins: AllowedOrigins): void {
  const origin = requestOrigin(request)
  if (origin === null || isAllowed(origin, origins) || isSameOrigin(origin, request)) return
  throw new HttpError(
    403,
    'forbidden_origin',
    "Requests from this origin are not allowed. Add it to agentHandler's origins.",
  )
}

/** Returns the headers that let a page read the response, if its origin is allowed. */
export function corsHeaders(request: Request, allowed: AllowedOrigins): Readonly<Record<string, string>> {
  const origin = request.headers.get('origin')
  if (origin === null || !isAllowed(origin, allowed)) return { vary: 'origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-run-id, x-error-code, retry-after, content-range',
    vary: 'origin',
  }
}

export function preflightResponse(request: Request, allowed: AllowedOrigins): Response {
  const headers = corsHeaders(request, allowed)
  if (!('access-control-allow-origin' in headers)) return new Response(null, { status: 403 })
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
      // Any header is allowed: clients in pages send their own, and `authenticate` decides which ones it accepts.
      'access-control-allow-headers':
        request.headers.get('access-control-request-headers') ??
        'authorization, content-type, last-event-id, range',
      'access-control-max-age': '600',
    },
  })
}

/**
 * Returns the origin of the page that sent a request. For images, scripts and frames, browsers report only that the
 * page is from a different site, and sometimes the referrer. Null if the user followed a link.
 */
function requestOrigin({ headers }: Request): string | null {
  const origin = headers.get('origin')
  if (origin !== null || !/^(cross|same)-site$/.test(headers.get('sec-fetch-site') ?? '')) return origin
  if (headers.get('sec-fetch-dest') === 'document') return null
  const referrer = headers.get('referer') ?? ''
  return URL.canParse(referrer) ? new URL(referrer).origin : 'null'
}

/**
 * Whether a page has the origin of this server. A proxy may remove TLS but never adds it, so an `http:` page
 * does not match `https:`.
 */
function isSameOrigin(origin: string, { url, headers }: Request): boolean {
  if (!URL.canParse(origin)) return false
  const [page, target] = [new URL(origin), new URL(url)]
  if (target.protocol === 'https:' && page.protocol !== 'https:') return false
  return page.host === (headers.get('host') ?? target.host)
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function isAllowed(origin: string, allowed: AllowedOrigins): boolean {
  return allowed === '*' || allowed.includes(origin)
}
