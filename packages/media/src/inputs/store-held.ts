import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import { durationOf } from '../audio/duration-of.js'
import { checkImage, nameOf } from '../images/check-image.js'
import { contentType } from './content-type.js'
import { type Held, headOf } from './held.js'

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
