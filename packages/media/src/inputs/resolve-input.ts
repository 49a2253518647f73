import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import { readDuration } from '../audio/duration.js'
import { checkImage, describeBytes } from '../images/check-image.js'
import { type Allow, limitsOf } from './allow.js'
import { detectType } from './detect-type.js'
import { fetchUrl } from './fetch-url.js'
import { readFileInFolder } from './folder-files.js'
import { fromBytes, fromFile, readHead, readLimited, type StoredBytes } from './stored-bytes.js'

export interface LoadedArtifact extends StoredBytes {
  readonly artifact: Artifact
}

export interface ArtifactRequest {
  readonly kind: 'image' | 'audio'
  /** The name of the tool's parameter, for error messages. */
  readonly field: string
  readonly store: ArtifactStore
  /** The files and URLs that are accepted instead of an id. Default: none. */
  readonly allow?: Allow | undefined
  /** Cancels fetching a URL. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Loads an artifact with its bytes. If an allowed URL is given instead of an id, stores its content first.
 * @throws CapstanError `not_found`, or `invalid_arguments` for an artifact of another kind. Both messages list usable
 * ids
 */
export async function loadArtifact(given: string, request: ArtifactRequest): Promise<LoadedArtifact> {
  const artifact = await findArtifact(given, request)
  return { artifact, ...(await openArtifact(artifact, request.store, request.signal)) }
}

/** Opens an artifact's bytes. If the store has file paths, as `folderArtifacts` does, reads them from the file. */
export async function openArtifact(
  artifact: Artifact,
  store: ArtifactStore,
  signal = new AbortController().signal,
): Promise<StoredBytes> {
  const path = 'pathOf' in store && typeof store.pathOf === 'function' && String(store.pathOf(artifact))
  // If the artifact is missing, the store reports this itself.
  const there = path && (await fromFile(path).catch(() => undefined))
  if (there && there.blob.size === artifact.size) return there
  // Without a limit, the result is never undefined.
  return (await readLimited(Number.POSITIVE_INFINITY, await store.open(artifact.id), signal)) as StoredBytes
}

/** Finds the artifact that a model names. @throws CapstanError as `loadArtifact` does */
export async function findArtifact(given: string, request: ArtifactRequest): Promise<Artifact> {
  const { kind, field, store, allow = {}, signal = new AbortController().signal } = request
  if (isAddress(given)) return storeAddress(given, allow, { kind, field, store, signal })
  const artifact = await store.stat(given)
  if (artifact?.kind !== kind) throw await wrongIdError(given, artifact, request)
  return artifact
}

const nouns = { image: 'an image', audio: 'an audio recording' } as const

async function wrongIdError(
  id: string,
  found: Artifact | undefined,
  request: ArtifactRequest,
): Promise<CapstanError> {
  const { kind, field, store } = request
  const shown = id.slice(0, 60)
  const what = found ? `"${shown}" is ${found.kind}, not ${kind}` : `No artifact "${shown}"`
  const rule = `"${field}" takes the id of ${nouns[kind]} that a tool returned or that was attached`
  const message = `${what}: ${rule}. ${await listIds(kind, store)}`
  return new CapstanError(found ? 'invalid_arguments' : 'not_found', message, {
    evidence: { field, id: shown },
  })
}

/**
 * Lists the ids of the newest artifacts of a kind, at most five. A store may contain thousands, too many for a model.
 */
async function listIds(kind: 'image' | 'audio', store: ArtifactStore): Promise<string> {
  const all = await store.list().catch(() => undefined)
  if (!all) return 'Use the id exactly as it was returned.'
  const ids = all.filter((one) => one.kind === kind && !isIntermediate(one)).map((one) => one.id)
  if (ids.length === 0) return `None exists yet: make ${nouns[kind]} first, or ask for one.`
  return `The newest are: ${ids.slice(-5).reverse().join(', ')}.`
}

/**
 * Whether a tool made an artifact as an intermediate step, such as a mask, a copy or a partial image. Only results
 * record a model.
 */
function isIntermediate({ parents, origin: { tool = 'edit_image', model } = {} }: Artifact): boolean {
  return parents !== undefined && model === undefined && /^(edit|vary|generate)_image$/.test(tool)
}

/** Whether a model passed a URL instead of an id. */
function isAddress(given: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(given)
}

/**
 * Stores the content of a model's URL as an artifact. The URL is untrusted, so only allowed URLs are fetched.
 * @throws CapstanError `invalid_arguments` for any other URL; `not_found`, `api`, `timeout` or `network` if the request
 * fails
 */
async function storeAddress(address: string, allow: Allow, target: StoreTarget): Promise<Artifact> {
  const { folder, hosts = [] } = allow
  const { field, signal } = target
  const limits = limitsOf(allow)
  if (/^file:/i.test(address) && folder !== undefined)
    return storeMedia(fromBytes(await readFileInFolder(address, folder, limits.bytes)), '', target)
  if (/^https?:/i.test(address) && hosts.length > 0 && URL.canParse(address)) {
    const policy = { hosts }
    const errors = { what: `"${field}"`, code: 'invalid_arguments', advice: 'Pass an artifact id.' } as const
    await using fetched = await fetchUrl(new URL(address), { ...errors, policy, signal, limits })
    return await storeMedia(fetched, fetched.mediaType, target)
  }
  const message = `"${field}" does not accept the URL "${address.slice(0, 60)}": ${describeAllowed(allow)}.`
  throw new CapstanError('invalid_arguments', message, { evidence: { field } })
}

function describeAllowed({ folder, hosts = [] }: Allow): string {
  const taken = [
    'an artifact id',
    ...(folder === undefined ? [] : ['file:<name>']),
    ...(hosts.length > 0 ? [`a URL at ${hosts.join(' or ')}`] : []),
  ]
  return `pass ${taken.join(', or ')}`
}

/** The store for an input, the input's expected kind, and the parameter that it is for. */
export interface StoreTarget<Kind extends 'image' | 'audio' = 'image' | 'audio'> {
  readonly kind: Kind
  /** The name of the tool's parameter, for error messages. */
  readonly field: string
  readonly store: ArtifactStore
  readonly signal: AbortSignal
}

/**
 * Stores bytes as an artifact if their content is of the expected kind. `said` is the declared type.
 * @throws CapstanError `invalid_arguments` for any other content
 */
export async function storeMedia(stored: StoredBytes, said: string, target: StoreTarget): Promise<Artifact> {
  const { kind, field, store } = target
  if (kind === 'image')
    return store.put(stored.stream(), { kind, ...(await checkImage(stored, field, said)) })
  const [mediaType, durationMs] = [await audioType(await readHead(stored), field), await readDuration(stored)]
  return store.put(stored.stream(), { kind, mediaType, ...(durationMs === undefined ? {} : { durationMs }) })
}

/**
 * Detects a recording's media type from its first bytes.
 * @throws CapstanError `invalid_arguments` if it is not a recording
 */
export async function audioType(head: Uint8Array, field: string): Promise<string> {
  const mediaType = await detectType(head)
  if (mediaType?.startsWith('audio/')) return mediaType
  const what = head.length === 0 ? 'empty' : `not an audio recording but ${await describeBytes(head)}`
  const message = `"${field}" is ${what}. Pass a recording as mp3, wav, m4a, ogg, flac or webm.`
  throw new CapstanError('invalid_arguments', message, { evidence: { field } })
}
