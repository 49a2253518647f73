import { type Artifact, type ToolContext, tool } from '@capstan/core'
import * as z from 'zod/v4'
import { cannotJoin, joinable, joinSound, type Sound } from '../audio/join-audio.js'
import { readAudio, readSound, storeSound } from '../client/responses.js'
import { type MediaService, type Reply, toMediaService, withOrigin } from '../client/service.js'
import { bytesOf, holdBytes } from '../inputs/stored-bytes.js'
import { checkSpeech, type MediaOptions, toSpeechLimits } from '../options.js'

/**
 * The tool `speak`: reads a text aloud, resolves to `{ audio }`.
 * @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function speak(options: MediaOptions = {}) {
  const service = toMediaService(options)
  const limits = toSpeechLimits(options.speech)
  const usualVoice = options.voice ?? limits.voices?.[0] ?? 'alloy'
  return tool({
    name: 'speak',
    description: 'Turn text into spoken audio.',
    parameters: z.object({
      input: z.string().min(1).describe('The text to speak'),
      voice: z
        .string()
        .min(1)
        .describe(`${named('Name of the voice', limits.voices)}; leave out for the usual one`)
        .optional(),
      format: z
        .string()
        .min(1)
        .describe(
          `${named('Audio container', limits.formats ?? ['mp3', 'wav or another'])}; leave out for the usual one`,
        )
        .optional(),
    }),
    effects: 'read',
    async execute({ input, voice = usualVoice, format = options.format }, ctx) {
      checkSpeech(limits, voice, format)
      const model = service.models.speech
      const body = { model, voice, input, format }
      const parts = splitText(input, limits.maxCharacters)
      if (parts.length > 1) return { audio: await sayParts(parts, body, { service, ctx }) }
      const spends = { characters: input.length, model }
      return { audio: await service.ask(ctx, { endpoint: '/audio/speech', body, spends, read: readAudio }) }
    },
  })
}

function named(what: string, names: readonly string[] | undefined): string {
  return names ? `${what}: ${names.join(', ')}` : what
}

/** Fields of a request for speech. */
interface SpeechBody {
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
async function sayParts(
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

/** A text in parts of at most so many characters: between sentences, else between words, else anywhere. */
export function splitText(text: string, most: number): string[] {
  return fill(text, ['sentence', 'word', 'grapheme'], most)
    .map((part) => part.trim())
    .filter(Boolean)
}

type Granularity = 'sentence' | 'word' | 'grapheme'

function fill(text: string, [by, ...finer]: readonly Granularity[], most: number): string[] {
  if (text.trim().length <= most) return [text]
  if (by === undefined) return inSteps(text, most)
  const parts: string[] = []
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: by }).segment(text)) {
    const last = parts.at(-1)
    if (last !== undefined && (last + segment).trim().length <= most) parts[parts.length - 1] = last + segment
    else parts.push(...fill(segment, finer, most))
  }
  return parts
}

function inSteps(text: string, most: number): string[] {
  return Array.from({ length: Math.ceil(text.length / most) }, (_, i) => text.slice(i * most, (i + 1) * most))
}
