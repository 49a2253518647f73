import { SpeechError } from './speech-error.js'

export interface Voice {
  readonly name: string
  /** The samples per second that this voice produces. */
  readonly sampleRate: number
  readonly description: string
}

/** The Flite voices that can speak any text. The talking clock, which only speaks the time, is omitted. */
export const voices: readonly Voice[] = [
  { name: 'rms', sampleRate: 16_000, description: 'American man' },
  { name: 'slt', sampleRate: 16_000, description: 'American woman' },
  { name: 'awb', sampleRate: 16_000, description: 'Scottish man' },
  { name: 'kal16', sampleRate: 16_000, description: 'American man, robotic, quickest' },
  { name: 'kal', sampleRate: 8_000, description: 'American man, robotic, telephone quality' },
]

/** The default voice: the one that recognisers understand best. */
export const defaultVoice = 'rms'

/** Common voice names of other services, with the built-in voice that each selects. */
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
 * Returns the voice with this name or alias. Throws `unknown_voice`, because Flite itself would silently use a
 * different one.
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
