import { type Artifact, type ToolContext, tool } from '@capstan/core'
import * as z from 'zod/v4'
import { readDuration } from '../audio/duration.js'
import { joinAudio, joinableFormats, joinError } from '../audio/join-audio.js'
import { readSpeech, type StoredAudio, storeSpeech } from '../client/audio-responses.js'
import { type MediaService, toMediaService, withOrigin } from '../client/service.js'
import { fromBlob } from '../inputs/stored-bytes.js'
import { checkSpeechNames, type MediaOptions, toSpeechLimits } from '../options.js'
import { fieldParameters, toWireFields } from '../request-fields.js'
import { withReadable } from './direct-call.js'
import { mediaFunction, withFields } from './media-function.js'

/**
 * The tool `speak`: reads text aloud. Resolves to `{ audio }`. The audio is stored as it arrives. If you pass `input`,
 * the tool is called immediately: `speak({ input: 'Hello', speed: 1.2 })`.
 * @throws CapstanError `invalid_request` immediately if `client.baseURL` is not an http(s) URL
 */
export const speak = mediaFunction(
  ['input', 'voice', 'format', ...Object.keys(fieldParameters.speech)],
  createTool,
)

function createTool(options: MediaOptions) {
  const service = toMediaService(options)
  const limits = toSpeechLimits(options.speech)
  const defaultVoice = options.voice ?? limits.voices?.[0] ?? 'alloy'
  const own = {
    input: z.string().min(1).describe('The text to speak'),
    voice: z
      .string()
      .min(1)
      .describe(`${named('Name of the voice', limits.voices)}; omit for the default`)
      .optional(),
    format: z
      .string()
      .min(1)
      .describe(
        `${named('Audio container', limits.formats ?? ['mp3', 'wav or another'])}; omit for the default`,
      )
      .optional(),
  }
  const offered = options.parameters?.speech
  const spoken = withFields({ own, fields: fieldParameters.speech, offered }, (parameters) =>
    tool({
      name: 'speak',
      description: 'Turn text into spoken audio.',
      parameters,
      effects: 'read',
      spends: ({ input }) => ({ characters: input.length, model: service.models.speech }),
      background: options.background ?? false,
      async execute({ input, voice = defaultVoice, format = options.format, ...given }, ctx) {
        checkSpeechNames(limits, voice, format)
        const model = service.models.speech
        const parts = splitText(input, limits.maxCharacters)
        // Text that is too long only because of white space at its ends is a single part.
        const text = input.length > limits.maxCharacters && parts.length < 2 ? parts.join('') : input
        const body = { ...toWireFields(service.fields.speech, given), model, voice, input: text, format }
        if (parts.length > 1) return { audio: await speakChunks(parts, body, { service, ctx }) }
        const spends = { characters: text.length, model }
        const request = { endpoint: '/audio/speech', body, spends, read: storeSpeech } as const
        return { audio: await service.send(ctx, request) }
      },
    }),
  )
  return withReadable(spoken, options.artifacts)
}

function named(what: string, names: readonly string[] | undefined): string {
  return names ? `${what}: ${names.join(', ')}` : what
}

/** The fields of a speech request, as they are sent. If `format` is undefined, the server chooses. */
interface SpeechBody {
  readonly model: string
  readonly voice: string
  readonly input: string
  readonly format: string | undefined
}

/**
 * Speaks text in parts, one after another, and stores them as one recording. Each request has its own idempotency key,
 * `<key>/piece<n>`. Reports progress `{ piece, of, characters }` after each request.
 * @throws CapstanError `unsupported` for a format whose parts cannot be joined
 */
async function speakChunks(
  parts: readonly string[],
  body: SpeechBody,
  { service, ctx }: { readonly service: MediaService; readonly ctx: ToolContext },
): Promise<Artifact<'audio'>> {
  const { format, model } = body
  if (format !== undefined && !joinableFormats.some((name) => name === format)) throw joinError(format)
  // Spends once for the entire text, so that a limit rejects it before the first part is sent.
  await ctx.spend({ characters: body.input.length, model })
  const sounds: StoredAudio[] = []
  try {
    for (const [i, input] of parts.entries()) {
      const piece = i + 1
      const part = { ...ctx, idempotencyKey: `${ctx.idempotencyKey}/piece${piece}`, spend: async () => {} }
      const request = {
        endpoint: '/audio/speech',
        body: { ...body, input },
        spends: {},
        read: readSpeech,
      } as const
      sounds.push(await service.send(part, request))
      // The first two parts show whether the parts can be joined.
      if (piece === 2) await joinAudio(sounds)
      ctx.progress({ piece, of: parts.length, characters: input.length })
    }
    const { blob, mediaType } = await joinAudio(sounds)
    const store = withOrigin(service.storeOf(ctx), { body: { ...body } }, ctx.artifacts)
    const joined = fromBlob(blob)
    const durationMs = await readDuration(joined)
    const info = { kind: 'audio', mediaType, ...(durationMs === undefined ? {} : { durationMs }) } as const
    return await store.put(joined.stream(), info)
  } finally {
    await Promise.all(sounds.map((sound) => sound[Symbol.asyncDispose]()))
  }
}

/**
 * Splits text into parts of at most `most` characters: between sentences if possible, else at spaces, between words,
 * between characters or anywhere.
 */
export function splitText(text: string, most: number): string[] {
  return splitBy(text, [segmentsBy('sentence'), atSpaces, toWords, segmentsBy('grapheme')], most)
    .map((part) => part.trim())
    .filter(Boolean)
}

type Splitter = (text: string) => Iterable<string>

function splitBy(text: string, [by, ...finer]: readonly Splitter[], most: number): string[] {
  if (text.trim().length <= most) return [text]
  if (by === undefined) return splitAnywhere(text, most)
  const parts: string[] = []
  for (const segment of by(text)) {
    const last = parts.at(-1)
    if (last !== undefined && (last + segment).trim().length <= most) parts[parts.length - 1] = last + segment
    else parts.push(...splitBy(segment, finer, most))
  }
  return parts
}

function segmentsBy(granularity: 'sentence' | 'word' | 'grapheme'): Splitter {
  return (text) =>
    Array.from(new Intl.Segmenter(undefined, { granularity }).segment(text), ({ segment }) => segment)
}

function atSpaces(text: string): string[] {
  return text.split(/(?<=\s)(?=\S)/)
}

/**
 * Splits text without spaces into words. A comma stays with the word before it, and brackets stay with their content.
 */
function toWords(text: string): string[] {
  const words: string[] = []
  for (const segment of segmentsBy('word')(text)) {
    const last = words.at(-1)
    if (last !== undefined && (/^[\p{Pe}\p{Pf}\p{Po}]/u.test(segment) || /[\p{Ps}\p{Pi}]$/u.test(last)))
      words[words.length - 1] = last + segment
    else words.push(segment)
  }
  return words
}

function splitAnywhere(text: string, most: number): string[] {
  return Array.from({ length: Math.ceil(text.length / most) }, (_, i) => text.slice(i * most, (i + 1) * most))
}
