import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { hear } from '../audio/transcribe.js'
import { toMediaService } from '../client/service.js'
import { sourcesOf } from '../inputs/allow.js'
import { withInputs } from '../inputs/program-input.js'
import { type MediaOptions, toAudioLimits } from '../options.js'
import { audioId } from './parameters.js'

/**
 * The tool `transcribe_audio`: writes down what is said, in its own language, resolves to `{ text }`.
 * @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function transcribeAudio(options: MediaOptions = {}) {
  const description = 'Transcribe the speech in an audio recording to text.'
  const hearing = {
    name: 'transcribe_audio',
    description,
    endpoint: 'transcriptions',
    by: 'transcription',
  } as const
  return hearingTool(hearing, options)
}

/**
 * The tool `translate_audio`: writes down in English what is said in another language, resolves to `{ text }`.
 * @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function translateAudio(options: MediaOptions = {}) {
  const description = 'Translate the speech in an audio recording, of any language, to English text.'
  const hearing = {
    name: 'translate_audio',
    description,
    endpoint: 'translations',
    by: 'translation',
  } as const
  return hearingTool(hearing, options)
}

/** What sets a tool that listens apart. */
interface Hearing<Name extends string> {
  readonly name: Name
  readonly description: string
  readonly endpoint: 'transcriptions' | 'translations'
  /** Whose model is asked. */
  readonly by: 'transcription' | 'translation'
}

/** A tool that writes down what a recording says: words of strangers. */
function hearingTool<const Name extends string>(
  { name, description, endpoint, by }: Hearing<Name>,
  options: MediaOptions,
) {
  const { audio, allow } = options
  const service = toMediaService(options)
  const listener = {
    service,
    endpoint: `/audio/${endpoint}`,
    model: service.models[by],
    limits: toAudioLimits(audio),
    allow,
  } as const
  const listening = tool({
    name,
    description,
    parameters: z.object({ file: audioId.describe(`${sourcesOf(allow)} of the audio recording`) }),
    effects: 'read',
    untrusted: true,
    execute: async ({ file }, ctx) => ({ text: await hear(file, listener, ctx) }),
  })
  return withInputs(listening, { ...options, kinds: { file: 'audio' } })
}
