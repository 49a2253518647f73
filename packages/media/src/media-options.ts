import type { ArtifactStore } from '@capstan/core'
import type { AudioOptions } from './audio/audio-options.js'
import type { SpeechOptions } from './audio/speech-options.js'
import type { DialectOption } from './dialect.js'
import type { Allow } from './inputs/allow.js'
import type { MediaClient, MediaClientOptions } from './media-client.js'

/** Which model answers each kind of request. */
export interface MediaModels {
  /** Default `gpt-image-1`. */
  readonly image: string
  /** Default `gpt-image-1`. */
  readonly edit: string
  /** Default `dall-e-2`. */
  readonly variation: string
  /** Default `whisper-1`. */
  readonly transcription: string
  /** Default `whisper-1`. */
  readonly translation: string
  /** Default `gpt-4o-mini-tts`. */
  readonly speech: string
}

export interface MediaOptions {
  /**
   * An `openai` client (6 or 7, Azure's too), or the options of one. Default: the environment,
   * `OPENAI_BASE_URL` and `OPENAI_API_KEY`. Built from options at the first call, not before. Retries and deadlines
   * are the client's own: `maxRetries` (default 2) and `timeout` in milliseconds (default 10 minutes), for
   * the begin of an answer and once more for its end.
   */
  readonly client?: MediaClient | MediaClientOptions
  /** Models by kind of request; the model that calls the tools never chooses them. Default: those of `MediaModels`. */
  readonly models?: Partial<MediaModels>
  /**
   * What the server can do where servers differ: a known kind, or how it differs from the interface. What its refusals
   * tell is learned from then on. Default `interface`.
   */
  readonly dialect?: DialectOption
  /** What models may name besides artifact ids: files of a folder, addresses at hosts. Default nothing. */
  readonly allow?: Allow
  /** Sizes that a model of the service draws, by its name: `{ 'gpt-image-1': ['1024x1024'] }`. Default: any. */
  readonly sizes?: Readonly<Record<string, readonly string[]>>
  /**
   * Whether images that the tools make are shown to the model that called them, one that sees, in its next request: see
   * `show` of an agent for their bounds, and `fitPicture`. Default false: it reads references.
   */
  readonly show?: boolean
  /** Whether images that the server does not take are converted and scaled down, by the package `sharp`. Default false. */
  readonly convert?: boolean
  /** The voice of `speak` when a call names none. Default the first of `speech.voices`, else `alloy`. */
  readonly voice?: string
  /** The audio container of `speak` when a call names none. Default: the server's choice. */
  readonly format?: string
  /** How recordings are sent that are above the service's limits. Default: in pieces of at most 25 MB and 2 minutes. */
  readonly audio?: AudioOptions
  /** How texts are spoken: in parts above 4096 characters, in voices and containers that may be named. */
  readonly speech?: SpeechOptions
  /** Where results go and ids are looked up. Default: the run's own store, or the one given to `call`. */
  readonly artifacts?: ArtifactStore
}

export const defaultModels: MediaModels = {
  image: 'gpt-image-1',
  edit: 'gpt-image-1',
  variation: 'dall-e-2',
  transcription: 'whisper-1',
  translation: 'whisper-1',
  speech: 'gpt-4o-mini-tts',
}
