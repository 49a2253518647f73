import { SpeechError } from '../speech-error.js'
import type { Sound } from '../wav.js'
import type { Hearing, HearingRequest } from './messages.js'
import { findRecognizer, type RecognizerModel } from './model-folder.js'
import { startModel } from './start-model.js'

export interface HearOptions {
  /** The language code of the speech, such as `fr`. Default: `auto`, which lets the model detect the language. */
  readonly language?: string | undefined
  /** Stops the work immediately. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A recogniser that uses the user's own model. It handles one request at a time. */
export interface ModelRecognizer {
  /** Transcribes speech in its own language. */
  readonly transcribe: (audio: Uint8Array | Sound, options?: HearOptions) => Promise<Hearing>
  /**
   * Translates speech in any language to English. Rejects with `unsupported_language` if the model cannot translate. Of
   * the supported models, only multilingual Whisper models can.
   */
  readonly translate: (audio: Uint8Array | Sound, options?: HearOptions) => Promise<Hearing>
  /** Ends the model's thread and frees its memory. Rejects open requests. */
  readonly close: () => Promise<void>
}

/**
 * Loads a recogniser from a folder with a Whisper or Moonshine model in ONNX format. The recogniser runs in a separate
 * thread until you call `close()`. Reads nothing outside the folder. Rejects with `invalid_model` if a file is missing
 * or damaged, and with `sherpa_not_installed` if the package `sherpa-onnx` is not installed.
 */
export async function loadRecognizer(folder: string): Promise<ModelRecognizer> {
  const model = await findRecognizer(folder)
  const { ask, close } = await startModel<HearingRequest, Hearing>(model)
  return {
    async transcribe(audio, { language, signal } = {}) {
      return ask({ audio, language: parseLanguage(language, model), translate: false }, signal)
    },
    async translate(audio, { language, signal } = {}) {
      if (!model.languages || model.languages.length < 2) {
        const message =
          'This model does not translate. Use a multilingual Whisper model, without ".en" in its name.'
        throw new SpeechError('unsupported_language', message)
      }
      return ask({ audio, language: parseLanguage(language, model), translate: true }, signal)
    },
    close,
  }
}

function parseLanguage(
  language: string | undefined,
  { kind, languages }: RecognizerModel,
): string | undefined {
  if (languages?.length === 1) return parseOnly(languages[0] ?? '', language)
  if (language === undefined || language === 'auto') return undefined
  // Moonshine does not declare its language, so any language of the caller is accepted.
  if (kind === 'moonshine' || languages?.includes(language)) return language
  const message = `The model does not support the language "${language}". Use a code such as "fr", or "auto".`
  throw new SpeechError('unsupported_language', message)
}

function parseOnly(only: string, language: string | undefined): string {
  if (language === undefined || language === 'auto' || language === only) return only
  const message = `This model only supports "${only}", not "${language}". Use a multilingual model.`
  throw new SpeechError('unsupported_language', message)
}
