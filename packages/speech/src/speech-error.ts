export type SpeechErrorCode = 'unknown_voice' | 'invalid_speed' | 'empty_text' | 'text_too_long'

/** A request that cannot be spoken; `code` is for programs, the message says what to change. */
export class SpeechError extends Error {
  override readonly name = 'SpeechError'

  constructor(
    readonly code: SpeechErrorCode,
    message: string,
  ) {
    super(message)
  }
}
