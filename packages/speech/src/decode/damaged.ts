import { SpeechError } from '../speech-error.js'

/** The error for a file that is cut off or damaged; `why` is a sentence. */
export function damaged(why: string): SpeechError {
  return new SpeechError('invalid_audio', `The audio cannot be read. ${why} Send the whole file again.`)
}
