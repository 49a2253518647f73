import { type ArtifactStore, CapstanError } from '@capstan/core'
import type { MediaClient, MediaClientOptions } from './client/client.js'
import type { DialectOption } from './client/dialect.js'
import type { Allow } from './inputs/allow.js'

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

/** How long recordings are transcribed and translated. */
export interface AudioOptions {
  /** What the service takes at most in one file, in bytes. Above it a recording is sent in pieces. Default 25 MB (25,000,000). */
  readonly maxBytes?: number
  /** What the service takes at most in one file, in seconds. Default: no limit. */
  readonly maxSeconds?: number
  /** How long the pieces of a recording are at most that is above a limit, in seconds. Default 120. */
  readonly pieceSeconds?: number
  /** How many pieces are sent at one time. Default 2. */
  readonly inFlight?: number
}

export type AudioLimits = Required<AudioOptions>

/** The options with their defaults. @throws CapstanError `invalid_request` for a limit that cannot be one */
export function toAudioLimits(options: AudioOptions = {}): AudioLimits {
  const {
    maxBytes = 25_000_000,
    maxSeconds = Number.POSITIVE_INFINITY,
    pieceSeconds = 120,
    inFlight = 2,
  } = options
  const least = {
    maxBytes: [maxBytes, 10_000],
    maxSeconds: [maxSeconds, 1],
    pieceSeconds: [pieceSeconds, 1],
    inFlight: [inFlight, 1],
  } as const
  for (const [name, [value, from]] of Object.entries(least))
    if (!(value >= from))
      throw new CapstanError('invalid_request', `audio.${name} is ${value}; give a number from ${from} up.`)
  return { maxBytes, maxSeconds, pieceSeconds, inFlight }
}

/** How texts are spoken. */
export interface SpeechOptions {
  /** What the service speaks at most at once, in characters. A longer text is spoken in parts. Default 4096. */
  readonly maxCharacters?: number
  /** Names of the voices that may be asked for. Default: the server decides. */
  readonly voices?: readonly string[]
  /** Containers that may be asked for. Default: the server decides. */
  readonly formats?: readonly string[]
}

type SpeechLimits = SpeechOptions & { readonly maxCharacters: number }

/** The options with their defaults. @throws CapstanError `invalid_request` for a limit that cannot be one */
export function toSpeechLimits(options: SpeechOptions = {}): SpeechLimits {
  const { maxCharacters = 4096 } = options
  if (maxCharacters >= 1) return { ...options, maxCharacters }
  throw new CapstanError(
    'invalid_request',
    `speech.maxCharacters is ${maxCharacters}; give a number from 1 up.`,
  )
}

/** @throws CapstanError `invalid_arguments` for a voice or format that is not among those the options name */
export function checkSpeech(
  { voices, formats }: SpeechOptions,
  voice: string,
  format: string | undefined,
): void {
  checkName('voice', voice, voices)
  if (format !== undefined) checkName('format', format, formats)
}

function checkName(field: string, name: string, names: readonly string[] | undefined): void {
  if (!names || names.includes(name)) return
  const message = `There is no ${field} "${name.slice(0, 60)}". There are: ${names.join(', ')}.`
  throw new CapstanError('invalid_arguments', message, { evidence: { field } })
}
