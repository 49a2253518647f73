import type { ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import type { SpeechPackage } from '../load-speech.js'
import { isRecord } from '../record.js'
import type { SpeakInput } from '../work/speak-task.js'

type Fields = ServiceRequest['fields']

export interface SpeechRequest extends SpeakInput {
  readonly mediaType: string
  /** Whether the sound is sent in server-sent events. */
  readonly events: boolean
}

/** The fields of a request for speech, checked; 400 naming the one that is wrong. */
export function parseSpeechFields(fields: Fields, speech: SpeechPackage): SpeechRequest {
  const text = parseInput(fields.input)
  const { name: voice, sampleRate } = orRefuse(speech, 'voice', () =>
    speech.parseVoice(parseName(fields.voice)),
  )
  const param = fields.format === undefined ? 'response_format' : 'format'
  const format = orRefuse(speech, param, () => speech.parseFormat(parseFormatName(fields[param], param)))
  // Flite takes none; a client that sends some is served all the same.
  if (fields.instructions !== undefined && typeof fields.instructions !== 'string') {
    throw new ServiceError(400, 'invalid_instructions', '"instructions" must be a text.', 'instructions')
  }
  return {
    text,
    voice,
    format,
    speed: parseSpeed(fields.speed),
    mediaType: speech.toMediaType(format, sampleRate),
    events: parseStreamFormat(fields.stream_format) === 'sse',
  }
}

function parseInput(input: unknown): string {
  if (typeof input !== 'string' || input.trim() === '') {
    throw new ServiceError(400, 'missing_input', 'Say what to speak: "input" is the text.', 'input')
  }
  if (input.length > 4096) {
    const message = `"input" has ${input.length} characters; at most 4096 are spoken at once. Send it in parts.`
    throw new ServiceError(400, 'input_too_long', message, 'input')
  }
  return input
}

// Clients name a voice by its name or as `{ id }`.
function parseName(voice: unknown = 'rms'): string {
  const name = isRecord(voice) ? voice.id : voice
  if (typeof name === 'string') return name
  throw new ServiceError(400, 'unknown_voice', '"voice" must be the name of a voice, such as "rms".', 'voice')
}

// The interface calls the field `format`; clients that know it as `response_format` are understood as well.
function parseFormatName(format: unknown = 'wav', param: string): string {
  if (typeof format === 'string') return format
  throw new ServiceError(
    400,
    'unsupported_format',
    `"${param}" must be the name of a format, such as "mp3".`,
    param,
  )
}

function orRefuse<T>({ SpeechError }: SpeechPackage, param: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof SpeechError)) throw error
    throw new ServiceError(400, error.code, error.message, param)
  }
}

function parseSpeed(speed: unknown = 1): number {
  if (typeof speed === 'number' && speed >= 0.25 && speed <= 4) return speed
  throw new ServiceError(
    400,
    'invalid_speed',
    '"speed" must be a number from 0.25 to 4; 1 is as usual.',
    'speed',
  )
}

function parseStreamFormat(format: unknown = 'audio'): 'audio' | 'sse' {
  if (format === 'audio' || format === 'sse') return format
  throw new ServiceError(
    400,
    'invalid_stream_format',
    '"stream_format" must be "audio" or "sse".',
    'stream_format',
  )
}
