export type SpeechErrorCode =
  | 'unknown_voice'
  | 'invalid_speed'
  | 'empty_text'
  | 'text_too_long'
  | 'unsupported_format'
  | 'encoder_not_installed'
  | 'invalid_model'
  | 'sherpa_not_installed'
  | 'model_failed'
  | 'unsupported_audio'
  | 'invalid_audio'
  | 'audio_too_long'
  | 'unsupported_language'
  | 'not_in_phrase_book'

/** An error about text, audio or options. Programs can rely on `code`. The message says how to fix the problem. */
export class SpeechError extends Error {
  override readonly name = 'SpeechError'

  constructor(
    readonly code: SpeechErrorCode,
    message: string,
  ) {
    super(message)
  }
}

/**
 * Whether an import failed because this package is not installed. A module that is missing inside the package is a bug.
 */
export function isNotInstalled(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return /NOT_FOUND/.test(String(error.code)) && error.message.includes(`'${name}'`)
}
