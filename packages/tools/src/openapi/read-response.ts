import {
  type ArtifactStore,
  artifactKindOf,
  CapstanError,
  type ErrorCode,
  type Json,
  sniffMediaType,
} from '@capstan/core'
import { tryJson } from '@capstan/core/internal'
import { nestedTooDeep } from '@capstan/schema/imported-schema'
import { sanitizeText } from '@capstan/schema/sanitize-text'
import { isText } from './body-plan.js'
import type { Credentials } from './credentials.js'
import type { OpenApiResult } from './options.js'
import type { HttpAnswer } from './send-request.js'

export interface ResponseScope {
  readonly artifacts: Pick<ArtifactStore, 'put'>
  readonly maxBytes: number
  readonly credentials: Credentials
  /** The operation's name, for errors. */
  readonly name: string
  readonly method: string
  /** The security schemes that the operation requires, if the application lacks their credentials. */
  readonly missing: readonly string[]
}

/**
 * Converts a response to a result: JSON, text or an artifact. For HEAD, the result is the status and some headers.
 * @throws CapstanError for a status outside 200 to 299, with the start of the body, or for a response that is too large
 */
export async function readResponse(answer: HttpAnswer, scope: ResponseScope): Promise<OpenApiResult> {
  const { status, body, header } = answer
  if (status < 200 || status > 299) throw await toError(answer, scope)
  if (scope.method === 'HEAD') return headersOf(answer, scope)
  const bytes = await readBody(body, Number(header('content-length') ?? 0), scope)
  if (bytes.byteLength === 0) return `Done: the server returned ${status} without content.`
  const { type, charset } = typeOf(header('content-type'))
  const decoded = isBytes(type) ? undefined : decode(bytes, charset, type)
  if (decoded === undefined) return store(bytes, type, scope)
  const value = isJson(type) ? tryJson(decoded) : undefined
  // Falls back to text for a body that claims to be JSON but is invalid, or nested too deeply to be rendered.
  return value === undefined || nestedTooDeep(value)
    ? scope.credentials.hide(decoded)
    : (scope.credentials.hideInside(value) as Json)
}

const shownHeaders = ['content-type', 'content-length', 'etag', 'last-modified']

function headersOf({ status, header }: HttpAnswer, { credentials }: ResponseScope): Json {
  const headers = shownHeaders.flatMap((name) => {
    const value = header(name)
    return value === undefined ? [] : [[name, credentials.hide(value)]]
  })
  return { status, headers: Object.fromEntries(headers) }
}

function typeOf(header = ''): { readonly type: string; readonly charset: string } {
  const [type = '', ...parameters] = header.toLowerCase().split(';')
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='))
  return { type: type.trim(), charset: charset?.slice('charset='.length).replaceAll('"', '') ?? 'utf-8' }
}

function isJson(type: string): boolean {
  return /[/+]json$/.test(type)
}

/**
 * Whether a declared media type is neither text nor JSON. False if none is declared, so that `decode` inspects the
 * bytes.
 */
function isBytes(type: string): boolean {
  return type !== '' && !isJson(type) && !isText(type)
}

/** Decodes a body as text. Undefined if no media type was declared and the bytes are not text. */
function decode(bytes: Uint8Array, charset: string, type: string): string | undefined {
  const isDeclared = type !== ''
  if (!isDeclared && (sniffMediaType(bytes) || bytes.subarray(0, 512).includes(0))) return undefined
  try {
    return new TextDecoder(charset, { fatal: !isDeclared }).decode(bytes)
  } catch {
    // An unknown charset, or bytes that are not text.
    return isDeclared ? new TextDecoder().decode(bytes) : undefined
  }
}

function store(bytes: Uint8Array, declared: string, { artifacts }: ResponseScope) {
  const said = /^[\w.+-]+\/[\w.+-]+$/.test(declared) ? declared : 'application/octet-stream'
  const mediaType = sniffMediaType(bytes) ?? said
  return artifacts.put(bytes, { kind: artifactKindOf(mediaType), mediaType })
}

/** Reads a body up to the limit. @throws CapstanError `invalid_response` if it is longer */
async function readBody(
  body: HttpAnswer['body'],
  declared: number,
  { maxBytes, name }: Pick<ResponseScope, 'maxBytes' | 'name'>,
): Promise<Uint8Array> {
  const { bytes, isCut } =
    declared > maxBytes ? { bytes: undefined, isCut: true } : await readUpTo(maxBytes, body)
  if (bytes && !isCut) return bytes
  body?.cancel().catch(() => {})
  const message = `${name}: the response is larger than ${maxBytes} bytes. Request less data.`
  throw new CapstanError('invalid_response', message, { evidence: { maxBytes } })
}

interface ReadBytes {
  readonly bytes: Uint8Array
  /** Whether the body was cut at the limit. */
  readonly isCut: boolean
}

async function readUpTo(limit: number, body: HttpAnswer['body']): Promise<ReadBytes> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = body?.getReader()
  while (reader && length <= limit) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.byteLength
    chunks.push(value as Uint8Array<ArrayBuffer>)
  }
  // Not awaited, because cancelling a stream that hangs may hang too.
  if (length > limit) reader?.cancel().catch(() => {})
  reader?.releaseLock()
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
  return { bytes: bytes.subarray(0, limit), isCut: length > limit }
}

/**
 * How many bytes of an error response's body to read. This is more than the excerpt contains, so that a credential is
 * recognized even if the excerpt cuts it off.
 */
const readOfError = 64 * 1024
const shownOfError = 4096

async function toError(answer: HttpAnswer, scope: ResponseScope): Promise<CapstanError> {
  const { status, body, header } = answer
  const { name, credentials, missing, maxBytes } = scope
  const { bytes, isCut } = await readUpTo(Math.min(readOfError, maxBytes), body)
  const { type, charset } = typeOf(header('content-type'))
  const text = isBytes(type) ? `${bytes.byteLength} bytes of ${type}` : decode(bytes, charset, 'text/plain')
  const shown = sanitizeText(credentials.redact(text ?? ''), shownOfError).trim()
  // Only in the evidence, for the developer: the model cannot set credentials.
  const fix =
    status === 401 && missing.length > 0
      ? { fix: `Pass a credential in auth: ${missing.slice(0, 5).join(', ')}.` }
      : {}
  const message = `${name}: the server returned ${status}${shown === '' ? ' without content.' : `: ${shown}`}`
  const seconds = Number(header('retry-after') ?? Number.NaN)
  return new CapstanError(codeOf(status), message, {
    status,
    retryable: status === 429 || status >= 500,
    ...(seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {}),
    evidence: { ...fix, body: shown, isCut: isCut || shown.length === shownOfError },
  })
}

function codeOf(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'auth'
  if (status === 404) return 'not_found'
  return status === 429 ? 'rate_limit' : 'api'
}
