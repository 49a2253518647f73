import { hearingTool } from './hearing-tool.js'
import type { MediaOptions } from './media-options.js'

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
