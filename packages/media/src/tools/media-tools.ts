import type { MediaOptions } from '../options.js'
import { editImage } from './edit-image.js'
import { generateImage } from './generate-image.js'
import { speak } from './speak.js'
import { transcribeAudio, translateAudio } from './transcribe-audio.js'
import { varyImage } from './vary-image.js'

/**
 * Returns all six tools: `generate_image`, `edit_image`, `vary_image`, `transcribe_audio`, `translate_audio` and
 * `speak`.
 * @throws CapstanError `invalid_request` immediately if `client.baseURL` is not an http(s) URL
 */
export function mediaTools(options: MediaOptions = {}) {
  return [
    generateImage(options),
    editImage(options),
    varyImage(options),
    transcribeAudio(options),
    translateAudio(options),
    speak(options),
  ] as const
}
