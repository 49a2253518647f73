import { type Artifact, CapstanError, sniffMediaType } from '@capstan/core'
import type { ReadContext, Reply } from './media-service.js'
import { wavDuration } from './wav-duration.js'
import { asText, wordsOf } from './words-of.js'

/**
 * Stores spoken audio; its container is what `Content-Type` says, else what the bytes tell.
 * @throws CapstanError `invalid_response` for words where sound should be, and for a container nobody names
 */
export async function readAudio(reply: Reply, { store }: ReadContext): Promise<Artifact<'audio'>> {
  const { bytes, endpoint } = reply
  const mediaType = containerOf(reply)
  if (mediaType === undefined || asText(bytes) !== undefined) {
    const message = `${endpoint} answered without audio (Content-Type: ${reply.mediaType || 'none'}). It sent: ${wordsOf(bytes)}`
    throw new CapstanError('invalid_response', message, { evidence: { endpoint } })
  }
  const durationMs = wavDuration(bytes)
  return store.put(bytes, { kind: 'audio', mediaType, ...(durationMs === undefined ? {} : { durationMs }) })
}

function containerOf({ mediaType, bytes }: Reply): string | undefined {
  const said = usual[mediaType] ?? mediaType
  if (said.startsWith('audio/')) return said
  const sniffed = sniffMediaType(bytes)
  return sniffed?.startsWith('audio/') ? sniffed : undefined
}

const usual: Readonly<Record<string, string>> = {
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'application/ogg': 'audio/ogg',
}
