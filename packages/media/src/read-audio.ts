import { type Artifact, CapstanError } from '@capstan/core'
import { durationOf } from './audio/duration-of.js'
import type { Sound } from './audio/join-sound.js'
import { contentType } from './inputs/content-type.js'
import type { ReadContext, Reply } from './media-service.js'
import { asText, wordsOf } from './words-of.js'

/** Stores spoken audio, with how long it sounds. @throws CapstanError as `readSound` does */
export async function readAudio(reply: Reply, { store }: ReadContext): Promise<Artifact<'audio'>> {
  return storeSound(await readSound(reply), store)
}

/** Stores sound, with how long it sounds. */
export async function storeSound(
  { bytes, mediaType }: Sound,
  store: ReadContext['store'],
): Promise<Artifact<'audio'>> {
  const durationMs = await durationOf(bytes)
  return store.put(bytes, { kind: 'audio', mediaType, ...(durationMs === undefined ? {} : { durationMs }) })
}

/**
 * The sound of an answer; its container is what `Content-Type` says, unless the bytes tell another.
 * @throws CapstanError `invalid_response` for anything but sound, and for a container nobody names
 */
export async function readSound(reply: Reply): Promise<Sound> {
  const { bytes, endpoint } = reply
  const mediaType = await containerOf(reply)
  if (mediaType !== undefined && asText(bytes) === undefined) return { bytes, mediaType }
  const message = `${endpoint} answered without audio (Content-Type: ${reply.mediaType || 'none'}). It sent: ${wordsOf(bytes)}`
  throw new CapstanError('invalid_response', message, { evidence: { endpoint } })
}

async function containerOf({ mediaType, bytes }: Reply): Promise<string | undefined> {
  const said = usual.get(mediaType) ?? mediaType
  // Bare samples may look like anything.
  if (bare.includes(said)) return said
  const found = await contentType(bytes)
  const told = found && (usual.get(found) ?? found)
  if (told !== undefined) return told.startsWith('audio/') ? told : undefined
  // A header is a stranger's words, and models read the type of a recording.
  return /^audio\/[a-z0-9.+-]{1,40}$/.test(said) ? said : undefined
}

const bare: readonly string[] = ['audio/pcm', 'audio/l16']

const usual: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'audio/mp3': 'audio/mpeg',
    'audio/x-wav': 'audio/wav',
    'audio/wave': 'audio/wav',
    'audio/vnd.wave': 'audio/wav',
    'audio/x-flac': 'audio/flac',
    'audio/x-m4a': 'audio/mp4',
    'video/mp4': 'audio/mp4',
    'video/webm': 'audio/webm',
    'application/ogg': 'audio/ogg',
  }),
)
