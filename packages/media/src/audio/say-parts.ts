import type { Artifact, ToolContext } from '@capstan/core'
import { bytesOf, holdBytes } from '../inputs/held.js'
import type { MediaService, Reply } from '../media-service.js'
import { readSound, storeSound } from '../read-audio.js'
import { withOrigin } from '../with-origin.js'
import { cannotJoin, joinable, joinSound, type Sound } from './join-sound.js'

/** Fields of a request for speech. */
export interface SpeechBody {
  readonly model: string
  readonly voice: string
  readonly input: string
  readonly format: string | undefined
}

/**
 * Speaks a text in parts, one after the other, and stores them as one recording. Each part is a request with a key of
 * its own, `<key>/piece<n>`, and reported as progress `{ piece, of, characters }`.
 * @throws CapstanError `unsupported` for a container in which parts are not joined
 */
export async function sayParts(
  parts: readonly string[],
  body: SpeechBody,
  { service, ctx }: { readonly service: MediaService; readonly ctx: ToolContext },
): Promise<Artifact<'audio'>> {
  const { format, model } = body
  if (format !== undefined && !joinable.some((name) => name === format)) throw cannotJoin(format)
  // Once for all of it: a limit forbids the whole, not its last part.
  ctx.spend({ characters: body.input.length, model })
  const sounds: Sound[] = []
  for (const [i, input] of parts.entries()) {
    const piece = i + 1
    const part = { ...ctx, idempotencyKey: `${ctx.idempotencyKey}/piece${piece}`, spend: () => {} }
    const request = {
      endpoint: '/audio/speech',
      body: { ...body, input },
      spends: {},
      read: readPart,
    } as const
    sounds.push(await service.ask(part, request))
    // Two show whether the rest is worth asking for.
    if (piece === 2) await joinSound(sounds)
    ctx.progress({ piece, of: parts.length, characters: input.length })
  }
  const joined = await joinSound(sounds)
  const sound = { ...holdBytes(joined.bytes), mediaType: joined.mediaType }
  return storeSound(sound, withOrigin(service.storeOf(ctx), { body: { ...body } }, ctx.artifacts))
}

/** Its bytes are there until it was read: parts are joined in memory. */
async function readPart(reply: Reply): Promise<Sound> {
  const sound = await readSound(reply)
  return { bytes: await bytesOf(sound), mediaType: sound.mediaType }
}
