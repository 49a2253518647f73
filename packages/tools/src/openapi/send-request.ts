import type { IncomingMessage } from 'node:http'
import { CapstanError, isCapstanError } from '@capstan/core'
import { rootCause } from '@capstan/core/internal'
import {
  blockReason,
  type FetchPolicy,
  type HostResolver,
  PrivateHostError,
} from '@capstan/guarded-fetch/address-policy'
import { hasConnections, openRequest } from '@capstan/guarded-fetch/open-request'

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
}

/** A response whose body has not been read yet. */
export interface HttpAnswer {
  readonly status: number
  header(name: string): string | undefined
  readonly body: ReadableStream<Uint8Array> | null
}

export interface SendOptions {
  readonly policy: FetchPolicy
  readonly signal: AbortSignal
  /** The operation's name, for errors. */
  readonly name: string
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Resolves host names. Default: the system's resolver. */
  readonly resolver?: HostResolver | undefined
}

/**
 * Sends a request. Follows up to five redirects within the same origin, as `fetch` does.
 * @throws CapstanError `unsupported` for a forbidden URL, `api` for other redirects. A network error is thrown
 * unchanged
 */
export async function sendRequest(first: HttpRequest, options: SendOptions): Promise<HttpAnswer> {
  let request = first
  for (let redirects = 0; ; redirects++) {
    const answer = await sendOnce(request, options)
    const target = targetOf(answer, request.url)
    if (target === undefined) return answer
    answer.body?.cancel().catch(() => {})
    if (target.origin !== first.url.origin)
      throw new CapstanError(
        'api',
        `${options.name}: the server redirects to a different origin, ${target.origin.slice(0, 200)}. Such redirects are not followed.`,
        { status: answer.status, evidence: { origin: target.origin } },
      )
    if (redirects === maxRedirects)
      throw new CapstanError(
        'api',
        `${options.name}: the server redirected more than ${maxRedirects} times.`,
        {
          status: answer.status,
        },
      )
    request = redirected(request, answer.status, target)
  }
}

const maxRedirects = 5

function targetOf({ status, header }: HttpAnswer, from: URL): URL | undefined {
  const location = [301, 302, 303, 307, 308].includes(status) ? header('location') : undefined
  if (location === undefined || !URL.canParse(location, from)) return undefined
  return new URL(location, from)
}

/**
 * Returns the request to send after a redirect. After status 303 it is a GET, and so is a POST after status 301 or 302.
 */
function redirected({ method, headers, body }: HttpRequest, status: number, url: URL): HttpRequest {
  const isRead = method === 'GET' || method === 'HEAD'
  const becomesGet = (status === 303 && !isRead) || (status < 303 && method === 'POST')
  if (!becomesGet) return { method, url, headers, body }
  const others = Object.entries(headers).filter(([name]) => !name.startsWith('content-'))
  return { method: 'GET', url, headers: Object.fromEntries(others) }
}

async function sendOnce(request: HttpRequest, options: SendOptions): Promise<HttpAnswer> {
  const reason = blockReason(request.url, options.policy)
  if (reason !== undefined) throw blocked(options.name, reason)
  if (options.fetch || !hasConnections()) return sendByFetch(request, options)
  return toAnswer(await openRequest(request.url, { ...options, ...request }), request.method)
}

/** What `toFailure` needs to describe an error. */
interface FailureScope extends Pick<SendOptions, 'name' | 'signal'> {
  /** Removes credentials from text. */
  redact(text: string): string
}

/**
 * Converts an error from sending a request or reading its response. The original error may contain the URL, which may
 * contain a key.
 */
export function toFailure(error: unknown, { name, signal, redact }: FailureScope): unknown {
  if (signal.aborted) return signal.reason
  if (isCapstanError(error)) return error
  if (error instanceof PrivateHostError)
    return blocked(name, `${error.message} does not resolve to a public address`)
  const cause = rootCause(error)
  const effect = notSent.test(cause) ? 'Nothing was sent' : 'It may have taken effect'
  const message = `${name}: the request failed: ${redact(cause)}. ${effect}.`
  return new CapstanError('network', message, { retryable: true })
}

const notSent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/

function blocked(name: string, reason: string): CapstanError {
  return new CapstanError('unsupported', `${name} was not called: ${reason}.`, {
    evidence: { fix: 'To call a private address, pass it as baseURL.' },
  })
}

async function sendByFetch(
  { method, url, headers, body }: HttpRequest,
  { fetch = globalThis.fetch, signal }: SendOptions,
): Promise<HttpAnswer> {
  const response = await fetch(url, {
    ...{ method, headers, signal, redirect: 'manual' as const, credentials: 'omit' as const },
    ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}),
  })
  const { status, body: stream } = response
  return { status, header: (name) => response.headers.get(name) ?? undefined, body: stream }
}

function toAnswer(message: IncomingMessage, method: string): HttpAnswer {
  const { statusCode: status = 0, headers } = message
  const header = (name: string) => [headers[name] ?? []].flat().join(', ') || undefined
  if (method === 'HEAD' || [204, 205, 304].includes(status)) {
    message.resume()
    return { status, header, body: null }
  }
  const { Readable } = process.getBuiltinModule('node:stream')
  const body = Readable.toWeb(message) as ReadableStream<Uint8Array>
  return { status, header, body: decompressed(body, header('content-encoding')) }
}

/**
 * Decompresses a body, because some servers compress responses even if the client does not accept compression.
 * @throws CapstanError `invalid_response` for an unsupported compression
 */
function decompressed(body: ReadableStream<Uint8Array>, encoding = 'identity'): ReadableStream<Uint8Array> {
  if (encoding === 'identity') return body
  const [, format] = /^(?:x-)?(gzip|deflate)$/.exec(encoding.trim().toLowerCase()) ?? []
  if (format === 'gzip' || format === 'deflate') {
    const stream = new DecompressionStream(format)
    return body.pipeThrough(stream as TransformStream<Uint8Array, Uint8Array>)
  }
  body.cancel().catch(() => {})
  const message = `The response is compressed with ${JSON.stringify(encoding.slice(0, 20))}, which was not requested.`
  throw new CapstanError('invalid_response', message)
}
