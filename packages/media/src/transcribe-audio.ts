import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { audioId } from './artifact-ids.js'
import { load } from './load.js'
import type { MediaOptions } from './media-options.js'
import { toMediaService } from './media-service.js'
import { readText } from './read-text.js'
import { secondsOf } from './seconds-of.js'
import { toUpload } from './to-upload.js'

/**
 * The tool `transcribe_audio`: writes down what is said, in its own language, resolves to `{ text }`.
 * @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function transcribeAudio(options: MediaOptions = {}) {
  const { models, ask, storeOf } = toMediaService(options)
  return tool({
    name: 'transcribe_audio',
    description: 'Transcribe the speech in an audio recording to text.',
    parameters: z.object({ file: audioId.describe('Artifact id of the audio recording') }),
    effects: 'read',
    untrusted: true,
    async execute({ file }, ctx) {
      const source = await load(file, { kind: 'audio', field: 'file', store: storeOf(ctx) })
      const body = { model: models.transcription, file: toUpload(source) }
      const spends = { audioSeconds: secondsOf(source), model: models.transcription }
      return { text: await ask(ctx, { endpoint: '/audio/transcriptions', body, spends, read: readText }) }
    },
  })
}
