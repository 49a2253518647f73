import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { transcribe } from '../audio/transcribe.js'
import { toMediaService } from '../client/service.js'
import { sourcesOf } from '../inputs/allow.js'
import { withInputs } from '../inputs/program-input.js'
import { type MediaOptions, toAudioLimits } from '../options.js'
import { audioId } from './parameters.js'

/**
 * The tool `transcribe_audio`: transcribes speech in its own language. Resolves to `{ text }`.
 * @throws CapstanError `invalid_request` at once if `client.baseURL` is not an http address
 */
export function transcribeAudio(options: MediaOptions = {}) {
  const description = 'Transcribe the speech in an audio recording to text.'
  const config = {
    name: 'transcribe_audio',
    description,
    endpoint: 'transcriptions',
    model: 'transcription',
  } as const
  return transcriptionTool(config, options)
}

/**
 * The tool `translate_audio`: translates speech to English text. Resolves to `{ text }`.
 * @throws CapstanError `invalid_request` at once if `client.baseURL` is not an http address
 */
export function translateAudio(options: MediaOptions = {}) {
  const description = 'Translate the speech in an audio recording, of any language, to English text.'
  const config = {
    name: 'translate_audio',
    description,
    endpoint: 'translations',
    model: 'translation',
  } as const
  return transcriptionTool(config, options)
}

/** Differences between the transcription tools. */
interface TranscriptionToolConfig<Name extends string> {
  readonly name: Name
  readonly description: string
  readonly endpoint: 'transcriptions' | 'translations'
  /** Kind of the model. */
  readonly model: 'transcription' | 'translation'
}

/** Creates a tool that returns the speech of a recording as untrusted text. */
function transcriptionTool<const Name extends string>(
  { name, description, endpoint, model }: TranscriptionToolConfig<Name>,
  options: MediaOptions,
) {
  const { audio, allow } = options
  const service = toMediaService(options)
  const config = {
    service,
    endpoint: `/audio/${endpoint}`,
    model: service.models[model],
    limits: toAudioLimits(audio),
    allow,
  } as const
  const transcription = tool({
    name,
    description,
    parameters: z.object({ file: audioId.describe(`${sourcesOf(allow)} of the audio recording`) }),
    effects: 'read',
    untrusted: true,
    execute: async ({ file }, ctx) => ({ text: await transcribe(file, config, ctx) }),
  })
  return withInputs(transcription, { ...options, kinds: { file: 'audio' } })
}
