import { CapstanError, isCapstanError, type ToolContext } from '@capstan/core'
import { toHeaderText } from '@capstan/core/wire'
import type { MediaDialect } from './dialect.js'
import type { Held } from './inputs/held.js'
import { takeIn } from './inputs/take-in.js'
import type { Connection, MediaClient } from './media-client.js'
import { toMediaError } from './media-error.js'
import { isJson, toBody } from './to-body.js'

/** The endpoints of the service that media needs, below its base URL. */
export type Endpoint = keyof typeof posts

/** A whole answer of the service with a status that says it is one. */
export interface Reply extends Held {
  readonly endpoint: Endpoint
  readonly baseURL: string
  /** From `Content-Type`: lower case, without parameters, `''` where there was none. */
  readonly mediaType: string
}

/** What is sent, and how the server wants it. */
export interface Posting {
  readonly endpoint: Endpoint
  readonly body: Readonly<Record<string, unknown>>
  readonly dialect: MediaDialect
}

const posts = {
  '/images/generations': ({ images }: MediaClient) => images.generate.bind(images),
  '/images/edits': ({ images }: MediaClient) => images.edit.bind(images),
  '/images/variations': ({ images }: MediaClient) => images.createVariation.bind(images),
  '/audio/transcriptions': ({ audio }: MediaClient) => audio.transcriptions.create.bind(audio.transcriptions),
  '/audio/translations': ({ audio }: MediaClient) => audio.translations.create.bind(audio.translations),
  '/audio/speech': ({ audio }: MediaClient) => audio.speech.create.bind(audio.speech),
} as const

/** The most of an answer that is taken in: ten large pictures in base64. */
export const longestAnswer = 512 * 1024 * 1024

/** Sends one request. @throws CapstanError naming the endpoint */
export async function post(
  { client, toError }: Connection,
  { endpoint, body, dialect }: Posting,
  { signal, idempotencyKey }: Pick<ToolContext, 'signal' | 'idempotencyKey'>,
): Promise<Reply> {
  const fields = await toBody(endpoint, body, dialect)
  // The client types bodies by its own major's rules; ours are those of the interface.
  const form = posts[endpoint](client) as unknown as (body: object, options: object) => Answering
  const json = (body: object, options: object) => client.post(endpoint, { body, ...options } as never)
  const send = isJson(endpoint, dialect) ? json : form
  const headers = { 'idempotency-key': toHeaderText(idempotencyKey) }
  const late = new AbortController()
  // One of its own: the client does not stop listening to the signal it is given.
  const either = AbortSignal.any([signal, late.signal])
  const { timeout = 600_000 } = client
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const response = await send(fields, { signal: either, headers }).asResponse()
    // The client's own clock stops when an answer begins.
    timer = setTimeout(() => late.abort(tooLate(endpoint, timeout)), Math.min(timeout, 2 ** 31 - 1))
    const [mediaType = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(';')
    const held = await takeIn(longestAnswer, response.body, either)
    if (!held) throw tooLong(endpoint)
    return { endpoint, baseURL: client.baseURL, ...held, mediaType: mediaType.trim() }
  } catch (error) {
    if (late.signal.aborted) throw late.signal.reason
    if (isCapstanError(error)) throw error
    throw toError(error, `${client.baseURL}${endpoint}`, (failed) => toMediaError(endpoint, failed))
  } finally {
    clearTimeout(timer)
  }
}

function tooLate(endpoint: Endpoint, ms: number): CapstanError {
  const message = `${endpoint} began an answer that did not end within ${ms} ms. Try again, or raise "timeout" of the client.`
  return new CapstanError('timeout', message, { retryable: true, evidence: { endpoint } })
}

function tooLong(endpoint: Endpoint): CapstanError {
  const message = `${endpoint} answered with more than ${longestAnswer} bytes: ask for fewer or smaller results.`
  return new CapstanError('invalid_response', message, { evidence: { endpoint } })
}

interface Answering {
  asResponse(): Promise<Response>
}
