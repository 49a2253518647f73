import { Readable } from 'node:stream'
import type { Endpoint, ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { isRecord } from '../json.js'
import { loadSpeech, type SpeechPackage } from '../load-speech.js'
import { type SpeakInput, toSpeakError } from '../work/speech-tasks.js'
import type { Work } from '../work/start-work.js'
import { checkModel, engineHeader, type ModelNames, ownEngine } from './models.js'
import type { Voice } from './own-models.js'

/**
 * Speaks text. Fields: `input`, `voice` (default `rms`), `format` (default `mp3` for the models `tts-1` and `tts-1-hd`,
 * otherwise `wav`), `speed` (default 1) and `stream_format` (default `audio`). Audio is sent while it is being
 * produced, except for WAV, which is sent when it is complete.
 */
export function speechEndpoint(work: Pick<Work, 'stream'>, models: ModelNames, voice?: Voice): Endpoint {
  const headers = engineHeader('speech', voice && ownEngine)
  return async ({ fields, signal }) => {
    const model = checkModel(fields.model, 'speech', models)
    const speech = await loadSpeech()
    const findVoice = voice ? (name: string) => findSpeaker(name, voice, speech) : speech.parseVoice
    const { mediaType, events, ...input } = parseSpeechFields(
      { response_format: usualFormat(model), ...fields },
      { speech, findVoice },
    )
    const stream = voice
      ? Readable.from(speakByModel(voice, input, signal), { highWaterMark: readAhead })
      : work.stream('speak', input, { signal })
    return events ? { headers, events: toEvents(stream) } : { headers, stream, mediaType }
  }
}

// How many sentences to speak ahead, so that a slow client does not block the voice.
const readAhead = 64

/** Returns the speaker with this name. Names of built-in voices and their aliases select the first speaker. */
function findSpeaker(
  name: string,
  { speakers, sampleRate }: Voice,
  { voices, voiceAliases, SpeechError }: SpeechPackage,
): Pick<BuiltInVoice, 'name' | 'sampleRate'> {
  const isUsual = Object.hasOwn(voiceAliases, name) || voices.some((voice) => voice.name === name)
  const known = speakers.includes(name) ? name : isUsual ? speakers[0] : undefined
  if (known !== undefined) return { name: known, sampleRate }
  const shown = speakers.slice(0, 60).join(', ')
  throw new SpeechError(
    'unknown_voice',
    `There is no voice "${name}". Use one that GET /v1/audio/voices lists: ${shown}.`,
  )
}

async function* speakByModel(
  model: Voice,
  { text, voice: speaker, speed, format }: SpeakInput,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { encodeWav, SpeechError } = await loadSpeech()
  const options = { text, speaker, speed, signal }
  try {
    // WAV readers rely on the length in the header, which is known only at the end.
    if (format === 'wav') yield encodeWav(await model.synthesize(options))
    else yield* model.speakStream({ ...options, format })
  } catch (error) {
    throw error instanceof SpeechError ? toSpeakError(error) : error
  }
}

// Programs for these models write the response to files with the extension .mp3.
function usualFormat(model: string): string | undefined {
  return /^tts-1(-hd)?(-|$)/.test(model) ? 'mp3' : undefined
}

async function* toEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const bytes of stream) {
    const audio = Buffer.from(bytes).toString('base64')
    yield JSON.stringify({ type: 'speech.audio.delta', audio })
  }
  // Clients expect these numbers, although Flite does not count tokens.
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  yield JSON.stringify({ type: 'speech.audio.done', usage })
}

type Fields = ServiceRequest['fields']

interface SpeechRequest extends SpeakInput {
  readonly mediaType: string
  /** Whether the audio is sent as server-sent events. */
  readonly events: boolean
}

interface Voices {
  readonly speech: SpeechPackage
  /** Finds a voice by name. Throws `unknown_voice` with the valid names. */
  readonly findVoice: (name: string) => Pick<BuiltInVoice, 'name' | 'sampleRate'>
}

type BuiltInVoice = ReturnType<SpeechPackage['parseVoice']>

/** Checks the fields of a speech request. Throws a 400 that names the invalid field. */
function parseSpeechFields(fields: Fields, { speech, findVoice }: Voices): SpeechRequest {
  const text = parseInput(fields.input)
  const { name: voice, sampleRate } = orRefuse(speech, 'voice', () => findVoice(parseName(fields.voice)))
  const param = fields.format === undefined ? 'response_format' : 'format'
  const format = orRefuse(speech, param, () => speech.parseFormat(parseFormatName(fields[param], param)))
  // Flite does not support instructions, so they have no effect.
  if (fields.instructions !== undefined && typeof fields.instructions !== 'string') {
    throw new ServiceError(400, 'invalid_instructions', '"instructions" must be a string.', 'instructions')
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
    throw new ServiceError(400, 'missing_input', '"input" is missing. Send the text to speak.', 'input')
  }
  if (input.length > 4096) {
    const message = `"input" has ${input.length} characters; the limit is 4096. Send it in parts.`
    throw new ServiceError(400, 'input_too_long', message, 'input')
  }
  return input
}

// Clients send either the name of a voice or `{ id }`.
function parseName(voice: unknown = 'rms'): string {
  const name = isRecord(voice) ? voice.id : voice
  if (typeof name === 'string') return name
  throw new ServiceError(400, 'unknown_voice', '"voice" must be the name of a voice, such as "rms".', 'voice')
}

// OpenAI's field is `response_format`. `format` is accepted too.
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
    '"speed" must be a number from 0.25 to 4; 1 is normal.',
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

/** Lists the available voices, with the default voice first. The entry of an alias contains the name of its voice. */
export function voicesEndpoint(voice?: Voice): Endpoint {
  return async () => {
    const { voiceAliases, voices } = await loadSpeech()
    const known = voice
      ? voice.speakers.map((id) => ({ id, object: 'voice', sample_rate: voice.sampleRate }))
      : voices.map(({ name, description, sampleRate }) => ({
          id: name,
          object: 'voice',
          description,
          language: 'en',
          sample_rate: sampleRate,
        }))
    const aliases = Object.entries(voiceAliases).map(([id, name]) => ({
      id,
      object: 'voice',
      alias_of: voice ? voice.speakers[0] : name,
    }))
    return { json: { object: 'list', data: [...known, ...aliases] } }
  }
}
