import { CapstanError } from '@capstan/core'
import type { AudioLimits } from './audio-options.js'
import { loadMediabunny } from './load-mediabunny.js'
import { packetPieces } from './packet-pieces.js'
import type { Pieces, Recording } from './pieces.js'
import { noRecording, type RecordingKind } from './recording.js'
import { wavPieces } from './wav-pieces.js'

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
