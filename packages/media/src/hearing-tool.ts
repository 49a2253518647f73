import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { audioId } from './artifact-ids.js'
import { toAudioLimits } from './audio/audio-options.js'
import { hear } from './audio/hear.js'
import { sourcesOf } from './inputs/allow.js'
import { withInputs } from './inputs/with-inputs.js'
import type { MediaOptions } from './media-options.js'
import { toMediaService } from './media-service.js'

/** What sets a tool that listens apart. */
export interface Hearing<Name extends string> {
  readonly name: Name
  readonly description: string
  readonly endpoint: 'transcriptions' | 'translations'
  /** Whose model is asked. */
  readonly by: 'transcription' | 'translation'
}

/** A tool that writes down what a recording says: words of strangers. */
export function hearingTool<const Name extends string>(
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
