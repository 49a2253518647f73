import type { Endpoint, Reply, ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { checkModel, engineHeader } from '../models.js'

/** Speaks a text: `input`, `voice` (default `slt`), `format` (default `wav`) and `speed` (default 1). */
export const speak: Endpoint = async ({ fields, signal }) => {
  const headers = engineHeader(checkModel(fields.model, 'speech'))
  const text = parseInput(fields.input)
  const voice = parseVoice(fields.voice)
  const format = parseFormat(fields)
  const speed = parseSpeed(fields.speed)
  const speech = await loadSpeech()
  try {
    const sound = await speech.synthesize({ text, voice, speed, signal })
    return { headers, ...toBody(speech, sound, format) }
  } catch (error) {
    if (!(error instanceof speech.SpeechError)) throw error
    throw new ServiceError(400, error.code, error.message, params[error.code])
  }
}

type Speech = typeof import('@capstan/speech')
type Sound = Awaited<ReturnType<Speech['synthesize']>>

const params = {
  unknown_voice: 'voice',
  invalid_speed: 'speed',
  empty_text: 'input',
  text_too_long: 'input',
} as const
const formats = ['wav', 'pcm'] as const
type Format = (typeof formats)[number]

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

function parseVoice(voice: unknown = 'slt'): string {
  if (typeof voice === 'string') return voice
  throw new ServiceError(400, 'unknown_voice', '"voice" must be the name of a voice, such as "slt".', 'voice')
}

// The interface calls the field `format`; clients that know it as `response_format` are understood as well.
function parseFormat({ format, response_format }: ServiceRequest['fields']): Format {
  const param = format === undefined ? 'response_format' : 'format'
  const asked = format ?? response_format ?? 'wav'
  const known = formats.find((name) => name === asked)
  if (known) return known
  const message = `The format ${JSON.stringify(asked)} is not supported; there are: ${formats.join(', ')}. Others come later.`
  throw new ServiceError(400, 'unsupported_format', message, param)
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

async function loadSpeech(): Promise<Speech> {
  try {
    return await import('@capstan/speech')
  } catch (error) {
    if (!isNotInstalled(error)) throw error
    const message =
      'Speech is an optional part of this service. Install it beside it: npm install @capstan/speech'
    throw new ServiceError(501, 'speech_not_installed', message)
  }
}

// Only the package itself: something missing inside it is a fault, not a choice.
function isNotInstalled(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return /NOT_FOUND/.test(String(error.code)) && /'@capstan\/speech'/.test(error.message)
}

function toBody({ encodePcm, encodeWav }: Speech, sound: Sound, format: Format): Reply {
  if (format === 'wav') return { bytes: encodeWav(sound), mediaType: 'audio/wav' }
  return { bytes: encodePcm(sound), mediaType: `audio/pcm;rate=${sound.sampleRate};channels=1` }
}
