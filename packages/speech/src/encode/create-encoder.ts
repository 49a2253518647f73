import { isNotInstalled, SpeechError } from '../speech-error.js'
import { encodePcm, encodeWav, join, type Sound, toWavHeader } from '../wav.js'
import { type Encoder, inBlocks } from './encoder.js'
import { createFlacEncoder } from './flac.js'

/**
 * Creates an encoder for samples that arrive in pieces. The same samples always result in the same bytes. The header of
 * a WAV is written before the length is known, so it contains the maximum length. Rejects with `unsupported_format`, or
 * with `encoder_not_installed` for `mp3` and `ogg`.
 */
export async function createEncoder(format: string, sampleRate: number): Promise<Encoder> {
  const known = parseFormat(format)
  if (known === 'flac') return createFlacEncoder(sampleRate)
  if (known === 'mp3' || known === 'ogg') return createLossyEncoder(known, sampleRate)
  const encodeBlock = (samples: Int16Array) => encodePcm({ samples })
  return inBlocks(
    pcmBlockSize,
    known === 'wav' ? { header: toWavHeader(sampleRate), encodeBlock } : { encodeBlock },
  )
}

/**
 * Encodes complete audio. If the format supports it, the header contains the length. Rejects in the same cases as
 * `createEncoder`.
 */
export async function encode(sound: Sound, format: string): Promise<Uint8Array> {
  if (format === 'wav') return encodeWav(sound)
  const encoder = await createEncoder(format, sound.sampleRate)
  return join([encoder.encode(sound.samples), encoder.finish()], Uint8Array)
}

const pcmBlockSize = 4096

/** The supported formats and their media types. */
export const audioFormats = {
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  flac: 'audio/flac',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
} as const

export type AudioFormat = keyof typeof audioFormats

/** Returns the format with this name. If there is none, throws `unsupported_format` with the valid names. */
export function parseFormat(name: string): AudioFormat {
  if (Object.hasOwn(audioFormats, name)) return name as AudioFormat
  const list = Object.keys(audioFormats).join(', ')
  throw new SpeechError('unsupported_format', `There is no format "${name}". Use one of: ${list}.`)
}

/** Returns the media type of audio in a format. For raw samples, it includes the rate and the channels. */
export function toMediaType(format: AudioFormat, sampleRate: number): string {
  const bare = format === 'pcm' ? `;rate=${sampleRate};channels=1` : ''
  return audioFormats[format] + bare
}

/**
 * Creates an encoder for MP3 (LAME, 64 kbit/s) or Ogg Vorbis from the optional package `wasm-media-encoders`. Rejects
 * with `encoder_not_installed` if the package is missing.
 */
async function createLossyEncoder(format: 'mp3' | 'ogg', sampleRate: number): Promise<Encoder> {
  const encoder = await startEncoder(format, sampleRate)
  // The encoder reuses the returned buffer.
  return inBlocks(lossyBlockSize, {
    encodeBlock: (samples) =>
      encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)]).slice(),
    finish: () => encoder.finalize().slice(),
  })
}

// The encoder ends a Vorbis page with each piece. With pieces of a fixed size, the output does not depend on how the
// input was split.
const lossyBlockSize = 8192

async function startEncoder(format: 'mp3' | 'ogg', sampleRate: number) {
  const { createMp3Encoder, createOggEncoder } = await loadEncoders()
  if (format === 'mp3') {
    const encoder = await createMp3Encoder()
    encoder.configure({ channels: 1, sampleRate, bitrate: 64 })
    return encoder
  }
  const encoder = await createOggEncoder()
  // Without an explicit number, each stream would get a random one.
  encoder.configure({ channels: 1, sampleRate, oggSerialNo: 1 })
  return encoder
}

async function loadEncoders() {
  try {
    return await import('wasm-media-encoders')
  } catch (error) {
    if (!isNotInstalled(error, 'wasm-media-encoders')) throw error
    const message = 'MP3 and Ogg need an optional package. Install it: npm install wasm-media-encoders'
    throw new SpeechError('encoder_not_installed', message)
  }
}
