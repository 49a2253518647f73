// Messages between the main thread and the thread that runs a model.

import type { SpeechErrorCode } from '../speech-error.js'
import type { Sound } from '../wav.js'
import type { RecognizerModel, VoiceModel } from './model-folder.js'

/** The model that a thread loads when it starts. */
export type ModelToLoad = VoiceModel | RecognizerModel

export interface SpeakRequest {
  /** One sentence. */
  readonly text: string
  /** The index of a speaker. */
  readonly speaker: number
  readonly speed: number
  /** The language for Kokoro. Undefined for American English. */
  readonly language: string | undefined
}

export interface HearingRequest {
  readonly audio: Uint8Array | Sound
  /** A language code that the model supports, or undefined to detect the language. */
  readonly language: string | undefined
  /** Whether to translate to English. */
  readonly translate: boolean
}

export interface Hearing {
  readonly text: string
  /** The language code of the speech, given or detected. `und` if the model does not report it. */
  readonly language: string
  /** The duration of the audio in seconds. */
  readonly duration: number
  readonly segments: readonly HeardSegment[]
}

export interface HeardSegment {
  readonly text: string
  /** The time from the start of the audio, in seconds. */
  readonly start: number
  readonly end: number
}

/** The first reply reports that the model is loaded. Each later reply answers a request. */
export type Answer<Result> =
  | { readonly ready: true }
  | { readonly result: Result }
  | { readonly failure: { readonly code: SpeechErrorCode; readonly message: string } }
