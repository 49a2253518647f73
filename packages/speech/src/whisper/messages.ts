// What this process and the one that holds a Whisper model say to each other.

import type { SpeechErrorCode } from '../speech-error.js'
import type { Sound } from '../wav.js'

export interface HearingRequest {
  readonly audio: Uint8Array | Sound
  /** A code such as `fr`, or `auto`. */
  readonly language: string
  /** To English. */
  readonly translate: boolean
}

export interface Hearing {
  readonly text: string
  /** The code of what was spoken, as told or as found out. */
  readonly language: string
  /** Seconds of sound. */
  readonly duration: number
  readonly segments: readonly HeardSegment[]
}

export interface HeardSegment {
  readonly text: string
  /** Seconds from the start of the sound. */
  readonly start: number
  readonly end: number
}

/** The first answer says that the model is loaded, each further one answers a request. */
export type Answer =
  | { readonly ready: true }
  | { readonly hearing: Hearing }
  | { readonly failure: { readonly code: SpeechErrorCode; readonly message: string } }
