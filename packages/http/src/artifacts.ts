import {
  type AnyAgent,
  type Artifact,
  type ArtifactId,
  artifactKindOf,
  isArtifactId,
  sniffMediaType,
} from '@capstan/core'
import type { Visit } from './context.js'
import { HttpError, invalidRequest, notAllowed } from './http-error.js'
import type { HandlerOptions } from './options.js'

/** `GET artifacts/ID`: the bytes, or the range of them that is asked for. */
export async function artifactsRoute(visit: Visit): Promise<Response> {
  const { request, user, site, rest } = visit
  if (request.method !== 'GET' && request.method !== 'HEAD') throw notAllowed('GET, HEAD')
  const [id] = rest
  if (rest.length !== 1 || !isArtifactId(id)) throw notFound()
  for (const agent of site.agents.values()) {
    const store = site.artifacts.readableOf(agent, user)
    const artifact = await store.stat(id)
    if (!artifact) continue
    if (!(await mayRead(artifact, visit))) throw notFound()
    return answer(request, artifact, () => store.open(id))
  }
  throw notFound()
}

interface Described {
  readonly mediaType: string
  readonly bytes: number
  readonly sha256: string
}

async function answer(
  request: Request,
  { mediaType, bytes, sha256 }: Described,
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<Response> {
  const headers = {
    'content-type': sendable(mediaType),
    etag: `"${sha256}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=31536000, immutable',
    // What a model made must not run as a page of this origin.
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  }
  if (request.headers.get('if-none-match') === headers.etag)
    return new Response(null, { status: 304, headers })
  const range = rangeOf(request.headers.get('range'), bytes)
  if (range === 'beyond')
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes}` } })
  const [from, to] = range ?? [0, bytes - 1]
  const length = { 'content-length': String(to - from + 1) }
  const body = request.method === 'HEAD' ? null : part(await open(), from, to)
  if (!range) return new Response(body, { headers: { ...headers, ...length } })
  return new Response(body, {
    status: 206,
    headers: { ...headers, ...length, 'content-range': `bytes ${from}-${to}/${bytes}` },
  })
}

/** The first and the last byte; a form that is not understood is as none. */
function rangeOf(header: string | null, bytes: number): readonly [number, number] | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const to = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  return from > to || from >= bytes ? 'beyond' : [from, to]
}

function part(stream: ReadableStream<Uint8Array>, from: number, to: number): ReadableStream<Uint8Array> {
  let at = 0
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        const start = Math.max(0, from - at)
        const end = Math.min(chunk.byteLength, to + 1 - at)
        at += chunk.byteLength
        if (start < end) out.enqueue(chunk.subarray(start, end))
        if (at > to) out.terminate()
      },
    }),
  )
}

/** A type that cannot stand in a header is none. */
function sendable(mediaType: string): string {
  return /^[\x20-\x7e]+$/.test(mediaType) ? mediaType : 'application/octet-stream'
}

function notFound(): HttpError {
  return new HttpError(404, 'not_found', 'There is no such artifact.')
}

type Base = Pick<HandlerOptions, 'basePath'>

/** Where an artifact is read, from the root of the host: what stands in front of this program may be known by another name. */
export function artifactUrl({ basePath = '/' }: Base, id: string): string {
  return `${basePath.replace(/\/+$/, '')}/artifacts/${id}`
}

/** The artifact that such an address is of. */
export function artifactIdOf(base: Base, url: string): ArtifactId | undefined {
  const id = url.split('/').at(-1)
  if (!isArtifactId(id)) return undefined
  const path = URL.canParse(url) ? new URL(url).pathname : url
  return path === artifactUrl(base, id) ? id : undefined
}

/** Whether a visitor may read an artifact. */
async function mayRead(artifact: Artifact, { site, user }: Pick<Visit, 'site' | 'user'>): Promise<boolean> {
  const { mayRead: decides, artifacts } = site.options
  if (decides) return decides(artifact, user)
  return artifacts !== undefined || site.readable.has(user.id, artifact.id)
}

/**
 * A file that a message carries, as an artifact of the agent: a `data:` address brings its bytes, one of ours names
 * what is here. No other address is ever asked. @throws HttpError 400
 */
export async function takeIn(url: string, agent: AnyAgent, visit: Visit): Promise<Artifact> {
  const { site, user } = visit
  const id = artifactIdOf(site.options, url)
  const known = id && (await site.artifacts.readableOf(agent, user).stat(id))
  if (known && (await mayRead(known, visit))) {
    site.artifacts.give(agent, user, known)
    return known
  }
  const data = readDataUrl(url)
  if (!data) throw invalidRequest('Files must come as data: addresses, or be artifacts of yours.')
  const mediaType = sniffMediaType(data.bytes) ?? data.mediaType
  const store = site.artifacts.of(agent, user)
  const artifact = await store.put(data.bytes, { kind: artifactKindOf(mediaType), mediaType })
  site.readable.add(user.id, [artifact])
  return artifact
}

/** A message's words with its files named at their end, as the agent's own attachments are. */
export function withFiles(text: string, files: readonly Artifact[]): string {
  if (files.length === 0) return text
  const names = files.map(({ id, mediaType, bytes }) => `${id} (${mediaType}, ${bytes} bytes)`)
  const line = `Attached: ${names.join(', ')}`
  return text === '' ? line : `${text}\n\n${line}`
}

function readDataUrl(url: string): { readonly bytes: Uint8Array; readonly mediaType: string } | undefined {
  const comma = url.indexOf(',')
  if (!url.startsWith('data:') || comma === -1) return undefined
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  const data = url.slice(comma + 1)
  try {
    const bytes = parameters.includes('base64')
      ? Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
      : new TextEncoder().encode(decodeURIComponent(data))
    return { bytes, mediaType: mediaType || 'application/octet-stream' }
  } catch {
    throw invalidRequest('The data of a file cannot be read.')
  }
}
