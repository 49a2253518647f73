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
 * The tool `translate_audio`: writes down in English what is said in another language, resolves to `{ text }`.
 * @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function translateAudio(options: MediaOptions = {}) {
  const { models, ask, storeOf } = toMediaService(options)
  return tool({
    name: 'translate_audio',
    description: 'Translate the speech in an audio recording, of any language, to English text.',
    parameters: z.object({ file: audioId.describe('Artifact id of the audio recording') }),
    effects: 'read',
    untrusted: true,
    async execute({ file }, ctx) {
      const source = await load(file, { kind: 'audio', field: 'file', store: storeOf(ctx) })
      const body = { model: models.translation, file: toUpload(source) }
      const spends = { audioSeconds: secondsOf(source), model: models.translation }
      return { text: await ask(ctx, { endpoint: '/audio/translations', body, spends, read: readText }) }
    },
  })
}
