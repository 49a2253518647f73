import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import { ByteReader, fileStream } from '../inputs/byte-streams.js'
import { asText, type Container, headBytes, readContainer } from '../inputs/detect-type.js'
import type { Loaded } from '../inputs/resolve-input.js'
import type { AudioLimits } from '../options.js'
import { loadMediabunny, packetPieces } from './packet-chunks.js'
import type { Pieces, Recording } from './plan-chunks.js'
import { wavPieces } from './wav.js'

/** What a recording is by its content. */
interface RecordingKind {
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

/** A recording in a file, of which hardly anything is in memory at one time. Undefined where there is no file system. */
function fileRecording(artifact: Artifact, path: string): Recording | undefined {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs?.openAsBlob) return undefined
  return { artifact, open: async () => fileStream(path), file: () => fs.openAsBlob(path) }
}

/**
 * A recording in pieces that the service takes.
 * @throws CapstanError `unsupported` for a container that cannot be taken apart here, `invalid_arguments` without sound
 */
export async function piecesOf(
  recording: Recording,
  { container, mediaType }: RecordingKind,
  { maxBytes, maxSeconds, pieceSeconds }: AudioLimits,
): Promise<Pieces> {
  const size = { maxBytes, maxSeconds: Math.min(maxSeconds, pieceSeconds) }
  const { artifact } = recording
  const limit = Number.isFinite(maxSeconds) ? `${maxBytes} bytes or ${maxSeconds} s` : `${maxBytes} bytes`
  const why = `"${artifact.id}" (${mediaType}, ${artifact.bytes} bytes) is above the ${limit} that the service takes at once, and must be sent in pieces.`
  const pieces = await split()
  if (pieces && pieces.seconds > 0) return pieces
  throw noRecording(artifact, 'holds no sound that can be found')

  async function split(): Promise<Pieces | undefined> {
    if (container === 'wav') return wavPieces(recording, size)
    if (container) return packetPieces(recording, container, { bunny: await loadMediabunny(why), size })
    const message = `${why} That can be done for wav, mp3, ogg, m4a, flac and webm: convert it, or set audio: { maxBytes } where the service takes more.`
    throw new CapstanError('unsupported', message, { evidence: { id: artifact.id, mediaType, maxBytes } })
  }
}
