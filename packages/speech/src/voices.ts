import { SpeechError } from './speech-error.js'

export interface Voice {
  readonly name: string
  /** The sample rate of this voice, per second. */
  readonly sampleRate: number
  readonly description: string
}

/** The Flite voices that can speak any text. They do not include the talking clock, which can only speak the time. */
export const voices: readonly Voice[] = [
  { name: 'rms', sampleRate: 16_000, description: 'American man' },
  { name: 'slt', sampleRate: 16_000, description: 'American woman' },
  { name: 'awb', sampleRate: 16_000, description: 'Scottish man' },
  { name: 'kal16', sampleRate: 16_000, description: 'American man, robotic, quickest' },
  { name: 'kal', sampleRate: 8_000, description: 'American man, robotic, telephone quality' },
]

/** The default voice. Recognisers understand it best. */
export const defaultVoice = 'rms'

/** Common names of voices in other services, with the built-in voice that each name selects. */
export const voiceAliases: Readonly<Record<string, string>> = {
  alloy: 'rms',
  ash: 'rms',
  ballad: 'awb',
  cedar: 'rms',
  coral: 'slt',
  echo: 'rms',
  fable: 'awb',
  marin: 'slt',
  nova: 'slt',
  onyx: 'rms',
  sage: 'slt',
  shimmer: 'slt',
  verse: 'awb',
}

/**
 * Returns the voice with this name or alias. Throws `unknown_voice` if there is none, because Flite itself would
 * silently use another voice.
 */
export function parseVoice(name: string): Voice {
  const own = Object.hasOwn(voiceAliases, name) ? voiceAliases[name] : name
  const voice = voices.find((candidate) => candidate.name === own)
  if (voice) return voice
  const names = voices.map((candidate) => candidate.name).join(', ')
  const aliases = Object.keys(voiceAliases).join(', ')
  throw new SpeechError(
    'unknown_voice',
    `There is no voice "${name}". Use a voice (${names}) or an alias (${aliases}).`,
  )
}
