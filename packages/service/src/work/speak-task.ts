import { ServiceError } from '../http/service-error.js'
import { loadSpeech } from '../load-speech.js'

export interface SpeakInput {
  readonly text: string
  readonly voice: string
  readonly speed: number
  readonly format: string
}

/** Speaks a text, as bytes in the asked format: each sentence when it is spoken, a WAV as a whole. */
export async function* speak(
  { format, ...asked }: SpeakInput,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const speech = await loadSpeech()
  try {
    // Readers of WAV trust the length in its header, which is known at the end.
    if (format === 'wav') yield speech.encodeWav(await speech.synthesize({ ...asked, signal }))
    else yield* speech.speakStream({ ...asked, format, signal })
  } catch (error) {
    if (!(error instanceof speech.SpeechError)) throw error
    if (error.code === 'encoder_not_installed') throw new ServiceError(501, error.code, error.message)
    throw new ServiceError(400, error.code, error.message, 'input')
  }
}
