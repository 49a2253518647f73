import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import { durationOf } from '../audio/duration.js'
import { checkImage, nameOf } from '../images/check-image.js'
import { type Allow, limitsOf } from './allow.js'
import { contentType } from './detect-type.js'
import { fetchUrl } from './fetch-url.js'
import { fileInFolder } from './folder-files.js'
import { type Held, headOf, holdBytes, holdFile, takeIn } from './stored-bytes.js'

/** An artifact with its bytes. */
export interface Loaded extends Held {
  readonly artifact: Artifact
}

export interface Wanted {
  readonly kind: 'image' | 'audio'
  /** The parameter that named it. */
  readonly field: string
  readonly store: ArtifactStore
  /** Which addresses are taken in its place. Default none. */
  readonly allow?: Allow | undefined
  /** Ends the fetching of one. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Takes an artifact out of the store, with its bytes; what an allowed address holds is stored first.
 * @throws CapstanError `not_found` or, for another kind, `invalid_arguments`; both name ids that would do
 */
export async function load(given: string, wanted: Wanted): Promise<Loaded> {
  const artifact = await find(given, wanted)
  return { artifact, ...(await hold(artifact, wanted.store, wanted.signal)) }
}

/** The bytes of an artifact: where they are, in a store that says so, as `folderArtifacts` does. */
export async function hold(
  artifact: Artifact,
  store: ArtifactStore,
  signal = new AbortController().signal,
): Promise<Held> {
  const path = 'pathOf' in store && typeof store.pathOf === 'function' && String(store.pathOf(artifact))
  // What the store does not know any more it says best itself.
  const there = path && (await holdFile(path).catch(() => undefined))
  if (there && there.blob.size === artifact.bytes) return there
  // Without a limit there is no undefined.
  return (await takeIn(Number.POSITIVE_INFINITY, await store.open(artifact.id), signal)) as Held
}

/** The artifact that a model means. @throws CapstanError as above */
export async function find(given: string, wanted: Wanted): Promise<Artifact> {
  const { kind, field, store, allow = {}, signal = new AbortController().signal } = wanted
  if (isAddress(given)) return storeNamed(given, allow, { kind, field, store, signal })
  const artifact = await store.stat(given)
  if (artifact?.kind !== kind) throw await wrongId(given, artifact, wanted)
  return artifact
}

const nouns = { image: 'an image', audio: 'an audio recording' } as const

async function wrongId(id: string, found: Artifact | undefined, wanted: Wanted): Promise<CapstanError> {
  const { kind, field, store } = wanted
  const shown = id.slice(0, 60)
  const what = found
    ? `"${shown}" is no ${kind} but of the kind ${found.kind}`
    : `There is no artifact "${shown}"`
  const rule = `"${field}" takes the id of ${nouns[kind]} that a tool returned or that was attached`
  const message = `${what}: ${rule}. ${await offer(kind, store)}`
  return new CapstanError(found ? 'invalid_arguments' : 'not_found', message, {
    evidence: { field, id: shown },
  })
}

/** The newest ids of a kind, at most five: a store may hold thousands, and the model reads them all. */
async function offer(kind: 'image' | 'audio', store: ArtifactStore): Promise<string> {
  const all = await store.list().catch(() => undefined)
  if (!all) return 'Use such an id exactly as it was given.'
  const ids = all.filter((one) => one.kind === kind).map((one) => one.id)
  if (ids.length === 0) return `There is none yet: make ${nouns[kind]} first, or ask for one.`
  return `The newest are: ${ids.slice(-5).reverse().join(', ')}.`
}

/** Whether a model wrote an address where an id is usual. */
function isAddress(given: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(given)
}

/**
 * What an address holds that a model wrote, as an artifact: a stranger's words, so only what is allowed is reached.
 * @throws CapstanError `invalid_arguments` for what is not, or `not_found`, `api`, `timeout`, `network`
 */
async function storeNamed(address: string, allow: Allow, intake: Intake): Promise<Artifact> {
  const { folder, hosts = [] } = allow
  const { field, signal } = intake
  const limits = limitsOf(allow)
  if (/^file:/i.test(address) && folder !== undefined)
    return storeHeld(holdBytes(await fileInFolder(address, folder, limits.bytes)), '', intake)
  if (/^https?:/i.test(address) && hosts.length > 0 && URL.canParse(address)) {
    const reach = { hosts }
    const told = { what: `"${field}"`, code: 'invalid_arguments', advice: 'Give an artifact id.' } as const
    await using fetched = await fetchUrl(new URL(address), { ...told, reach, signal, limits })
    return await storeHeld(fetched, fetched.mediaType, intake)
  }
  const message = `"${field}" does not take the address "${address.slice(0, 60)}": ${ruleOf(allow)}.`
  throw new CapstanError('invalid_arguments', message, { evidence: { field } })
}

function ruleOf({ folder, hosts = [] }: Allow): string {
  const taken = [
    'an artifact id',
    ...(folder === undefined ? [] : ['file:<name>']),
    ...(hosts.length > 0 ? [`an address at ${hosts.join(' or ')}`] : []),
  ]
  return `give ${taken.join(', or ')}`
}

/** Where something goes that a tool was given. */
export interface Intake<Kind extends 'image' | 'audio' = 'image' | 'audio'> {
  readonly kind: Kind
  /** The parameter that it was given for. */
  readonly field: string
  readonly store: ArtifactStore
  readonly signal: AbortSignal
}

/**
 * Bytes as an artifact, once their content says that they are of the kind; `said` is the type that came with them.
 * @throws CapstanError `invalid_arguments` for other content
 */
export async function storeHeld(held: Held, said: string, intake: Intake): Promise<Artifact> {
  const { kind, field, store } = intake
  if (kind === 'image') return store.put(held.stream(), { kind, ...(await checkImage(held, field, said)) })
  const [mediaType, durationMs] = [await audioType(await headOf(held), field), await durationOf(held)]
  return store.put(held.stream(), { kind, mediaType, ...(durationMs === undefined ? {} : { durationMs }) })
}

/** The type of a recording by its first bytes. @throws CapstanError `invalid_arguments` when it is none */
export async function audioType(head: Uint8Array, field: string): Promise<string> {
  const mediaType = await contentType(head)
  if (mediaType?.startsWith('audio/')) return mediaType
  const what = head.length === 0 ? 'empty' : `no audio recording but ${await nameOf(head)}`
  const message = `"${field}" is ${what}: give a recording as mp3, wav, m4a, ogg, flac or webm.`
  throw new CapstanError('invalid_arguments', message, { evidence: { field } })
}
