import type { ForwardEndpoint, Reply } from './http/endpoint.js'
import { ServiceError } from './http/service-error.js'
import { isRecord } from './json.js'

/** The endpoints that another server can handle. */
export const upstreamEndpoints = [
  'chat',
  'responses',
  'messages',
  'images',
  'speech',
  'transcription',
  'translation',
  'embeddings',
] as const

export type UpstreamEndpoint = (typeof upstreamEndpoints)[number]

/** Another server with the same interface, which handles some endpoints. */
export interface Upstream {
  /** The server's URL, including the version, such as `https://models.example/v1`. */
  readonly url: string
  /** The key for the server. Default: no key is sent. This service's own key is never sent to the server. */
  readonly apiKey?: string | undefined
  /** The endpoints that the server handles. This service handles all others. Default: `['chat']`. */
  readonly endpoints?: readonly UpstreamEndpoint[] | undefined
}

/** Checks the `upstream` option. @throws TypeError that names the problem */
export function checkUpstream({ url, apiKey, endpoints = ['chat'] }: Upstream): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password || parsed.search) {
    throw new TypeError(
      'upstream.url must be a URL such as https://models.example/v1, without a key or a query.',
    )
  }
  if (apiKey !== undefined && !/^[\x21-\x7e]{4,}$/.test(apiKey)) {
    throw new TypeError('upstream.apiKey must be at least four visible ASCII characters, without spaces.')
  }
  const unknown = endpoints.find((name) => !upstreamEndpoints.includes(name))
  if (unknown === undefined && endpoints.length > 0) return
  const list = upstreamEndpoints.join(', ')
  throw new TypeError(
    `upstream.endpoints must contain one or more of ${list}${unknown ? `, not "${unknown}"` : ''}.`,
  )
}

/** Whether the upstream server handles an endpoint. */
export function isUpstream(upstream: Upstream | undefined, endpoint: UpstreamEndpoint): boolean {
  return upstream !== undefined && (upstream.endpoints ?? ['chat']).includes(endpoint)
}

// The headers to forward in each direction. They do not include keys, cookies or connection headers.
const sent = [
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'idempotency-key',
  'openai-beta',
  'openai-organization',
  'openai-project',
]
const kept = /^(retry-after|retry-after-ms|x-should-retry|x-ratelimit-[\w-]+|openai-[\w-]+|anthropic-[\w-]+)$/

/** Forwards a request to the upstream server, and streams back the status and body. */
export function forwardTo(upstream: Upstream): ForwardEndpoint {
  return async ({ method, path, headers, body, signal }) => {
    const own = sent.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)] as [string, string]]
    })
    // A GET must not have a body, not even an empty one.
    const sentBody = method === 'GET' ? null : body
    const response = await askUpstream(upstream, path, { method, headers: own, body: sentBody, signal })
    return toReply(response, upstream.apiKey)
  }
}

function toReply({ status, headers, body }: Response, secret: string | undefined): Reply {
  const told = [...headers].filter(([name]) => kept.test(name))
  const clean = secret ? told.filter(([, value]) => !value.includes(secret)) : told
  const shared = { status, headers: { ...Object.fromEntries(clean), 'x-capstan-engine': 'upstream; remote' } }
  const mediaType = headers.get('content-type') ?? 'application/octet-stream'
  if (!body) return { ...shared, bytes: new Uint8Array(), mediaType }
  return { ...shared, stream: secret ? withoutSecret(body, secret) : body, mediaType }
}

const patience = 5000

/** Returns the upstream server's models. Empty if it does not respond within 5 s. */
export async function listUpstreamModels(
  upstream: Upstream,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const late = AbortSignal.timeout(patience)
  try {
    const response = await askUpstream(upstream, '/models', { signal: AbortSignal.any([signal, late]) })
    const list: unknown = await response.json()
    if (!response.ok || !isRecord(list) || !Array.isArray(list.data)) return []
    return list.data.filter((entry) => isRecord(entry) && typeof entry.id === 'string')
  } catch {
    return []
  }
}

/** Sends a request to the upstream server. Throws a 502 if the server is unreachable or redirects. */
async function askUpstream({ url, apiKey }: Upstream, path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  if (apiKey !== undefined) {
    headers.set('authorization', `Bearer ${apiKey}`)
    if (headers.has('anthropic-version')) headers.set('x-api-key', apiKey)
  }
  // A redirect could send the key and the conversation to another server.
  const asked = fetch(toAddress(url, path), { ...init, headers, redirect: 'manual' })
  const response = await asked.catch((error: unknown) => {
    if (init.signal?.aborted) throw init.signal.reason
    throw unreachable(reasonOf(error))
  })
  if (response.status < 300 || response.status >= 400) return response
  await response.body?.cancel()
  throw unreachable(`it redirects (${response.status}): use the URL that it redirects to`)
}

// Paths of this service start with /v1, and upstream URLs end with it.
function toAddress(url: string, path: string): string {
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '/v1' : pathname.replace(/\/+$/, '')
  return origin + base + path.replace(/^\/v1/, '')
}

function unreachable(reason: string): ServiceError {
  const message = `The request to this service's upstream server failed: ${reason}.`
  return new ServiceError(502, 'upstream_failed', message)
}

// Returns only codes, because messages of network errors contain addresses.
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code)
  return 'the connection failed'
}

const veil = Buffer.from('***')

/**
 * Removes a secret from a stream of bytes, even if the secret is split between two chunks. Passes all other bytes on
 * immediately.
 */
async function* withoutSecret(chunks: AsyncIterable<Uint8Array>, secret: string): AsyncGenerator<Uint8Array> {
  const wanted = Buffer.from(secret)
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = redact(Buffer.concat([held, chunk]), wanted)
    const keep = lengthOfStart(bytes, wanted)
    held = bytes.subarray(bytes.length - keep)
    if (bytes.length > keep) yield bytes.subarray(0, bytes.length - keep)
  }
  if (held.length > 0) yield held
}

function redact(bytes: Buffer, wanted: Buffer): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, from)) {
    parts.push(bytes.subarray(from, at), veil)
    from = at + wanted.length
  }
  return parts.length > 0 ? Buffer.concat([...parts, bytes.subarray(from)]) : bytes
}

// Returns how many bytes at the end may be the start of the secret.
function lengthOfStart(bytes: Buffer, wanted: Buffer): number {
  for (let length = Math.min(bytes.length, wanted.length - 1); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(wanted.subarray(0, length))) return length
  }
  return 0
}
