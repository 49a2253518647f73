import { hearingTool } from './hearing-tool.js'
import type { MediaOptions } from './media-options.js'

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
