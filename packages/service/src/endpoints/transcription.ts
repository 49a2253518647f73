import { deflateSync } from 'node:zlib'
import type { Endpoint, Reply, ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { loadSpeech } from '../load-speech.js'
import { toServiceError } from '../work/speech-tasks.js'
import type { Work } from '../work/start-work.js'
import { countTokens } from './draft.js'
import { checkModel, engineHeader, type ModelNames, ownEngine } from './models.js'
import type { Recognizer } from './own-models.js'

/** The dependencies of the transcription endpoints. */
export interface TranscriptionDependencies {
  readonly work: Pick<Work, 'run'>
  /** The user's own model, already loaded. It replaces the built-in recogniser. */
  readonly recognizer?: Recognizer | undefined
  /** The model names that requests may use. Default: any. */
  readonly models?: ModelNames
}

type Transcribe = (request: TranscriptionRequest, signal: AbortSignal) => Promise<TranscriptText>

/**
 * Creates the endpoints for transcription and for translation to English. Fields: `file`, `language`,
 * `response_format`, `stream` and `timestamp_granularities`. `prompt` and `temperature` have no effect.
 */
export function transcriptionEndpoints({ work, recognizer, models = 'any' }: TranscriptionDependencies) {
  const headers = engineHeader('listening', recognizer && ownEngine)
  const toEndpoint =
    (listen: Transcribe): Endpoint =>
    async (request) => {
      const asked = parseTranscriptionFields(request, models)
      await loadSpeech()
      const heard = await listen(asked, request.signal)
      return { headers, ...renderTranscript(heard, asked) }
    }
  return recognizer
    ? {
        transcribe: toEndpoint(transcribeByModel(recognizer, 'transcribe')),
        translate: toEndpoint(transcribeByModel(recognizer, 'translate')),
      }
    : { transcribe: toEndpoint(transcribeWith(work)), translate: toEndpoint(translateWith(work)) }
}

function transcribeWith(work: Pick<Work, 'run'>): Transcribe {
  return async ({ audio, language = 'en' }, signal) => {
    if (language !== 'en') {
      const message = `The recogniser only supports English, not "${language}". For other languages, start the service with --recognizer FOLDER.`
      throw new ServiceError(400, 'unsupported_language', message, 'language')
    }
    return { task: 'transcribe', language, ...(await work.run('transcribe', { audio }, { signal })) }
  }
}

function translateWith(work: Pick<Work, 'run'>): Transcribe {
  return async ({ audio, language }, signal) => ({
    task: 'translate',
    ...(await work.run('translate', { audio, language }, { signal })),
  })
}

function transcribeByModel(recognizer: Recognizer, task: 'transcribe' | 'translate'): Transcribe {
  return async ({ audio, language }, signal) => {
    try {
      return { task, ...(await recognizer[task](audio, { language, signal })) }
    } catch (error) {
      const { SpeechError } = await loadSpeech()
      throw error instanceof SpeechError ? toServiceError(error) : error
    }
  }
}

const transcriptFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const

type TranscriptFormat = (typeof transcriptFormats)[number]

/** A transcription request. Its fields have been checked. */
interface TranscriptionRequest {
  readonly model: string
  readonly audio: Uint8Array
  readonly format: TranscriptFormat
  /** A language code such as `en`, in lower case and without a country. Undefined if the request has none. */
  readonly language: string | undefined
  /** Whether the text is sent as server-sent events. */
  readonly events: boolean
  /** What has timestamps in `verbose_json`: `word`, `segment` or both. Default: both. */
  readonly granularities: readonly string[]
}

/** Checks the fields of a transcription request. Throws a 400 that names the invalid field. `prompt` has no effect. */
function parseTranscriptionFields(
  { fields, files }: ServiceRequest,
  models: ModelNames,
): TranscriptionRequest {
  const model = checkModel(fields.model, 'listening', models)
  const audio = parseFile(files)
  const format = parseFormat(fields.response_format)
  const language = parseLanguage(fields.language)
  if (fields.prompt !== undefined && typeof fields.prompt !== 'string') {
    throw new ServiceError(400, 'invalid_prompt', '"prompt" must be a string.', 'prompt')
  }
  checkTemperature(fields.temperature)
  const given = fields['timestamp_granularities[]'] ?? fields.timestamp_granularities
  const granularities = parseGranularities(given, format)
  return { model, audio, format, language, events: parseStream(fields.stream, format), granularities }
}

// Any value other than true and false has already been rejected.
function parseStream(stream: unknown, format: TranscriptFormat): boolean {
  if (stream !== 'true') return false
  if (format === 'json' || format === 'text') return true
  const message = '"stream" requires "response_format" to be "json" or "text".'
  throw new ServiceError(400, 'unsupported_stream', message, 'stream')
}

function parseFile({ file }: ServiceRequest['files']): Uint8Array {
  if (!file) {
    const message = 'Send the audio as a file in the form field "file".'
    throw new ServiceError(400, 'missing_file', message, 'file')
  }
  if (file.bytes.length > 0) return file.bytes
  throw new ServiceError(400, 'empty_file', 'The file in the form field "file" is empty.', 'file')
}

function parseFormat(format: unknown = 'json'): TranscriptFormat {
  const known = transcriptFormats.find((name) => name === format)
  if (known) return known
  const message = `"response_format" is ${JSON.stringify(format)}. Use one of: ${transcriptFormats.join(', ')}.`
  throw new ServiceError(400, 'unsupported_response_format', message, 'response_format')
}

// Clients send a language code, with or without a country, or the English name of the language.
function parseLanguage(language: unknown): string | undefined {
  if (language === undefined || language === '') return undefined
  const [, code] = /^([a-z]{2,3})(?:[-_][a-z0-9]+)*$/i.exec(String(language)) ?? []
  const found = names[String(language).toLowerCase()] ?? code?.toLowerCase()
  if (found) return found
  const message = '"language" must be a language code, such as "en".'
  throw new ServiceError(400, 'invalid_language', message, 'language')
}

const names: Readonly<Record<string, string>> = { english: 'en', spanish: 'es', italian: 'it' }

function checkTemperature(temperature: unknown): void {
  const isNumber =
    temperature === undefined || (String(temperature).trim() !== '' && isIn(Number(temperature)))
  if (isNumber) return
  throw new ServiceError(
    400,
    'invalid_temperature',
    '"temperature" must be a number from 0 to 1.',
    'temperature',
  )
}

function isIn(temperature: number): boolean {
  return temperature >= 0 && temperature <= 1
}

const granularities = ['word', 'segment']

// Responses contain both, unless only one of them is requested.
function parseGranularities(asked: unknown, format: TranscriptFormat): readonly string[] {
  if (asked === undefined) return granularities
  const param = 'timestamp_granularities[]'
  const wrong = [asked].flat().find((one) => !granularities.includes(String(one)))
  if (wrong !== undefined) {
    const message = `"${param}" may contain only "word" and "segment", not ${JSON.stringify(wrong)}.`
    throw new ServiceError(400, 'invalid_timestamp_granularities', message, param)
  }
  if (format === 'verbose_json') return [asked].flat().map(String)
  const message = `"${param}" requires "response_format" to be "verbose_json".`
  throw new ServiceError(400, 'invalid_timestamp_granularities', message, param)
}

/** A transcript, from any engine. */
interface TranscriptText {
  readonly task: 'transcribe' | 'translate'
  readonly text: string
  /** The code of the spoken language. */
  readonly language: string
  /** The duration in seconds. */
  readonly duration: number
  readonly segments: readonly TranscriptPart[]
  /** The start and end of each word in seconds. Absent if the engine does not report them. */
  readonly words?: readonly { readonly word: string; readonly start: number; readonly end: number }[]
}

interface TranscriptPart {
  readonly text: string
  /** The time from the start of the audio, in seconds. */
  readonly start: number
  readonly end: number
  /** The confidence from 0 to 1. Absent if the engine does not report it. */
  readonly confidence?: number
}

/** Formats a transcript as requested. */
function renderTranscript(heard: TranscriptText, request: TranscriptionRequest): Reply {
  const { format, model, events, granularities } = request
  if (events) return { events: toEvents(heard) }
  switch (format) {
    case 'json':
      return { json: { text: heard.text, usage: toUsage(heard, model) } }
    case 'verbose_json':
      return { json: toVerbose(heard, granularities) }
    case 'text':
      return toText(`${heard.text}\n`, 'text/plain')
    case 'srt':
      return toText(heard.segments.map(toSrtCue).join('\n'), 'application/x-subrip')
    case 'vtt':
      return toText(['WEBVTT\n', ...heard.segments.map(toVttCue)].join('\n'), 'text/vtt')
  }
}

// Yields one event per word, with the space before the word.
function* toEvents({ text, duration }: TranscriptText): Generator<string> {
  for (const delta of text.match(/\s*\S+/g) ?? [])
    yield JSON.stringify({ type: 'transcript.text.delta', delta })
  yield JSON.stringify({ type: 'transcript.text.done', text, usage: toTokens(text, duration) })
}

// Whisper is billed by the second, and later models by tokens.
function toUsage({ text, duration }: TranscriptText, model: string): object {
  return /whisper/i.test(model)
    ? { type: 'duration', seconds: Math.ceil(duration) }
    : toTokens(text, duration)
}

const audioTokensPerSecond = 10

function toTokens(text: string, duration: number): object {
  const input_tokens = Math.ceil(duration * audioTokensPerSecond)
  const output_tokens = countTokens(text)
  return {
    type: 'tokens',
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_token_details: { audio_tokens: input_tokens, text_tokens: 0 },
  }
}

function toText(text: string, mediaType: string): Reply {
  return { bytes: new TextEncoder().encode(text), mediaType: `${mediaType}; charset=utf-8` }
}

const languageNames: Readonly<Record<string, string>> = { en: 'english', es: 'spanish', it: 'italian' }

function toVerbose(heard: TranscriptText, granularities: readonly string[]) {
  const { task, text, language, duration, segments, words } = heard
  return {
    task,
    language: languageNames[language] ?? language,
    duration,
    text,
    ...(granularities.includes('segment') && { segments: segments.map(toSegment) }),
    usage: { type: 'duration', seconds: Math.ceil(duration) },
    ...(words &&
      granularities.includes('word') && {
        words: words.map(({ word, start, end }) => ({ word, start, end })),
      }),
  }
}

function toSegment({ text, start, end, confidence }: TranscriptPart, id: number) {
  return {
    id,
    seek: 0,
    start,
    end,
    text,
    tokens: [],
    temperature: 0,
    // Clients filter by these numbers. If the engine does not report its confidence, the numbers pass every filter.
    avg_logprob: Math.log(Math.max(confidence ?? 1, 0.001)),
    compression_ratio: compressionOf(text),
    no_speech_prob: 0,
    ...(confidence !== undefined && { confidence }),
  }
}

// Whisper tends to repeat itself. Repetitions have a high ratio.
function compressionOf(text: string): number {
  const bytes = Buffer.from(text)
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length
}

function toSrtCue({ text, start, end }: TranscriptPart, index: number): string {
  return `${index + 1}\n${toTime(start).replace('.', ',')} --> ${toTime(end).replace('.', ',')}\n${text}\n`
}

function toVttCue({ text, start, end }: TranscriptPart): string {
  return `${toTime(start)} --> ${toTime(end)}\n${text}\n`
}

function toTime(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = (seconds % 60).toFixed(3).padStart(6, '0')
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}:${rest}`
}
