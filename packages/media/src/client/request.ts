import { CapstanError, type ErrorCode, isCapstanError, type ToolContext } from '@capstan/core'
import {
  abortable,
  type FailedResponse,
  type Failure,
  pullStream,
  readFailure,
  toHeaderText,
  withAdvice,
} from '@capstan/core/internal'
import { ByteReader } from '../inputs/byte-streams.js'
import type { LoadedArtifact } from '../inputs/resolve-input.js'
import { readLimited, type StoredBytes } from '../inputs/stored-bytes.js'
import type { Connection, MediaClient } from './client.js'
import type { MediaDialect } from './dialect.js'

/** The endpoints that the media tools call, relative to the base URL. */
export type Endpoint = keyof typeof posts

interface ResponseInfo {
  readonly endpoint: Endpoint
  readonly baseURL: string
  /** The media type from `Content-Type`, in lower case and without parameters. `''` if the header is absent. */
  readonly mediaType: string
}

/** A complete, successful response. */
interface MediaResponse extends ResponseInfo, StoredBytes {}

/**
 * A successful response that has started. Read its body once, with either method. Disposing the response closes the
 * connection.
 */
export interface OpenResponse extends ResponseInfo, AsyncDisposable {
  /** The size of the body in bytes, if the server declared it. */
  readonly size: number | undefined
  /** Reads the entire body. @throws CapstanError that names the endpoint */
  whole(): Promise<MediaResponse>
  /** Streams the body as it arrives. Fails with a CapstanError that names the endpoint. */
  stream(): ReadableStream<Uint8Array>
}

/** A request and the dialect of its server. */
interface MediaCall {
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

/** Maximum size of a response in bytes. It is enough for ten large images in base64. */
export const maxResponseBytes = 512 * 1024 * 1024

/** Sends a request. Resolves when the response starts. @throws CapstanError that names the endpoint */
export async function post(
  { client, toError }: Connection,
  { endpoint, body, dialect }: MediaCall,
  { signal, idempotencyKey }: Pick<ToolContext, 'signal' | 'idempotencyKey'>,
): Promise<OpenResponse> {
  const fields = await toRequestBody(endpoint, body, dialect)
  // The types of bodies depend on the major version of the client.
  const form = posts[endpoint](client) as unknown as (body: object, options: object) => ResponsePromise
  const json = (body: object, options: object) => client.post(endpoint, { body, ...options } as never)
  const send = isJson(endpoint, dialect) ? json : form
  const headers = { 'idempotency-key': toHeaderText(idempotencyKey) }
  const late = new AbortController()
  // Uses a separate signal, because the client never removes its listener.
  const either = AbortSignal.any([signal, late.signal])
  const { timeout = 600_000 } = client
  const toFailure = (error: unknown): unknown => {
    if (late.signal.aborted) return late.signal.reason
    if (isCapstanError(error)) return error
    return toError(error, `${client.baseURL}${endpoint}`, (failed) => toMediaError(endpoint, failed))
  }
  try {
    const response = await send(fields, { signal: either, headers }).asResponse()
    // The client's own timeout ends when the response starts.
    const end = () => late.abort(bodyTimeout(endpoint, timeout))
    const timer = setTimeout(end, Math.min(timeout, 2 ** 31 - 1))
    const body = { signal: either, toFailure, release: () => clearTimeout(timer) }
    return openResponse({ endpoint, baseURL: client.baseURL, response, ...body })
  } catch (error) {
    throw toFailure(error)
  }
}

interface StartedResponse extends Pick<ResponseInfo, 'endpoint' | 'baseURL'> {
  readonly response: Response
  readonly signal: AbortSignal
  /** Returns the error to throw for a connection error. */
  toFailure(error: unknown): unknown
  /** Called when the body has been read or is no longer needed. */
  release(): void
}

function openResponse({
  endpoint,
  baseURL,
  response,
  signal,
  toFailure,
  release,
}: StartedResponse): OpenResponse {
  const { body, headers } = response
  const [mediaType = ''] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const info = { endpoint, baseURL, mediaType: mediaType.trim() }
  const length = headers.has('content-encoding') ? null : headers.get('content-length')
  let close: (() => Promise<void>) | undefined
  return {
    ...info,
    size: length !== null && /^\d+$/.test(length) ? Number(length) : undefined,
    async whole() {
      close = async () => {}
      try {
        const stored = await readLimited(maxResponseBytes, body, signal)
        if (!stored) throw responseTooLarge(endpoint)
        return { ...info, ...stored }
      } catch (error) {
        throw toFailure(error)
      } finally {
        release()
      }
    },
    stream() {
      const reader = body && new ByteReader(body)
      close = async () => {
        release()
        await reader?.close()
      }
      let bytes = 0
      const read = async (into: Uint8Array) => {
        try {
          const length = reader ? await abortable(signal, reader.read(into)) : 0
          bytes += length
          if (bytes > maxResponseBytes) throw responseTooLarge(endpoint)
          return length
        } catch (error) {
          throw toFailure(error)
        }
      }
      return pullStream({ read, close })
    },
    async [Symbol.asyncDispose]() {
      release()
      // Not awaited, because cancelling a stream that hangs may hang too.
      if (close) void close()
      else body?.cancel().catch(() => {})
    },
  }
}

function bodyTimeout(endpoint: Endpoint, ms: number): CapstanError {
  const message = `${endpoint} started a response that did not end within ${ms} ms. Try again, or raise the client's "timeout".`
  return new CapstanError('timeout', message, { retryable: true, evidence: { endpoint } })
}

function responseTooLarge(endpoint: Endpoint): CapstanError {
  const message = `${endpoint} responded with more than ${maxResponseBytes} bytes. Request fewer or smaller results.`
  return new CapstanError('invalid_response', message, { evidence: { endpoint } })
}

interface ResponsePromise {
  asResponse(): Promise<Response>
}

type Body = Readonly<Record<string, unknown>>

/** Translates request fields into a dialect. Omits undefined fields. */
async function toRequestBody(endpoint: string, body: Body, dialect: MediaDialect): Promise<Body> {
  if (endpoint === '/audio/speech') {
    const { format, ...rest } = body
    return { ...rest, [dialect.speechFormat]: format }
  }
  if (!endpoint.startsWith('/images/')) return body
  const delivery = dialect.imageDelivery === null ? {} : { response_format: dialect.imageDelivery }
  const { stream: _, partial_images: __, ...plain } = body
  const fields = { ...(dialect.imageStream ? body : plain), ...delivery }
  return isJson(endpoint, dialect) ? withDataUris(fields) : fields
}

/** Whether an edit is sent as JSON. */
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
  // Works in steps, because the number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return `data:${file.type};base64,${btoa(binary)}`
}

/**
 * Returns a file to upload. Servers detect its format from its name and type, so both match the artifact's media type.
 */
export function toUpload({ artifact, blob }: LoadedArtifact): File {
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

/** Returns the error for a response that reports a failure, with advice. */
function toMediaError(endpoint: string, failed: FailedResponse): CapstanError {
  const failure = readFailure(failed)
  const { status, statusText, serverText, retryable, retryAfterMs } = failure
  const { code, advice } = classifyFailure(failure)
  const requestID = failed.header('x-request-id')
  // Has no cause, because the client's error contains the entire response, which may repeat the key.
  return new CapstanError(
    code,
    `${endpoint} responded ${statusText}: ${withAdvice(endSentence(serverText), advice)}`,
    {
      status,
      retryable,
      evidence: { endpoint, status, ...(requestID ? { requestID } : {}) },
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  )
}

/**
 * Classifies a failure. Servers respond with 404 or 405 if an endpoint is missing, and with 404 if a model is missing.
 */
function classifyFailure({ status, code, serverText, labels }: Failure): {
  code: ErrorCode
  advice: string | undefined
} {
  const isMissing = code === 'not_found' || status === 405
  if (isMissing && !/model/i.test(`${labels} ${serverText}`)) {
    return {
      code: 'unsupported',
      advice: 'This server may lack the endpoint. Check baseURL or use another server.',
    }
  }
  return { code, advice: advice[code] }
}

const advice: Partial<Record<ErrorCode, string>> = {
  quota: 'Check the plan and billing.',
  auth: 'Check the API key.',
  not_found: 'Set a different model in the option "models".',
}

function endSentence(text: string): string {
  return /[.!?"]$/.test(text) ? text : `${text}.`
}
