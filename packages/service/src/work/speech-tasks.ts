import type { Transcript, Translation } from '@capstan/speech'
import { ServiceError } from '../http/service-error.js'
import { loadSpeech, type SpeechPackage } from '../load-speech.js'
import type { TaskContext } from './jobs.js'

export interface TranscribeInput {
  /** An audio file. */
  readonly audio: Uint8Array
}

export interface TranslateInput extends TranscribeInput {
  /** The language code of the speech. Default: the language is detected. */
  readonly language?: string | undefined
}

/** Transcribes English speech. */
export function transcribe(input: TranscribeInput, { signal }: TaskContext): Promise<Transcript> {
  return withSpeech((speech) => speech.transcribe({ ...input, signal }))
}

/** Translates speech to English. */
export function translate(input: TranslateInput, { signal }: TaskContext): Promise<Translation> {
  return withSpeech((speech) => speech.translate({ ...input, signal }))
}

async function withSpeech<T>(use: (speech: SpeechPackage) => Promise<T>): Promise<T> {
  const speech = await loadSpeech()
  try {
    return await use(speech)
  } catch (error) {
    throw error instanceof speech.SpeechError ? toServiceError(error) : error
  }
}

/**
 * Converts a speech error to an error response with an HTTP status. The response names the field `file` or `language`.
 */
export function toServiceError({
  code,
  message,
}: Pick<InstanceType<SpeechPackage['SpeechError']>, 'code' | 'message'>): ServiceError {
  if (code === 'sherpa_not_installed') return new ServiceError(501, code, message)
  if (code === 'model_failed') return new ServiceError(500, code, message)
  return new ServiceError(400, code, message, code === 'unsupported_language' ? 'language' : 'file')
}

export interface SpeakInput {
  readonly text: string
  readonly voice: string
  readonly speed: number
  readonly format: string
}

/**
 * Yields the bytes of speech in a format. Yields each sentence when it is ready, but a WAV only when the entire speech
 * is ready.
 */
export async function* speak(
  { format, ...asked }: SpeakInput,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const speech = await loadSpeech()
  try {
    // WAV readers rely on the length in the header, which is known only at the end.
    if (format === 'wav') yield speech.encodeWav(await speech.synthesize({ ...asked, signal }))
    else yield* speech.speakStream({ ...asked, format, signal })
  } catch (error) {
    throw error instanceof speech.SpeechError ? toSpeakError(error) : error
  }
}

/**
 * Converts an error that occurred while speaking to an error response with an HTTP status. The response names the field
 * `input`.
 */
export function toSpeakError({
  code,
  message,
}: Pick<InstanceType<SpeechPackage['SpeechError']>, 'code' | 'message'>): ServiceError {
  if (code === 'encoder_not_installed') return new ServiceError(501, code, message)
  if (code === 'model_failed') return new ServiceError(500, code, message)
  return new ServiceError(400, code, message, 'input')
}
