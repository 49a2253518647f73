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
  /** `''` for silence. Models are told that no speech was found. */
  readonly text: string
  /**
   * Segments with their timestamps, if `timestamps: 'segment'` was requested. They are relative to the start of the
   * recording, even if it was sent in chunks.
   */
  readonly segments?: readonly TimedText[]
  /** Words with their timestamps, if `timestamps: 'word'` was requested. */
  readonly words?: readonly TimedText[]
  /**
   * The spoken language, as the server names it, if `timestamps` or `subtitles` were requested. Absent if the server
   * does not name it.
   */
  readonly language?: string
  /** The subtitles, if `subtitles` were requested. Their parent is the recording. */
  readonly subtitles?: Artifact<'text'>
}

/** A transcription tool as a function. With a recording it runs immediately; otherwise it returns the tool. */
export interface TranscriptionFunction<T extends Callable> {
  /** Transcribes a recording, with arguments, options and a signal in one object. */
  <const Given extends CallInOneGo<T>>(given: Given & Only<Given, T>): Promise<TranscriptionOf<Given>>
  /** Returns the tool. @throws CapstanError `invalid_request` immediately, for an invalid option */
  (options?: MediaOptions): T
}

/** Rejects unknown argument names, which type inference would accept. */
type Only<Given, T extends Callable> = {
  readonly [Name in Exclude<keyof Given, keyof CallInOneGo<T>>]: never
}

/** The result of a call, with the parts that its arguments request. */
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
 * The tool `transcribe_audio`: transcribes speech in the language spoken. Resolves to `{ text }`, with timestamps and
 * subtitles if requested. If `file` is given, the tool is called immediately.
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
 * if requested. If `file` is given, the tool is called immediately.
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
  /** The key of the tool's model and fields in the options. */
  readonly kind: 'transcription' | 'translation'
  readonly endpoint: '/audio/transcriptions' | '/audio/translations'
  readonly fields: Fields
}

/** Creates a tool that returns the speech in a recording as untrusted text. */
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
      // Empty text without a note looks like an error, so models would call again.
      toModel: (heard) =>
        heard.text.trim() === '' ? { ...heard, note: 'No speech was found in the recording.' } : heard,
    }),
  )
  const inputs = withInputs(transcription, { ...options, kinds: { file: 'audio' } })
  return withReadable(inputs, options.artifacts)
}

/** Validated arguments of either tool. */
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

/** Returns the fields that request timestamps. Translations only have timestamps of segments, and no field for them. */
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
