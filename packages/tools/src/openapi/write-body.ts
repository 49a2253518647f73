import { type ArtifactStore, CapstanError } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { BodyPlan, FieldEncoding } from './body-plan.js'
import { encode, textOf, toPairs } from './styles.js'

/** A request body as bytes. */
export interface WrittenBody {
  /** The media type, including the boundary of a multipart body. */
  readonly contentType: string
  readonly bytes: Uint8Array
}

interface BodyScope {
  readonly artifacts: Pick<ArtifactStore, 'stat' | 'open'>
  readonly maxBytes: number
}

/**
 * Converts a body's value to bytes.
 * @throws CapstanError `invalid_arguments` for an unknown artifact, or a body that is too large
 */
export async function writeBody(plan: BodyPlan, value: unknown, scope: BodyScope): Promise<WrittenBody> {
  const body = await writeAs(plan, value, scope)
  if (body.bytes.byteLength > scope.maxBytes) throw tooLarge(body.bytes.byteLength, scope)
  return body
}

async function writeAs(plan: BodyPlan, value: unknown, scope: BodyScope): Promise<WrittenBody> {
  const { kind, mediaType, encodings } = plan
  if (kind === 'json') return { contentType: mediaType, bytes: toBytes(JSON.stringify(value)) }
  if (kind === 'text') return { contentType: mediaType, bytes: toBytes(textOf(value)) }
  if (kind === 'binary') {
    const file = await readArtifact(value, scope)
    return { contentType: mediaType || file.mediaType, bytes: file.bytes }
  }
  const fields = Object.entries(Object(value)) as readonly (readonly [string, unknown])[]
  if (kind === 'multipart') return multipart(fields, encodings, scope)
  const pairs = fields.flatMap(([name, field]) => {
    const { style } = encodings.get(name) ?? {}
    if (style) return toPairs(name, field, style)
    return itemsOf(field).map((item) => [encode(name), encode(textOf(item))] as const)
  })
  return { contentType: mediaType, bytes: toBytes(pairs.map((pair) => pair.join('=')).join('&')) }
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** Writes a multipart body, with one part per field. If a field is an array, each item gets its own part. */
async function multipart(
  fields: readonly (readonly [string, unknown])[],
  encodings: ReadonlyMap<string, FieldEncoding>,
  scope: BodyScope,
): Promise<WrittenBody> {
  const boundary = `form-${crypto.randomUUID()}`
  const pieces: Uint8Array[] = []
  let left = scope.maxBytes
  for (const [name, field] of fields) {
    const encoding = encodings.get(name) ?? { isBinary: false }
    for (const item of itemsOf(field)) {
      const { head, bytes } = await toPart(name, item, encoding, { ...scope, maxBytes: left })
      left -= bytes.byteLength
      pieces.push(toBytes(`--${boundary}\r\n${head}\r\n\r\n`), bytes, toBytes('\r\n'))
    }
  }
  pieces.push(toBytes(`--${boundary}--\r\n`))
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: joined(pieces) }
}

async function toPart(
  name: string,
  item: unknown,
  { isBinary, contentType }: FieldEncoding,
  scope: BodyScope,
): Promise<{ readonly head: string; readonly bytes: Uint8Array }> {
  const named = `Content-Disposition: form-data; name="${quoted(name)}"`
  if (isBinary) {
    const { bytes, mediaType, fileName } = await readArtifact(item, scope)
    const head = `${named}; filename="${quoted(fileName)}"\r\nContent-Type: ${contentType ?? mediaType}`
    return { head, bytes }
  }
  const type = contentType ?? (isRecord(item) || Array.isArray(item) ? 'application/json' : undefined)
  const text = /json/i.test(type ?? '') ? JSON.stringify(item) : textOf(item)
  return { head: type === undefined ? named : `${named}\r\nContent-Type: ${type}`, bytes: toBytes(text) }
}

/** Escapes a name as browsers do in forms. */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

interface ReadFile {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly fileName: string
}

async function readArtifact(id: unknown, { artifacts, maxBytes }: BodyScope): Promise<ReadFile> {
  const artifact = typeof id === 'string' ? await artifacts.stat(id) : undefined
  if (!artifact) {
    const message = `There is no artifact "${textOf(id).slice(0, 100)}". Use the exact id from a result or attachment.`
    throw new CapstanError('invalid_arguments', message, { evidence: { id } })
  }
  if (artifact.size > maxBytes) throw tooLarge(artifact.size, { maxBytes })
  const bytes = new Uint8Array(await new Response(await artifacts.open(artifact.id)).arrayBuffer())
  const [, subtype = 'bin'] = /^[\w.+-]+\/([\w.+-]+)/.exec(artifact.mediaType) ?? []
  const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(artifact.mediaType)
    ? artifact.mediaType
    : 'application/octet-stream'
  const extension = subtype === 'mpeg' ? 'mp3' : subtype.replace(/^x-|\+.*$/g, '')
  return { bytes, mediaType, fileName: artifact.origin?.name ?? `${artifact.id}.${extension}` }
}

function tooLarge(bytes: number, { maxBytes }: Pick<BodyScope, 'maxBytes'>): CapstanError {
  const message = `The body needs ${bytes} bytes, but only ${maxBytes} bytes remain within the limit. Send less data.`
  return new CapstanError('invalid_arguments', message, { evidence: { bytes, maxBytes } })
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.byteLength
  }
  return whole
}
