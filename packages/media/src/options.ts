import { type ArtifactStore, CapstanError } from '@capstan/core'
import { checkOptionNames, type OptionKind } from '@capstan/core/internal'
import type { MediaClient, MediaClientOptions } from './client/client.js'
import { type DialectOption, dialects } from './client/dialect.js'
import type { Allow } from './inputs/allow.js'
import {
  type ChosenFields,
  checkChosenFields,
  checkRequestFields,
  type RequestFields,
} from './request-fields.js'

/** The model for each kind of request. */
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
   * An `openai` client (version 6 or 7, including Azure's), or options for one. By default, `OPENAI_BASE_URL` and
   * `OPENAI_API_KEY` are used. The client is created at the first call. Its retries and timeout apply: `maxRetries`
   * (default 2), and `timeout` in milliseconds (default 10 minutes). The timeout applies first to the time until a
   * response starts, and then again to the time until the response ends.
   */
  readonly client?: MediaClient | MediaClientOptions
  /**
   * The models to use, by kind of request. The model that calls the tools cannot change them. Default: as in
   * `MediaModels`.
   */
  readonly models?: Partial<MediaModels>
  /**
   * The server's dialect: the name of a known dialect, or an object with the properties that differ from `interface`.
   * The dialect is adjusted if the server's errors show that it is wrong. Default `interface`.
   */
  readonly dialect?: DialectOption
  /** A folder with files, and hosts of URLs, that models may name in addition to artifact ids. Default: none. */
  readonly allow?: Allow
  /** The image sizes that a model supports, by model name: `{ 'gpt-image-1': ['1024x1024'] }`. Default: any. */
  readonly sizes?: Readonly<Record<string, readonly string[]>>
  /**
   * Whether a model with vision gets the created images in its next request, in an agent with `showImages()`; see
   * `fitPicture`. Default false: the model gets references.
   */
  readonly show?: boolean
  /**
   * Whether to create images and speech in the background, in an agent with `backgroundCalls()`. The run continues, and
   * the model gets the results later. Default false.
   */
  readonly background?: boolean
  /**
   * Whether to convert and scale down images that the server does not accept. Requires the package `sharp`. Default
   * false.
   */
  readonly convert?: boolean
  /**
   * The voice for calls to `speak` without a voice. Default: the first of `speech.voices`, or `alloy` if there are
   * none.
   */
  readonly voice?: string
  /** The audio container for calls to `speak` without a format. Default: the server chooses. */
  readonly format?: string
  /**
   * Additional request fields for each kind of request: `{ image: { quality: 'low' }, speech: { speed: 1.2 } }`.
   * Default: none.
   */
  readonly request?: RequestFields
  /**
   * Fields that the model may set in each call, as parameters of the tools: `{ speech: ['speed'] }`. Programs may pass
   * all fields to `call`. Default: none.
   */
  readonly parameters?: ChosenFields
  /** Limits for recordings. By default, a recording above 25 MB is sent in chunks of at most 2 minutes. */
  readonly audio?: AudioOptions
  /** Limits for speech. By default, text of more than 4096 characters is spoken in parts. */
  readonly speech?: SpeechOptions
  /**
   * The store for results and for the artifacts that ids refer to. Default: the run's store, or the store that is
   * passed to `call`. If there is no store, results of `call` contain their bytes, which `read()` returns.
   */
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

/** Whether a value can be `AudioOptions`. Callers without type checks may pass a recording by mistake. */
const isLimits = (value: unknown) =>
  typeof value === 'object' &&
  Object.getPrototypeOf(Object(value)) === Object.prototype &&
  !('id' in Object(value))

const optionKinds: Readonly<Record<keyof MediaOptions, OptionKind>> = {
  client: 'an object',
  models: 'an object',
  dialect: true,
  allow: 'an object',
  sizes: 'an object',
  show: 'true or false',
  background: 'true or false',
  convert: 'true or false',
  voice: 'a string',
  format: 'a string',
  request: 'an object',
  parameters: 'an object',
  audio: ['limits, such as { maxSeconds }, and file for the recording', isLimits],
  speech: 'an object',
  artifacts: 'memoryArtifacts()',
}

/** The options inside other options, by the name of the outer option. */
const innerKinds: Readonly<Record<string, Readonly<Record<string, OptionKind>>>> = {
  models: {
    image: 'a string',
    edit: 'a string',
    variation: 'a string',
    transcription: 'a string',
    translation: 'a string',
    speech: 'a string',
  } satisfies Readonly<Record<keyof MediaModels, OptionKind>>,
  allow: { folder: 'a string', hosts: 'an array: [one, two]', bytes: true, seconds: true } satisfies Readonly<
    Record<keyof Allow, OptionKind>
  >,
  audio: { maxBytes: true, maxSeconds: true, pieceSeconds: true, inFlight: true } satisfies Readonly<
    Record<keyof AudioOptions, OptionKind>
  >,
  speech: {
    maxCharacters: true,
    voices: 'an array: [one, two]',
    formats: 'an array: [one, two]',
  } satisfies Readonly<Record<keyof SpeechOptions, OptionKind>>,
}

/** Checks the names in a direct call: the tool's arguments and the options. @throws CapstanError for an unknown name */
export function checkCallNames(given: unknown, names: readonly string[]): void {
  const kinds = Object.fromEntries([...names, 'signal'].map((name) => [name, true as const]))
  // Lists arguments first. The schema checks their values.
  checkOptionNames(
    given,
    { ...kinds, ...optionKinds, ...kinds },
    {
      of: 'A media call',
      names: { ...argumentNames, ...otherNames },
    },
  )
}

/** Whether a value is meant as call arguments: it contains the required argument under any of its names. */
export function isCall(given: unknown, required: string): boolean {
  if (typeof given !== 'object' || given === null) return given !== undefined
  const others = argumentNames[required]?.split(' ') ?? []
  return Object.keys(given).some((name) => name === required || others.includes(name.toLowerCase()))
}

/** Checks the names and types of options, for callers without type checks. @throws CapstanError `invalid_request` */
export function checkMediaOptions(options: MediaOptions): void {
  const code = 'invalid_request'
  if (typeof Object(options).withOptions === 'function')
    throw new CapstanError(code, 'A media tool got a client instead of options. Pass { client }.')
  checkOptionNames(options, optionKinds, { of: 'A media tool', code, names: otherNames })
  for (const [name, kinds] of Object.entries(innerKinds))
    checkOptionNames(options[name as 'models'] ?? {}, kinds, { of: `${name} of a media tool`, code })
  const { client = {}, dialect = {}, request = {}, parameters = {} } = options
  checkRequestFields(request)
  checkChosenFields(parameters)
  if (!('withOptions' in client))
    checkOptionNames(
      client,
      { apiKey: true, baseURL: 'a string' },
      { of: 'client of a media tool', names: { baseURL: 'url endpoint', apiKey: 'key' }, code, isOpen: true },
    )
  if (typeof dialect !== 'string')
    checkOptionNames(dialect, dialectKinds, { of: 'dialect of a media tool', code })
  else if (!Object.hasOwn(dialects, dialect)) {
    const message = `dialect "${dialect}" is unknown. Use one of: ${Object.keys(dialects).join(', ')}.`
    throw new CapstanError(code, message, { evidence: { option: 'dialect' } })
  }
}

/** Options, with the names that other libraries or request fields use for them. */
const otherNames = {
  'client.apiKey': 'apikey key',
  'client.baseURL': 'baseurl url',
  'client.maxRetries': 'maxretries retries',
  'client.timeout': 'timeout timeoutms',
  'request.image.quality': 'quality',
  'request.image.background': 'background',
  'request.image.outputFormat': 'outputformat',
  'request.image.partialImages': 'partialimages',
  'request.image.seed': 'seed',
  'request.speech.speed': 'speed',
  'request.speech.instructions': 'instructions',
  'request.transcription.language': 'language',
  'request.transcription.timestamps': 'timestamps timestampgranularities',
  'request.transcription.subtitles': 'subtitles',
  request: 'provideroptions extrabody',
}

/** Call arguments, with the names that other libraries use for them, in lower case and without dashes. */
const argumentNames: Readonly<Record<string, string>> = {
  input: 'text',
  image: 'images',
  file: 'recording',
  outputFormat: 'outputformat responseformat',
  format: 'outputformat responseformat',
  size: 'aspectratio width height',
  timestamps: 'timestampgranularities',
  signal: 'abortsignal',
}

const dialectKinds: Readonly<Record<string, OptionKind>> = Object.fromEntries(
  Object.keys(dialects.interface).map((name) => [name, true]),
)

/** Limits for transcribing and translating recordings. */
export interface AudioOptions {
  /** Maximum size of one file in bytes. A larger recording is sent in chunks. Default 25 MB (25,000,000). */
  readonly maxBytes?: number
  /** Maximum duration of one file, in seconds. A longer recording is sent in chunks. Default: no limit. */
  readonly maxSeconds?: number
  /** Maximum duration of a chunk, in seconds. Default 120. */
  readonly pieceSeconds?: number
  /** Maximum number of concurrent requests for chunks. Default 2. */
  readonly inFlight?: number
}

export type AudioLimits = Required<AudioOptions>

/** Returns the options with defaults. @throws CapstanError `invalid_request` for an invalid limit */
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
      throw new CapstanError('invalid_request', `audio.${name} is ${value}. It must be at least ${from}.`)
  return { maxBytes, maxSeconds, pieceSeconds, inFlight }
}

/** Limits for speech. */
export interface SpeechOptions {
  /** Maximum characters in one request. Longer text is spoken in parts. Default 4096. */
  readonly maxCharacters?: number
  /** The allowed voices, by name. Default: the server decides. */
  readonly voices?: readonly string[]
  /** The allowed containers. Default: the server decides. */
  readonly formats?: readonly string[]
}

type SpeechLimits = SpeechOptions & { readonly maxCharacters: number }

/** Returns the options with defaults. @throws CapstanError `invalid_request` for an invalid limit */
export function toSpeechLimits(options: SpeechOptions = {}): SpeechLimits {
  const { maxCharacters = 4096 } = options
  if (maxCharacters >= 1) return { ...options, maxCharacters }
  throw new CapstanError(
    'invalid_request',
    `speech.maxCharacters is ${maxCharacters}. It must be at least 1.`,
  )
}

/** Checks that the voice and format are allowed. @throws CapstanError `invalid_arguments` if one is not */
export function checkSpeechNames(
  { voices, formats }: SpeechOptions,
  voice: string,
  format: string | undefined,
): void {
  checkName('voice', voice, voices)
  if (format !== undefined) checkName('format', format, formats)
}

function checkName(field: string, name: string, names: readonly string[] | undefined): void {
  if (!names || names.includes(name)) return
  const message = `Unknown ${field} "${name.slice(0, 60)}". Choose one of: ${names.join(', ')}.`
  throw new CapstanError('invalid_arguments', message, { evidence: { field } })
}
