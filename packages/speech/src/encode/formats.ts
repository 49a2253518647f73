import { SpeechError } from '../speech-error.js'

/** The containers that sound is written in, each with its media type. */
export const audioFormats = {
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  flac: 'audio/flac',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
} as const

export type AudioFormat = keyof typeof audioFormats

/** The format of this name; throws `unsupported_format` with the list. */
export function parseFormat(name: string): AudioFormat {
  if (Object.hasOwn(audioFormats, name)) return name as AudioFormat
  const list = Object.keys(audioFormats).join(', ')
  throw new SpeechError('unsupported_format', `No format "${name}". Formats: ${list}.`)
}

/** The media type of sound in this format; bare samples also say how they are to be read. */
export function toMediaType(format: AudioFormat, sampleRate: number): string {
  const bare = format === 'pcm' ? `;rate=${sampleRate};channels=1` : ''
  return audioFormats[format] + bare
}
