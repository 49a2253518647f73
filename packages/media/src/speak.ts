import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { sayParts } from './audio/say-parts.js'
import { checkSpeech, toSpeechLimits } from './audio/speech-options.js'
import { splitText } from './audio/split-text.js'
import type { MediaOptions } from './media-options.js'
import { toMediaService } from './media-service.js'
import { readAudio } from './read-audio.js'

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
