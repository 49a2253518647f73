import { isRecord, tryJson } from '@capstan/core/internal'
import { HttpError, invalidRequest } from '@capstan/http/parts'

type Body = Readonly<Record<string, unknown>>

/**
 * Reads a body as a JSON object. An empty body counts as `{}`.
 * @throws HttpError 400 if the body is not a JSON object, 413 if it is too large
 */
export async function readBody(request: Request): Promise<Body> {
  const text = await readText(request)
  const body = text === '' ? {} : tryJson(text)
  if (isRecord(body)) return body
  throw invalidRequest('The body is not a JSON object.')
}

async function readText({ body }: Request): Promise<string> {
  if (!body) return ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of limited(body, mostBytes)) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/** The maximum size of a body in bytes. Bodies are small, because pages send only differences from a state. */
const mostBytes = 16 * 2 ** 20

/** Returns a stream that fails with HttpError 413 when it exceeds `most` bytes. */
export function limited(stream: ReadableStream<Uint8Array>, most: number): ReadableStream<Uint8Array> {
  let bytes = 0
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        bytes += chunk.byteLength
        if (bytes > most)
          throw new HttpError(413, 'too_large', `The body is larger than the limit of ${most} bytes.`)
        out.enqueue(chunk)
      },
    }),
  )
}

/**
 * Returns an optional field, or undefined if the field is missing or null. @throws HttpError 400 if it has another type
 */
export function field<Kind extends keyof Kinds>(
  body: Body,
  name: string,
  kind: Kind,
): Kinds[Kind] | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  const isOfKind =
    kind === 'list' ? Array.isArray(value) : kind === 'object' ? isRecord(value) : typeof value === kind
  if (isOfKind) return value as Kinds[Kind]
  throw invalidRequest(`The field "${name}" must be a ${kind}.`)
}

/** Returns a required field. @throws HttpError 400 if the field is missing or has another type */
export function requiredField<Kind extends keyof Kinds>(body: Body, name: string, kind: Kind): Kinds[Kind] {
  const value = field(body, name, kind)
  if (value !== undefined) return value
  throw invalidRequest(`The field "${name}" is missing. Send a ${kind}.`)
}

interface Kinds {
  readonly string: string
  readonly boolean: boolean
  readonly number: number
  readonly object: Body
  readonly list: readonly unknown[]
}
