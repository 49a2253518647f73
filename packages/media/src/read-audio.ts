import { type Artifact, CapstanError } from '@capstan/core'
import { durationOf } from './audio/duration-of.js'
import { contentType } from './inputs/content-type.js'
import { bytesOf, type Held, headOf } from './inputs/held.js'
import type { ReadContext, Reply } from './media-service.js'
import { asText, wordsOf } from './words-of.js'

/** Stores spoken audio, with how long it sounds. @throws CapstanError as `readSound` does */
export async function readAudio(reply: Reply, { store }: ReadContext): Promise<Artifact<'audio'>> {
  return storeSound(await readSound(reply), store)
}

/** Sound in a container, wherever its bytes are. */
export interface HeldSound extends Held {
  readonly mediaType: string
}

/** Stores sound, with how long it sounds. */
export async function storeSound(sound: HeldSound, store: ReadContext['store']): Promise<Artifact<'audio'>> {
  const { mediaType } = sound
  const durationMs = await durationOf(sound)
  return store.put(sound.stream(), {
    kind: 'audio',
    mediaType,
    ...(durationMs === undefined ? {} : { durationMs }),
  })
}

/**
 * The sound of an answer; its container is what `Content-Type` says, unless the bytes tell another.
 * @throws CapstanError `invalid_response` for anything but sound, and for a container nobody names
 */
export async function readSound(reply: Reply): Promise<HeldSound> {
  const { endpoint } = reply
  const mediaType = await containerOf(reply)
  if (mediaType !== undefined && !(await isText(reply))) return { ...reply, mediaType }
  const bytes = await bytesOf(reply)
  const message = `${endpoint} answered without audio (Content-Type: ${reply.mediaType || 'none'}). It sent: ${wordsOf(bytes)}`
  throw new CapstanError('invalid_response', message, { evidence: { endpoint } })
}

/** Whether all of it is text: sound shows early that it is none. */
async function isText(held: Held): Promise<boolean> {
  return asText(await headOf(held, 512)) !== undefined && asText(await bytesOf(held)) !== undefined
}

async function containerOf(reply: Reply): Promise<string | undefined> {
  const said = usual.get(reply.mediaType) ?? reply.mediaType
  // Bare samples may look like anything.
  if (bare.includes(said)) return said
  const found = await contentType(await headOf(reply))
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
