import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import { ByteReader } from '../inputs/byte-reader.js'
import { headBytes } from '../inputs/content-type.js'
import type { Loaded } from '../load.js'
import { asText } from '../words-of.js'
import { type Container, readContainer } from './container-of.js'
import { fileRecording } from './file-recording.js'
import type { Recording } from './pieces.js'

/** What a recording is by its content. */
export interface RecordingKind {
  readonly mediaType: string
  /** Undefined for one that cannot be taken apart; the service may know it. */
  readonly container: Container | undefined
}

/** A recording in a store; in one that says where its files are, as `folderArtifacts` does, it is a file. */
export function inStore(artifact: Artifact, store: ArtifactStore): Recording {
  const path = 'pathOf' in store && typeof store.pathOf === 'function' && String(store.pathOf(artifact))
  const file = path ? fileRecording(artifact, path) : undefined
  return file ?? { artifact, open: () => store.open(artifact.id) }
}

/** A recording that was loaded. */
export function asLoaded({ artifact, blob, stream }: Loaded): Recording {
  return { artifact, open: async () => stream(), file: async () => blob }
}

/** What a recording is by its first bytes. @throws CapstanError `invalid_arguments` for what cannot be one */
export async function kindOf(recording: Recording): Promise<RecordingKind> {
  const { artifact } = recording
  const reader = new ByteReader(await recording.open())
  const head = await reader.take(headBytes)
  await reader.close()
  if (head.length === 0) throw noRecording(artifact, 'is empty')
  const { mediaType, container } = await readContainer(head)
  if (mediaType !== undefined && !/^(audio|video)\//.test(mediaType) && !container)
    throw noRecording(artifact, `holds ${mediaType}`)
  if (mediaType === undefined && asText(head) !== undefined) throw noRecording(artifact, 'holds text')
  return { mediaType: mediaType ?? artifact.mediaType, container }
}

/** The error for an artifact that says it is a recording and is not. */
export function noRecording({ id, mediaType }: Artifact, what: string): CapstanError {
  const message = `"${id}" is no recording: it says ${mediaType} and ${what}. Give the id of a recording that can be played.`
  return new CapstanError('invalid_arguments', message, { evidence: { id, mediaType } })
}
