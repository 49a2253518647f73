import { HttpError } from './http-error.js'

/** Pages of which other origins may ask: none, some, or any (`'*'`). */
export type AllowedOrigins = readonly string[] | '*'

/**
 * A page can point its own name at this machine; its browser then takes our answers for its own.
 * @throws HttpError 403 for a host name that is neither of this machine nor listed
 */
export function checkHost(request: Request, hosts: readonly string[]): void {
  const host = request.headers.get('host') ?? new URL(request.url).host
  const name = toHostname(host)
  if (name !== undefined && (isLoopback(name) || hosts.some((listed) => toHostname(listed) === name))) return
  const message = `The host ${JSON.stringify(host)} is not served. List its name in the option hosts of agentHandler, or give authenticate.`
  throw new HttpError(403, 'forbidden_host', message)
}

/** The name in a host, with or without its port; undefined for any other text. */
export function toHostname(host: string): string | undefined {
  const address = `http://${host}`
  if (!URL.canParse(address)) return undefined
  return /[/?#@\\]/.test(host) ? undefined : new URL(address).hostname
}

/** @throws HttpError 403 for a page of another origin that is not allowed: browsers send some requests unasked */
export function checkOrigin(request: Request, origins: AllowedOrigins): void {
  const origin = originOf(request)
  if (origin === null || isAllowed(origin, origins) || isSame(origin, request)) return
  throw new HttpError(403, 'forbidden_origin', 'Pages of another origin may not ask here.')
}

/** What tells a browser that its page may read the answer. */
export function corsHeaders(request: Request, allowed: AllowedOrigins): Readonly<Record<string, string>> {
  const origin = request.headers.get('origin')
  if (origin === null || !isAllowed(origin, allowed)) return { vary: 'origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-run-id, retry-after, content-range',
    vary: 'origin',
  }
}

/** The answer to a browser that asks before it sends. */
export function toPreflight(request: Request, allowed: AllowedOrigins): Response {
  const headers = corsHeaders(request, allowed)
  if (!('access-control-allow-origin' in headers)) return new Response(null, { status: 403 })
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
      // Whom a page may send what in is for `authenticate` to say: clients in pages have headers of their own.
      'access-control-allow-headers':
        request.headers.get('access-control-request-headers') ??
        'authorization, content-type, last-event-id, range',
      'access-control-max-age': '600',
    },
  })
}

/**
 * Of whom a page is that asks. For pictures, scripts and frames a browser says no more than that they are for another's
 * page, and perhaps where from; a link that somebody follows is that person's own.
 */
function originOf({ headers }: Request): string | null {
  const origin = headers.get('origin')
  if (origin !== null || !/^(cross|same)-site$/.test(headers.get('sec-fetch-site') ?? '')) return origin
  if (headers.get('sec-fetch-dest') === 'document') return null
  const referrer = headers.get('referer') ?? ''
  return URL.canParse(referrer) ? new URL(referrer).origin : 'null'
}

/** What stands in front may have taken encryption off, and never puts it on: a page without it is not of a house with it. */
function isSame(origin: string, { url, headers }: Request): boolean {
  if (!URL.canParse(origin)) return false
  const [page, house] = [new URL(origin), new URL(url)]
  if (house.protocol === 'https:' && page.protocol !== 'https:') return false
  return page.host === (headers.get('host') ?? house.host)
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function isAllowed(origin: string, allowed: AllowedOrigins): boolean {
  return allowed === '*' || allowed.includes(origin)
}
