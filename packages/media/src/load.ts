import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'

/** An artifact with its bytes. */
export interface Loaded {
  readonly artifact: Artifact
  readonly bytes: Uint8Array
}

export interface Wanted {
  readonly kind: 'image' | 'audio'
  /** The parameter that named it. */
  readonly field: string
  readonly store: ArtifactStore
}

/**
 * Takes an artifact out of the store.
 * @throws CapstanError `not_found` or, for another kind, `invalid_arguments`; both name ids that would do
 */
export async function load(id: string, wanted: Wanted): Promise<Loaded> {
  const { kind, store } = wanted
  const artifact = await store.stat(id)
  if (artifact?.kind !== kind) throw await wrongId(id, artifact, wanted)
  const bytes = new Uint8Array(await new Response(await store.open(id)).arrayBuffer())
  return { artifact, bytes }
}

const nouns = { image: 'an image', audio: 'an audio recording' } as const

async function wrongId(id: string, found: Artifact | undefined, wanted: Wanted): Promise<CapstanError> {
  const { kind, field, store } = wanted
  const what = found ? `"${id}" is no ${kind} but of the kind ${found.kind}` : `There is no artifact "${id}"`
  const rule = `"${field}" takes the id of ${nouns[kind]} that a tool returned or that was attached`
  const message = `${what}: ${rule}. ${await offer(kind, store)}`
  return new CapstanError(found ? 'invalid_arguments' : 'not_found', message, { evidence: { field, id } })
}

/** The newest ids of a kind, at most five: a store may hold thousands, and the model reads them all. */
async function offer(kind: 'image' | 'audio', store: ArtifactStore): Promise<string> {
  const all = await store.list().catch(() => undefined)
  if (!all) return 'Use such an id exactly as it was given.'
  const ids = all.filter((one) => one.kind === kind).map((one) => one.id)
  if (ids.length === 0) return `There is none yet: make ${nouns[kind]} first, or ask for one.`
  return `The newest are: ${ids.slice(-5).reverse().join(', ')}.`
}
