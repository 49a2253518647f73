import type { ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { checkModel, type ModelEntry } from '../models.js'

/** The forms in which a transcript is given. */
export const transcriptFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const

export type TranscriptFormat = (typeof transcriptFormats)[number]

/** A request for listening, checked. */
export interface ListeningRequest {
  readonly model: ModelEntry
  readonly audio: Uint8Array
  readonly format: TranscriptFormat
  /** A code such as `en`, in lower case and without a country; nothing when none was sent. */
  readonly language: string | undefined
}

/** The fields of a request for listening; 400 naming the one that is wrong. `prompt` is taken and not used. */
export function parseListeningFields({ fields, files }: ServiceRequest): ListeningRequest {
  const model = checkModel(fields.model, 'listening')
  const audio = parseFile(files)
  const format = parseFormat(fields.response_format)
  const language = parseLanguage(fields.language)
  if (fields.prompt !== undefined && typeof fields.prompt !== 'string') {
    throw new ServiceError(400, 'invalid_prompt', '"prompt" must be a text.', 'prompt')
  }
  checkTemperature(fields.temperature)
  checkGranularities(fields['timestamp_granularities[]'] ?? fields.timestamp_granularities, format)
  return { model, audio, format, language }
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
  const message = `No response format ${JSON.stringify(format)}. Formats: ${transcriptFormats.join(', ')}.`
  throw new ServiceError(400, 'unsupported_response_format', message, 'response_format')
}

// Clients send a code, with or without a country, or the name in English.
function parseLanguage(language: unknown): string | undefined {
  if (language === undefined || language === '') return undefined
  const [, code] = /^([a-z]{2,3})(?:[-_][a-z0-9]+)*$/i.exec(String(language)) ?? []
  const found = names[String(language).toLowerCase()] ?? code?.toLowerCase()
  if (found) return found
  const message = '"language" must be the code of a language, such as "en".'
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

// Both are always given: what is asked for is only checked.
function checkGranularities(asked: unknown, format: TranscriptFormat): void {
  if (asked === undefined) return
  const param = 'timestamp_granularities[]'
  const wrong = [asked].flat().find((one) => !granularities.includes(String(one)))
  if (wrong !== undefined) {
    const message = `"${param}" may be "word" and "segment", not ${JSON.stringify(wrong)}.`
    throw new ServiceError(400, 'invalid_timestamp_granularities', message, param)
  }
  if (format === 'verbose_json') return
  const message = `"${param}" needs "response_format" to be "verbose_json".`
  throw new ServiceError(400, 'invalid_timestamp_granularities', message, param)
}
