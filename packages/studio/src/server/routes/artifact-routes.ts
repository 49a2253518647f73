import { type Artifact, artifactKindOf } from '@capstan/core'
import { HttpError, toArtifactResponse } from '@capstan/http/parts'
import { limited } from '../read-body.js'
import type { Route, RouteContext } from '../router.js'
import type { StudioParts } from '../studio-parts.js'
import { findRun, numberOf } from './run-routes.js'

/** Returns the routes that store, list and serve images, audio and other files. */
export function artifactRoutes(parts: StudioParts): readonly Route[] {
  const { store } = parts
  return [
    { method: 'POST', path: '/api/artifacts', answer: (context) => upload(parts, context) },
    {
      method: 'GET',
      path: '/api/artifacts',
      answer: async ({ url }) => Response.json(await listArtifacts(parts, url.searchParams)),
    },
    { method: 'GET', path: '/api/artifacts/:artifact', answer: (context) => download(parts, context) },
    {
      method: 'GET',
      path: '/api/artifacts/:artifact/about',
      async answer({ params: { artifact = '' } }) {
        const about = await store.aboutArtifact(artifact)
        if (!about) throw noArtifact(artifact)
        return Response.json({ ...about, runs: about.runs.map(({ id }) => id) })
      },
    },
    {
      method: 'GET',
      path: '/api/lineage',
      async answer({ url: { searchParams } }) {
        const [run, artifact] = [searchParams.get('run'), searchParams.get('artifact')]
        if (run) await findRun(parts, run)
        return Response.json(await store.lineage(run ? { run } : { artifact: artifact ?? '' }))
      },
    },
  ]
}

/** Stores an uploaded file as its bytes arrive. @throws HttpError 400 if the file is empty, 413 if it is too large */
async function upload({ store }: StudioParts, { request }: RouteContext): Promise<Response> {
  if (!request.body)
    throw new HttpError(400, 'invalid_request', 'The body is empty. Send the bytes of a file.')
  // If the declared length is too large, rejects the body without reading it.
  if (Number(request.headers.get('content-length')) > mostUploaded)
    throw new HttpError(413, 'too_large', `The file is larger than the limit of ${mostUploaded} bytes.`)
  const [mediaType = ''] = (request.headers.get('content-type') ?? '').toLowerCase().split(';')
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream'
  const info = { kind: artifactKindOf(type), mediaType: type }
  const artifact = await store.artifacts.put(limited(request.body, mostUploaded), info)
  return Response.json(artifact, { status: 201 })
}

const mostUploaded = 100 * 2 ** 20

async function listArtifacts(
  parts: StudioParts,
  query: URLSearchParams,
): Promise<{ readonly artifacts: readonly Artifact[]; readonly next?: string }> {
  const [kind, run, before] = ['kind', 'run', 'before'].map((name) => query.get(name) || undefined)
  const ofRun = run === undefined ? undefined : new Set((await findRun(parts, run)).artifacts)
  const newest = (await parts.store.artifacts.list()).toReversed()
  const start = before === undefined ? 0 : newest.findIndex(({ id }) => id === before) + 1
  const limit = numberOf(query, 'limit') ?? 100
  const found = newest
    .slice(start)
    .filter((one) => (kind === undefined || one.kind === kind) && (ofRun?.has(one.id) ?? true))
  const artifacts = found.slice(0, limit)
  const last = artifacts.at(-1)
  return { artifacts, ...(found.length > limit && last ? { next: last.id } : {}) }
}

async function download(
  { store }: StudioParts,
  { params: { artifact: id = '' }, request, url }: RouteContext,
): Promise<Response> {
  const artifact = await store.artifacts.stat(id)
  if (!artifact) throw noArtifact(id)
  const mediaType = toShown(artifact.mediaType)
  const shown = { ...artifact, mediaType: mediaType ?? 'application/octet-stream' }
  const response = await toArtifactResponse(request, shown, () => store.artifacts.open(id))
  if (mediaType === undefined || url.searchParams.has('download'))
    response.headers.set('content-disposition', `attachment; filename="${id}${extensionOf(artifact)}"`)
  return response
}

/** Returns the media type with which to show a file. Undefined if the browser must download the file instead. */
function toShown(mediaType: string): string | undefined {
  // Like pages, SVG images can contain scripts and links. Their stricter policy disables both.
  if (/^image\/svg/.test(mediaType)) return 'image/svg+xml'
  if (/^(?:image|audio)\/[\w.+-]+$/.test(mediaType)) return mediaType
  return /^(?:text\/|application\/json\b)/.test(mediaType) ? 'text/plain; charset=utf-8' : undefined
}

function extensionOf({ mediaType }: Artifact): string {
  const [, name = ''] = /\/(?:x-)?([a-z0-9]+)$/.exec(mediaType) ?? []
  return name === '' ? '' : `.${name.replace('mpeg', 'mp3').replace('plain', 'txt')}`
}

function noArtifact(id: string): HttpError {
  return new HttpError(404, 'not_found', `There is no artifact "${id}".`)
}
