import { CapstanError, type ErrorCode, isCapstanError, type ToolContext } from '@capstan/core'
import {
  type FailedResponse,
  type Failure,
  readFailure,
  toHeaderText,
  withAdvice,
} from '@capstan/core/internal'
import type { Loaded } from '../inputs/resolve-input.js'
import { type Held, takeIn } from '../inputs/stored-bytes.js'
import type { Connection, MediaClient } from './client.js'
import type { MediaDialect } from './dialect.js'

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
interface Posting {
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

type Body = Readonly<Record<string, unknown>>

/** A request's fields as a server's dialect has them; undefined ones are not sent. */
async function toBody(endpoint: string, body: Body, dialect: MediaDialect): Promise<Body> {
  if (endpoint === '/audio/speech') {
    const { format, ...rest } = body
    return { ...rest, [dialect.speechFormat]: format }
  }
  if (!endpoint.startsWith('/images/')) return body
  const delivery = dialect.imageDelivery === null ? {} : { response_format: dialect.imageDelivery }
  const fields = { ...body, ...delivery }
  return isJson(endpoint, dialect) ? withDataUris(fields) : fields
}

/** Whether a request that may hold files goes up as JSON. */
function isJson(endpoint: string, { edits }: MediaDialect): boolean {
  return endpoint === '/images/edits' && edits === 'json'
}

async function withDataUris(body: Body): Promise<Body> {
  const fields = Object.entries(body).map(async ([name, value]) => [
    name,
    value instanceof Blob ? await toDataUri(value) : value,
  ])
  return Object.fromEntries(await Promise.all(fields))
}

async function toDataUri(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  // In steps: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return `data:${file.type};base64,${btoa(binary)}`
}

/** A file for a form, with the name and type by which servers tell formats apart. */
export function toUpload({ artifact, blob }: Loaded): File {
  const { id, mediaType } = artifact
  return new File([blob], `${id}.${toExtension(mediaType)}`, { type: mediaType })
}

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
}

function toExtension(mediaType: string): string {
  const [type = ''] = mediaType.toLowerCase().split(';')
  return extensions[type.trim()] ?? /\/(?:x-)?([a-z0-9]+)\s*$/.exec(type)?.[1] ?? 'bin'
}

/** The error that a failed answer of an endpoint says, with what to do about it. */
function toMediaError(endpoint: string, failed: FailedResponse): CapstanError {
  const failure = readFailure(failed)
  const { status, how, said, retryable, retryAfterMs } = failure
  const { code, advice } = toVerdict(failure)
  const requestID = failed.header('x-request-id')
  // No cause: the client's error keeps all of the answer, and an answer may repeat the key.
  return new CapstanError(code, `${endpoint} answered ${how}: ${withAdvice(ended(said), advice)}`, {
    status,
    retryable,
    evidence: { endpoint, status, ...(requestID ? { requestID } : {}) },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** A server without the endpoint says 404 or 405; so does one without the model. */
function toVerdict({ status, code, said, labels }: Failure): { code: ErrorCode; advice: string | undefined } {
  const isMissing = code === 'not_found' || status === 405
  if (isMissing && !/model/i.test(`${labels} ${said}`)) {
    return { code: 'unsupported', advice: 'This server may not offer it: check baseURL or use another one.' }
  }
  return { code, advice: advice[code] }
}

const advice: Partial<Record<ErrorCode, string>> = {
  quota: 'Check the plan and billing of the account.',
  auth: 'Check the API key.',
  not_found: 'Name another model in the option "models".',
}

function ended(text: string): string {
  return /[.!?"]$/.test(text) ? text : `${text}.`
}
