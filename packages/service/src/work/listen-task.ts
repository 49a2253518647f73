import type { Transcript, Translation } from '@capstan/speech'
import { ServiceError } from '../http/service-error.js'
import { loadSpeech, type SpeechPackage } from '../load-speech.js'
import type { TaskContext } from './answer-jobs.js'

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
