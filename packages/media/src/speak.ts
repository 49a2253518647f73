import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import type { MediaOptions } from './media-options.js'
import { toMediaService } from './media-service.js'
import { readAudio } from './read-audio.js'

/**
 * The tool `speak`: reads a text aloud, resolves to `{ audio }`.
 * @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function speak(options: MediaOptions = {}) {
  const { models, ask } = toMediaService(options)
  return tool({
    name: 'speak',
    description: 'Turn text into spoken audio.',
    parameters: z.object({
      input: z.string().min(1).describe('The text to speak'),
      voice: z.string().min(1).describe('Name of the voice; leave out for the usual one').optional(),
      format: z
        .string()
        .min(1)
        .describe('Audio container, such as mp3 or wav; leave out for the usual one')
        .optional(),
    }),
    effects: 'read',
    async execute({ input, voice = options.voice ?? 'alloy', format = options.format }, ctx) {
      const body = { model: models.speech, voice, input, format }
      const spends = { characters: input.length, model: models.speech }
      return { audio: await ask(ctx, { endpoint: '/audio/speech', body, spends, read: readAudio }) }
    },
  })
}
