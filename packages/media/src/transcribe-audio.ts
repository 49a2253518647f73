import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { audioId } from './artifact-ids.js'
import { toAudioLimits } from './audio/audio-options.js'
import { hear } from './audio/hear.js'
import { sourcesOf } from './inputs/allow.js'
import { withInputs } from './inputs/with-inputs.js'
import type { MediaOptions } from './media-options.js'
import { toMediaService } from './media-service.js'

/**
 * The tool `transcribe_audio`: writes down what is said, in its own language, resolves to `{ text }`.
 * @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function transcribeAudio(options: MediaOptions = {}) {
  const { audio, allow } = options
  const service = toMediaService(options)
  const model = service.models.transcription
  const listener = {
    service,
    endpoint: '/audio/transcriptions',
    model,
    limits: toAudioLimits(audio),
    allow,
  } as const
  const transcribe = tool({
    name: 'transcribe_audio',
    description: 'Transcribe the speech in an audio recording to text.',
    parameters: z.object({ file: audioId.describe(`${sourcesOf(allow)} of the audio recording`) }),
    effects: 'read',
    untrusted: true,
    execute: async ({ file }, ctx) => ({ text: await hear(file, listener, ctx) }),
  })
  return withInputs(transcribe, { ...options, kinds: { file: 'audio' } })
}
