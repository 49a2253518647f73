// Messages between this process and the one that holds a Whisper model.

import type { SpeechErrorCode } from '../speech-error.js'
import type { Sound } from '../wav.js'

export interface HearingRequest {
  readonly audio: Uint8Array | Sound
  /** A code such as `fr`, or `auto`. */
  readonly language: string
  /** Translates to English. */
  readonly translate: boolean
}

export interface Hearing {
  readonly text: string
  /** The code of the spoken language, given or detected. */
  readonly language: string
  /** Duration of the sound in seconds. */
  readonly duration: number
  readonly segments: readonly HeardSegment[]
}

export interface HeardSegment {
  readonly text: string
  /** Seconds from the start of the sound. */
  readonly start: number
  readonly end: number
}

/** The first reply reports that the model is loaded. Each further one answers a request. */
export type Answer =
  | { readonly ready: true }
  | { readonly hearing: Hearing }
  | { readonly failure: { readonly code: SpeechErrorCode; readonly message: string } }
