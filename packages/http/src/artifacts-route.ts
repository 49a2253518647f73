import { isArtifactId } from '@capstan/core'
import { HttpError } from './http-error.js'
import { mayRead } from './may-read.js'
import { notAllowed } from './not-allowed.js'
import type { Visit } from './site.js'

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
