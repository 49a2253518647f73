import {
  type AnyAgent,
  type Artifact,
  type ArtifactId,
  type ArtifactStore,
  artifactKindOf,
  isArtifactId,
  type Message,
  sniffMediaType,
} from '@capstan/core'
import { storeFilesIn } from '@capstan/core/internal'
import type { RequestContext } from './context.js'
import { HttpError, invalidRequest, methodNotAllowed } from './http-error.js'
import type { HandlerOptions } from './options.js'

/** `GET artifacts/ID`: returns an artifact's bytes, or the requested range of them. */
export async function artifactsRoute(ctx: RequestContext): Promise<Response> {
  const { request, user, handler, rest } = ctx
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD')
  const [id] = rest
  if (rest.length !== 1 || !isArtifactId(id)) throw notFound()
  for (const agent of handler.agents.values()) {
    const store = handler.artifacts.readableOf(agent, user)
    const artifact = await store.stat(id)
    if (!artifact) continue
    if (!(await canRead(artifact, ctx))) throw notFound()
    return toArtifactResponse(request, artifact, () => store.open(id))
  }
  throw notFound()
}

interface ArtifactInfo {
  readonly mediaType: string
  readonly size: number
  readonly sha256: string
}

/**
 * Returns an artifact's bytes, or the requested range of them, with headers that keep browsers from running scripts in
 * it.
 */
export async function toArtifactResponse(
  request: Request,
  { mediaType, size: bytes, sha256 }: ArtifactInfo,
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<Response> {
  const headers = {
    'content-type': toHeaderType(mediaType),
    etag: `"${sha256}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=31536000, immutable',
    // Content from a model must not run as a page of this origin.
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
  const body = request.method === 'HEAD' ? null : sliceStream(await open(), from, to)
  if (!range) return new Response(body, { headers: { ...headers, ...length } })
  return new Response(body, {
    status: 206,
    headers: { ...headers, ...length, 'content-range': `bytes ${from}-${to}/${bytes}` },
  })
}

/**
 * Returns the positions of a range's first and last byte. Returns `'beyond'` if the artifact has no byte in the range,
 * and undefined if there is no range or its format is unknown.
 */
function rangeOf(header: string | null, bytes: number): readonly [number, number] | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const to = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  return from > to || from >= bytes ? 'beyond' : [from, to]
}

function sliceStream(
  stream: ReadableStream<Uint8Array>,
  from: number,
  to: number,
): ReadableStream<Uint8Array> {
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

/** Returns the media type, or `application/octet-stream` if it would be invalid in a header. */
function toHeaderType(mediaType: string): string {
  return /^[\x20-\x7e]+$/.test(mediaType) ? mediaType : 'application/octet-stream'
}

function notFound(): HttpError {
  return new HttpError(404, 'not_found', 'No such artifact.')
}

type Base = Pick<HandlerOptions, 'basePath'>

/**
 * Returns an artifact's path from the root of the host. The path contains no host name, because a proxy may use a
 * different one.
 */
export function artifactUrl({ basePath = '/' }: Base, id: string): string {
  return `${basePath.replace(/\/+$/, '')}/artifacts/${id}`
}

/** Returns the id in an artifact's URL or path. Undefined if it is not from `artifactUrl` with the same base path. */
export function parseArtifactUrl(base: Base, url: string): ArtifactId | undefined {
  const id = url.split('/').at(-1)
  if (!isArtifactId(id)) return undefined
  const path = URL.canParse(url) ? new URL(url).pathname : url
  return path === artifactUrl(base, id) ? id : undefined
}

/** Whether a user may read an artifact. The `mayRead` option decides, if it is set. */
async function canRead(
  artifact: Artifact,
  { handler, user }: Pick<RequestContext, 'handler' | 'user'>,
): Promise<boolean> {
  const { mayRead: decides, artifacts } = handler.options
  if (decides) return decides(artifact, user)
  return artifacts !== undefined || handler.artifacts.canRead(user, artifact)
}

/**
 * Stores a message's file as an artifact. Accepts `data:` URLs and URLs of the user's own artifacts; no other URL is
 * fetched.
 * @throws HttpError 400 for any other URL, or a `data:` URL that cannot be decoded
 */
export async function storeFile(url: string, agent: AnyAgent, ctx: RequestContext): Promise<Artifact> {
  const { handler, user } = ctx
  const id = parseArtifactUrl(handler.options, url)
  const known = id && (await handler.artifacts.readableOf(agent, user).stat(id))
  if (known && (await canRead(known, ctx))) {
    handler.artifacts.share(agent, user, known)
    return known
  }
  const data = readDataUrl(url)
  if (!data)
    throw invalidRequest('A file is neither a data: URL nor one of your artifacts. Send it as a data: URL.')
  const mediaType = sniffMediaType(data.bytes) ?? data.mediaType
  const store = handler.artifacts.storeOf(agent, user)
  const artifact = await store.put(data.bytes, { kind: artifactKindOf(mediaType), mediaType })
  await handler.artifacts.keepReadable(user, artifact)
  return artifact
}

/**
 * Stores the base64 files in a client's messages as artifacts. Returns the messages with references to the artifacts.
 */
export async function storeFilesOfClient(
  messages: readonly Message[],
  agent: AnyAgent,
  { handler, user }: RequestContext,
): Promise<readonly Message[]> {
  // Check the limits before any files are stored.
  handler.runs.check(user.id)
  const store = handler.artifacts.storeOf(agent, user)
  const put: ArtifactStore['put'] = async (data, info) => {
    const artifact = await store.put(data, info)
    await handler.artifacts.keepReadable(user, artifact)
    return artifact
  }
  return storeFilesIn(messages, { put })
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
    throw invalidRequest(
      'A file has a data: URL that cannot be decoded. Send valid base64 or URL-encoded text.',
    )
  }
}
