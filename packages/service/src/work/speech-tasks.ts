import type { Transcript, Translation } from '@capstan/speech'
import { ServiceError } from '../http/service-error.js'
import { loadSpeech, type SpeechPackage } from '../load-speech.js'
import type { TaskContext } from './jobs.js'

export interface TranscribeInput {
  /** An audio file. */
  readonly audio: Uint8Array
}

export interface TranslateInput extends TranscribeInput {
  /** The code of what is spoken. Default: found out. */
  readonly language?: string | undefined
}

/** Writes down English speech. */
export function transcribe(input: TranscribeInput, { signal }: TaskContext): Promise<Transcript> {
  return withSpeech((speech) => speech.transcribe({ ...input, signal }))
}

/** Says in English what was spoken. */
export function translate(input: TranslateInput, { signal }: TaskContext): Promise<Translation> {
  return withSpeech((speech) => speech.translate({ ...input, signal }))
}

async function withSpeech<T>(use: (speech: SpeechPackage) => Promise<T>): Promise<T> {
  const speech = await loadSpeech()
  try {
    return await use(speech)
  } catch (error) {
    throw error instanceof speech.SpeechError ? toListeningError(error) : error
  }
}

/** A failure to hear as the client is told of it. */
export function toListeningError({
  code,
  message,
}: Pick<InstanceType<SpeechPackage['SpeechError']>, 'code' | 'message'>): ServiceError {
  if (code === 'whisper_not_installed') return new ServiceError(501, code, message)
  if (code === 'whisper_failed') return new ServiceError(500, code, message)
  return new ServiceError(400, code, message, code === 'unsupported_language' ? 'language' : 'file')
}

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
