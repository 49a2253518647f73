import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import type { Allow } from './inputs/allow.js'
import { type Held, holdFile } from './inputs/held.js'
import { isAddress, storeNamed } from './inputs/store-named.js'
import { takeIn } from './inputs/take-in.js'

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
