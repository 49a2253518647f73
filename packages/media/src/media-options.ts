import type { ArtifactStore } from '@capstan/core'
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
   * are the client's own: `maxRetries` (default 2) and `timeout` in milliseconds (default 10 minutes).
   */
  readonly client?: MediaClient | MediaClientOptions
  /** Models by kind of request; the model that calls the tools never chooses them. Default: those of `MediaModels`. */
  readonly models?: Partial<MediaModels>
  /** The voice of `speak` when a call names none. Default `alloy`. */
  readonly voice?: string
  /** The audio container of `speak` when a call names none. Default: the server's choice. */
  readonly format?: string
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
