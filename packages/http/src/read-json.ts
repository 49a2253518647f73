import { isRecord, tryJson } from '@capstan/core/internal'
import type { RequestContext } from './context.js'
import { HttpError, invalidRequest } from './http-error.js'
import type { QuotaLimits } from './quota.js'

/**
 * Reads the JSON object in a request's body.
 * @throws HttpError 413 as soon as the body is known to be too large; 415 for a different content type, because pages
 * of other origins can send some types without a preflight; 400 if the body is not a JSON object; 503 or 429 if too
 * many bytes are being read at the same time, in total or from this user
 */
export async function readJson({
  request,
  user,
  handler,
}: RequestContext): Promise<Readonly<Record<string, unknown>>> {
  const { maxBodyBytes } = handler.options
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type))
    throw new HttpError(415, 'unsupported_media_type', 'Send JSON, with the content-type application/json.')
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > maxBodyBytes) throw tooLarge(maxBodyBytes)
  let reserved = 0
  const reserve = (bytes: number) => {
    if (reserved + bytes > maxBodyBytes) throw tooLarge(maxBodyBytes)
    const exceeded = handler.bodies.exceededBy(user.id, bytes)
    if (exceeded) throw tooManyBodies(exceeded)
    handler.bodies.take(user.id, bytes)
    reserved += bytes
  }
  try {
    const text = await readText(request, reserve)
    const body = isShallow(text) ? tryJson(text) : undefined
    if (isRecord(body)) return body
  } finally {
    handler.bodies.release(user.id, reserved)
  }
  throw new HttpError(
    400,
    'invalid_json',
    'The body is not a JSON object, or it is nested too deeply. Send an object.',
  )
}

/** Reads the body as text. Calls `reserve` with each chunk's size in bytes before storing the chunk. */
async function readText(request: Request, reserve: (bytes: number) => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of bodyChunks(request)) {
    reserve(part.byteLength)
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}

/** Yields the chunks of a body. Returning early cancels the rest. */
async function* bodyChunks({ body }: Request): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(() => {
        throw invalidRequest('The body ended before it was complete.')
      })
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/**
 * Whether an unread body is too large or of unknown length. To reach the next request, servers read such a body to its
 * end unless the connection is closed.
 */
export function hasUnreadBody(request: Request, maxBytes: number): boolean {
  const { headers } = request
  const isMuch = headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > maxBytes
  return isMuch && !request.bodyUsed
}

/**
 * The maximum nesting depth of a body. A deeper one is rejected, because code that walks it would overflow the stack.
 */
const maxDepth = 200

function isShallow(text: string): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inText) {
      if (character === '\\') at += 1
      else if (character === '"') inText = false
    } else if (character === '"') inText = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > maxDepth) return false
  }
  return true
}

function tooLarge(maxBytes: number): HttpError {
  const message = `The body is larger than the limit of ${maxBytes} bytes.`
  return new HttpError(413, 'too_large', message, { connection: 'close' })
}

function tooManyBodies(exceeded: keyof QuotaLimits): HttpError {
  const headers = { 'retry-after': '1', connection: 'close' }
  if (exceeded === 'perUser')
    return new HttpError(
      429,
      'too_many_bodies',
      'You are sending too many bytes concurrently. Retry later.',
      headers,
    )
  return new HttpError(
    503,
    'too_many_bodies',
    'Too many bytes are being sent concurrently. Retry later.',
    headers,
  )
}

/** Returns a client's value if it is a string, otherwise `''`. */
export function stringOrEmpty(given: unknown): string {
  return typeof given === 'string' ? given : ''
}
