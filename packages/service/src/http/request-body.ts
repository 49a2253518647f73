import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import type { ServiceRequest, UploadedFile } from './endpoint.js'
import { ServiceError } from './service-error.js'

export type BodyType = 'application/json' | 'multipart/form-data'

type Parsed = Pick<ServiceRequest, 'fields' | 'files'>

/** Checks the content type of a request. Throws a 415 if the endpoint does not accept this type. */
export function checkContentType(given: string | undefined, expected: BodyType): void {
  const [mediaType = ''] = (given ?? '').split(';')
  if (mediaType.trim().toLowerCase() === expected) return
  const found = given ? `not "${given.slice(0, 100)}"` : 'but the request has no Content-Type header'
  throw new ServiceError(415, 'unsupported_media_type', `This endpoint requires ${expected}, ${found}.`)
}

/**
 * Parses the fields and files in a body. Throws a 400: `invalid_json` or `invalid_multipart` for a malformed body,
 * `too_many_parts` for a form with more than 100 parts, `too_many_files` or `duplicate_field` for a repeated field. A
 * file that was sent as `image[]` becomes `image`, and values that were sent as `words[]` become the array `words`.
 */
export async function parseBody(
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
  type: BodyType,
): Promise<Parsed> {
  return type === 'application/json' ? parseJson(body) : parseForm(body, contentType)
}

function parseJson(body: Uint8Array): Parsed {
  const fields = readJson(body)
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new ServiceError(
      400,
      'invalid_json',
      'The body must be a JSON object, for example {"model": "planner"}.',
    )
  }
  return { fields: toRecord(Object.entries(fields)), files: {} }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body))
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8'
    throw new ServiceError(400, 'invalid_json', `The body is not valid JSON: ${why}.`)
  }
}

// Uses Node's multipart parser, which is also the parser of `fetch`.
async function parseForm(body: Uint8Array<ArrayBuffer>, contentType: string): Promise<Parsed> {
  checkParts(body, contentType)
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData().catch(() => {
    const message =
      'The body is not valid multipart/form-data: check the boundary in Content-Type, or let your HTTP client set it.'
    throw new ServiceError(400, 'invalid_multipart', message)
  })
  const entries = [...form]
  const files = entries.flatMap(([name, value]) =>
    typeof value === 'string' ? [] : [{ name: name.replace(/\[\]$/, ''), value }],
  )
  checkEachOnce(files.map(({ name }) => name))
  const texts = entries.flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return {
    fields: toFields(texts),
    files: toRecord(
      await Promise.all(files.map(async ({ name, value }) => [name, await toUpload(value)] as const)),
    ),
  }
}

/** The maximum number of parts in a form. It is larger than any endpoint needs. */
const mostParts = 100

// Counts the parts first, because the parser creates an object for each of them.
function checkParts(body: Uint8Array, contentType: string): void {
  const boundary = boundaryOf(contentType)
  if (!boundary) return
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const delimiter = `--${boundary}`
  let count = 0
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    count += 1
    // The last delimiter ends the form.
    if (count > mostParts + 1) throw tooManyParts()
  }
}

function boundaryOf(contentType: string): string | null {
  try {
    return new MIMEType(contentType).params.get('boundary')
  } catch {
    return null
  }
}

function tooManyParts(): ServiceError {
  const message = `The form has more than ${mostParts} parts. Send fewer fields and files.`
  return new ServiceError(400, 'too_many_parts', message)
}

// The official client sends an array of files as `image[]`. An array of one is that file. Longer arrays are rejected
// and not truncated.
function checkEachOnce(names: readonly string[]): void {
  const seen = new Set<string>()
  const double = names.find((name) => seen.size === seen.add(name).size)
  if (double === undefined) return
  const message = `The form contains several files named "${double}". Send only one.`
  throw new ServiceError(400, 'too_many_files', message, double)
}

// A field whose name ends with `[]` is an array, even if it has one value.
function toFields(texts: readonly (readonly [string, string])[]): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, value] of texts) {
    const plain = name.replace(/\[\]$/, '')
    const list = fields[plain]
    if (plain !== name && Array.isArray(list)) list.push(value)
    else if (plain in fields) throw twice(plain)
    else fields[plain] = plain === name ? value : [value]
  }
  return fields
}

function twice(name: string): ServiceError {
  const message = `The field "${name}" is repeated. Send it once.`
  return new ServiceError(400, 'duplicate_field', message, name)
}

async function toUpload(file: File): Promise<UploadedFile> {
  return { name: file.name, mediaType: file.type, bytes: new Uint8Array(await file.arrayBuffer()) }
}

// Keys come from the request. Without a prototype, no key is special or inherited.
function toRecord<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  const record: Record<string, T> = Object.create(null)
  for (const [key, value] of entries) record[key] = value
  return record
}

/** The size and time limits of a body. */
export interface BodyLimits {
  readonly maxBodyBytes: number
  readonly requestTimeoutMs: number
}

/**
 * Reads a request's body. Throws a 413 if the declared or the actual length is too large, and a 408 if the body arrives
 * too slowly.
 */
export async function readBody(
  request: IncomingMessage,
  { maxBodyBytes, requestTimeoutMs }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers['content-length']) > maxBodyBytes) throw tooLarge(maxBodyBytes)
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const onData = (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (size > maxBodyBytes) return finish(() => reject(tooLarge(maxBodyBytes)))
      chunks.push(chunk)
    }
    const onEnd = () => finish(() => resolve(join(chunks, size)))
    const onClose = () => finish(() => reject(new ClientDisconnected()))
    const timer = setTimeout(() => finish(() => reject(tooSlow(requestTimeoutMs))), requestTimeoutMs)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('close', onClose)
      settle()
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}

/** Thrown if the client disconnects before the request is complete, so that no response can be sent. */
export class ClientDisconnected extends Error {
  override readonly name = 'HungUp'
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.byteLength
  }
  return body
}

function tooLarge(maxBytes: number): ServiceError {
  const message = `The body is larger than ${maxBytes} bytes, this service's limit. Send less.`
  return new ServiceError(413, 'body_too_large', message, 'body')
}

function tooSlow(ms: number): ServiceError {
  const message = `The body was incomplete after ${ms} ms. Send it faster, or send less.`
  return new ServiceError(408, 'body_too_slow', message, 'body', { connection: 'close' })
}
