import type { Visit } from './context.js'
import { HttpError, invalidRequest } from './http-error.js'
import type { QuotaLimits } from './quota.js'

/**
 * The JSON object in a request's body. @throws HttpError 413 as soon as it is known to be too large, 415 for another
 * type: a page of another origin may send some of those unasked, 400 for what is no JSON object, 503 or 429 when the
 * bodies that are being read leave no room for it
 */
export async function readJson({ request, user, site }: Visit): Promise<Readonly<Record<string, unknown>>> {
  const { maxBodyBytes } = site.options
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type))
    throw new HttpError(415, 'unsupported_media_type', 'Send JSON, with the content-type application/json.')
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > maxBodyBytes) throw tooLarge(maxBodyBytes)
  let held = 0
  const hold = (bytes: number) => {
    if (held + bytes > maxBodyBytes) throw tooLarge(maxBodyBytes)
    const exceeded = site.bodies.exceededBy(user.id, bytes)
    if (exceeded) throw noRoom(exceeded)
    site.bodies.take(user.id, bytes)
    held += bytes
  }
  try {
    const text = await readText(request, hold)
    const body = isFlat(text) ? tryJson(text) : undefined
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return body as Record<string, unknown>
  } finally {
    site.bodies.release(user.id, held)
  }
  throw new HttpError(400, 'invalid_json', 'The body is no JSON object, or one that is nested too deep.')
}

/** `hold` is told of the bytes of each part, before it is kept. */
async function readText(request: Request, hold: (bytes: number) => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of partsOf(request)) {
    hold(part.byteLength)
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}

/** Leaving it cancels what has not come. */
async function* partsOf({ body }: Request): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(() => {
        throw invalidRequest('The body ended before it was whole.')
      })
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/**
 * Whether it brings more than is taken, or does not say how much, and was answered before that was read: hosts read on,
 * for the sake of the next request, unless the connection ends.
 */
export function isTooMuchLeft(request: Request, maxBytes: number): boolean {
  const { headers } = request
  const isMuch = headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > maxBytes
  return isMuch && !request.bodyUsed
}

/** What is nested deeper than this is no request: those who look into it would run out of room. */
const deepest = 200

function isFlat(text: string): boolean {
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
    if (depth > deepest) return false
  }
  return true
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function tooLarge(maxBytes: number): HttpError {
  const message = `The body is larger than ${maxBytes} bytes, the most that is taken here.`
  return new HttpError(413, 'too_large', message, { connection: 'close' })
}

function noRoom(exceeded: keyof QuotaLimits): HttpError {
  const headers = { 'retry-after': '1', connection: 'close' }
  if (exceeded === 'perUser')
    return new HttpError(
      429,
      'too_many_bodies',
      'You send too much at one time. Send it again soon.',
      headers,
    )
  return new HttpError(
    503,
    'too_many_bodies',
    'Too much is being sent at one time. Send it again soon.',
    headers,
  )
}

/** A text that a caller sent; `''` for what is none, whatever it says of itself. */
export function textOf(given: unknown): string {
  return typeof given === 'string' ? given : ''
}
