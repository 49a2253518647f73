import { type Artifact, type ReadableArtifact, type ToolContext, tool } from '@capstan/core'
import type * as z from 'zod/v4'
import { type SubtitleFormat, subtitleTypes, toSubtitles } from '../audio/subtitles.js'
import { type TranscribedRecording, transcribe } from '../audio/transcribe.js'
import { type MediaService, toMediaService, withOrigin } from '../client/service.js'
import type { TimedParts, TimedText } from '../client/transcripts.js'
import { sourcesOf } from '../inputs/allow.js'
import { withInputs } from '../inputs/program-input.js'
import { type MediaOptions, toAudioLimits } from '../options.js'
import { defined, fieldParameters, toWireFields } from '../request-fields.js'
import { withReadable } from './direct-call.js'
import { type Callable, type CallInOneGo, mediaFunction, withFields } from './media-function.js'
import { audioId } from './parameters.js'

/** Result of a transcription or translation. */
export interface Transcription {
  /** The text. `''` means that the recording contains no speech, and models are told so. */
  readonly text: string
  /**
   * Segments with timestamps, if requested with `timestamps: 'segment'`. Timestamps are relative to the start of the
   * recording, even if it was sent in chunks.
   */
  readonly segments?: readonly TimedText[]
  /** Words with timestamps, if requested with `timestamps: 'word'`. */
  readonly words?: readonly TimedText[]
  /**
   * The language of the speech, in the server's spelling, if `timestamps` or `subtitles` were requested. Absent if the
   * server does not return it.
   */
  readonly language?: string
  /** The subtitles, if requested. Their parent is the recording. */
  readonly subtitles?: Artifact<'text'>
}

/**
 * A transcription tool as a function. If you pass a recording, it calls the tool immediately. Otherwise it returns the
 * tool.
 */
export interface TranscriptionFunction<T extends Callable> {
  /** Transcribes a recording. Pass arguments, options and a signal in one object. */
  <const Given extends CallInOneGo<T>>(given: Given & Only<Given, T>): Promise<TranscriptionOf<Given>>
  /** Returns the tool. @throws CapstanError `invalid_request` immediately, for an invalid option */
  (options?: MediaOptions): T
}

/** Rejects unknown argument names. Type inference alone would accept them. */
type Only<Given, T extends Callable> = {
  readonly [Name in Exclude<keyof Given, keyof CallInOneGo<T>>]: never
}

/** The result of a call. Its type contains the parts that the call's arguments request. */
type TranscriptionOf<Given> = {
  readonly text: string
  readonly language?: string
} & (Given extends { readonly timestamps: 'segment' }
  ? { readonly segments: readonly TimedText[] }
  : unknown) &
  (Given extends { readonly timestamps: 'word' } ? { readonly words: readonly TimedText[] } : unknown) &
  (Given extends { readonly subtitles: SubtitleFormat }
    ? { readonly subtitles: ReadableArtifact<'text'> }
    : unknown)

/**
 * The tool `transcribe_audio`: transcribes speech in its own language. Resolves to `{ text }`, with timestamps and
 * subtitles if requested. If you pass `file`, the tool is called immediately.
 * @throws CapstanError `invalid_request` immediately if `client.baseURL` is not an http(s) URL
 */
export const transcribeAudio = mediaFunction(
  ['file', ...Object.keys(fieldParameters.transcription)],
  (options) =>
    transcriptionTool(
      {
        name: 'transcribe_audio',
        description: 'Transcribe the speech in an audio recording to text.',
        kind: 'transcription',
        endpoint: '/audio/transcriptions',
        fields: fieldParameters.transcription,
      },
      options,
    ),
) as TranscriptionFunction<
  ReturnType<typeof transcriptionTool<'transcribe_audio', typeof fieldParameters.transcription>>
>

/**
 * The tool `translate_audio`: translates speech to English text. Resolves to `{ text }`, with timestamps and subtitles
 * if requested. If you pass `file`, the tool is called immediately.
 * @throws CapstanError `invalid_request` immediately if `client.baseURL` is not an http(s) URL
 */
export const translateAudio = mediaFunction(
  ['file', ...Object.keys(fieldParameters.translation)],
  (options) =>
    transcriptionTool(
      {
        name: 'translate_audio',
        description: 'Translate the speech in an audio recording, of any language, to English text.',
        kind: 'translation',
        endpoint: '/audio/translations',
        fields: fieldParameters.translation,
      },
      options,
    ),
) as TranscriptionFunction<
  ReturnType<typeof transcriptionTool<'translate_audio', typeof fieldParameters.translation>>
>

/** The differences between the two transcription tools. */
interface TranscriptionToolConfig<Name extends string, Fields extends z.ZodRawShape> {
  readonly name: Name
  readonly description: string
  /** The tool's key in the options for models and request fields. */
  readonly kind: 'transcription' | 'translation'
  readonly endpoint: '/audio/transcriptions' | '/audio/translations'
  readonly fields: Fields
}

/** Creates a tool that transcribes a recording. The text in its results is untrusted. */
function transcriptionTool<const Name extends string, Fields extends z.ZodRawShape>(
  { name, description, kind, endpoint, fields }: TranscriptionToolConfig<Name, Fields>,
  options: MediaOptions,
) {
  const { audio, allow, parameters: chosen } = options
  const service = toMediaService(options)
  const config = { service, kind, endpoint, limits: toAudioLimits(audio), allow } as const
  const own = { file: audioId.describe(`${sourcesOf(allow)} of the audio recording`) }
  const transcription = withFields({ own, fields, offered: chosen?.[kind] }, (parameters) =>
    tool({
      name,
      description,
      parameters,
      effects: 'read',
      untrusted: true,
      execute: (args, ctx) => transcribeFile(args as unknown as GivenArguments, config, ctx),
      // Empty text without a note would look like an error, and models would call the tool again.
      toModel: (heard) =>
        heard.text.trim() === '' ? { ...heard, note: 'No speech was found in the recording.' } : heard,
    }),
  )
  const inputs = withInputs(transcription, { ...options, kinds: { file: 'audio' } })
  return withReadable(inputs, options.artifacts)
}

/** The validated arguments of either tool. */
interface GivenArguments {
  readonly file: string
  readonly timestamps?: 'word' | 'segment'
  readonly subtitles?: SubtitleFormat
}

interface FileConfig {
  readonly service: MediaService
  readonly kind: 'transcription' | 'translation'
  readonly endpoint: '/audio/transcriptions' | '/audio/translations'
  readonly limits: ReturnType<typeof toAudioLimits>
  readonly allow: MediaOptions['allow']
}

async function transcribeFile(
  { file, ...given }: GivenArguments,
  { kind, ...config }: FileConfig,
  ctx: ToolContext,
): Promise<Transcription> {
  const { service, endpoint } = config
  const fixed = service.fields[kind] ?? {}
  const { timestamps, subtitles }: Omit<GivenArguments, 'file'> = { ...fixed, ...defined(given) }
  const parts: TimedParts[] = [
    ...(timestamps === 'segment' || subtitles ? (['segments'] as const) : []),
    ...(timestamps === 'word' ? (['words'] as const) : []),
  ]
  const fields = { ...toWireFields(fixed, { ...given }), ...toTimeFields(parts, endpoint) }
  const model = service.models[kind]
  const heard = await transcribe(file, { ...config, model, fields, parts }, ctx)
  const { text, segments = [], words = [], language } = heard
  return {
    text,
    ...(timestamps === 'segment' ? { segments } : {}),
    ...(timestamps === 'word' ? { words } : {}),
    ...(language === undefined ? {} : { language }),
    ...(subtitles
      ? { subtitles: await storeSubtitles(heard, { format: subtitles, model, service }, ctx) }
      : {}),
  }
}

/**
 * Returns the fields that request timestamps. Translations have timestamps only for segments, and no field to request
 * them.
 */
function toTimeFields(
  parts: readonly TimedParts[],
  endpoint: FileConfig['endpoint'],
): Record<string, unknown> {
  if (parts.length === 0) return {}
  const granularities = parts.map((part) => (part === 'words' ? 'word' : 'segment'))
  return {
    response_format: 'verbose_json',
    ...(endpoint === '/audio/transcriptions' ? { timestamp_granularities: granularities } : {}),
  }
}

interface SubtitleConfig {
  readonly format: SubtitleFormat
  readonly model: string
  readonly service: MediaService
}

function storeSubtitles(
  { segments = [], recording }: TranscribedRecording,
  { format, model, service }: SubtitleConfig,
  ctx: ToolContext,
): Promise<Artifact<'text'>> {
  const store = withOrigin(service.storeOf(ctx), { body: { model }, parents: [recording.id] }, ctx.artifacts)
  const bytes = new TextEncoder().encode(toSubtitles(segments, format))
  return store.put(bytes, { kind: 'text', mediaType: subtitleTypes[format] })
}
