import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import { ByteReader, fileStream } from '../inputs/byte-streams.js'
import { type Container, decodeText, detectContainer, headBytes } from '../inputs/detect-type.js'
import type { LoadedArtifact } from '../inputs/resolve-input.js'
import type { AudioLimits } from '../options.js'
import { loadMediabunny, packetChunks } from './packet-chunks.js'
import type { Chunks, Recording } from './plan-chunks.js'
import { wavChunks } from './wav.js'

/** A recording's media type and container, detected from its content. */
interface RecordingKind {
  readonly mediaType: string
  /** Undefined for a container that cannot be split. The service may still accept such a recording. */
  readonly container: Container | undefined
}

/**
 * Returns a recording in a store. If the store has file paths, as `folderArtifacts` does, reads the recording from its
 * file.
 */
export function storedRecording(artifact: Artifact, store: ArtifactStore): Recording {
  const path = 'pathOf' in store && typeof store.pathOf === 'function' && String(store.pathOf(artifact))
  const file = path ? fileRecording(artifact, path) : undefined
  return file ?? { artifact, open: () => store.open(artifact.id) }
}

/** Returns a recording whose bytes are already loaded. */
export function loadedRecording({ artifact, blob, stream }: LoadedArtifact): Recording {
  return { artifact, open: async () => stream(), file: async () => blob }
}

/** Detects a recording by its first bytes. @throws CapstanError `invalid_arguments` if it is not a recording */
export async function detectKind(recording: Recording): Promise<RecordingKind> {
  const { artifact } = recording
  const reader = new ByteReader(await recording.open())
  const head = await reader.take(headBytes)
  await reader.close()
  if (head.length === 0) throw notARecording(artifact, 'is empty')
  const { mediaType, container } = await detectContainer(head)
  if (mediaType !== undefined && !/^(audio|video)\//.test(mediaType) && !container)
    throw notARecording(artifact, `contains ${mediaType}`)
  if (mediaType === undefined && decodeText(head) !== undefined)
    throw notARecording(artifact, 'contains text')
  return { mediaType: mediaType ?? artifact.mediaType, container }
}

/** Returns the error for an artifact whose content is not a recording. */
export function notARecording({ id, mediaType }: Artifact, what: string): CapstanError {
  const message = `"${id}" is not a recording: its type is ${mediaType}, but it ${what}. Pass the id of a playable recording.`
  return new CapstanError('invalid_arguments', message, { evidence: { id, mediaType } })
}

/** Returns a recording that is streamed from a file. Undefined if there is no file system. */
function fileRecording(artifact: Artifact, path: string): Recording | undefined {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs?.openAsBlob) return undefined
  return { artifact, open: async () => fileStream(path), file: () => fs.openAsBlob(path) }
}

/**
 * Splits a recording into chunks within the service's limits.
 * @throws CapstanError `unsupported` for a container that cannot be split, `invalid_arguments` if it contains no audio
 */
export async function splitRecording(
  recording: Recording,
  { container, mediaType }: RecordingKind,
  { maxBytes, maxSeconds, pieceSeconds }: AudioLimits,
): Promise<Chunks> {
  const size = { maxBytes, maxSeconds: Math.min(maxSeconds, pieceSeconds) }
  const { artifact } = recording
  const limit = Number.isFinite(maxSeconds) ? `${maxBytes} bytes or ${maxSeconds} s` : `${maxBytes} bytes`
  const why = `"${artifact.id}" (${mediaType}, ${artifact.size} bytes) is above the service's limit of ${limit} and must be sent in chunks.`
  const chunks = await split()
  if (chunks && chunks.seconds > 0) return chunks
  throw notARecording(artifact, 'contains no audio')

  async function split(): Promise<Chunks | undefined> {
    if (container === 'wav') return wavChunks(recording, size)
    if (container) return packetChunks(recording, container, { bunny: await loadMediabunny(why), size })
    const message = `${why} Only wav, mp3, ogg, m4a, flac and webm can be split: convert it.`
    throw new CapstanError('unsupported', message, { evidence: { id: artifact.id, mediaType, maxBytes } })
  }
}
