import { isNotInstalled, SpeechError } from '../speech-error.js'
import { encodePcm, encodeWav, join, type Sound, toWavHeader } from '../wav.js'
import { type Encoder, inBlocks } from './encoder.js'
import { createFlacEncoder } from './flac.js'

/**
 * An encoder for sound that comes piece by piece; the same samples always give the same bytes. The header of a WAV is
 * written before its length is known: it says the greatest there is, as streams do. Rejects with `unsupported_format`,
 * or with `encoder_not_installed` for `mp3` and `ogg`.
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

/** The whole sound in a format, with its right length where the format says one. Rejects as `createEncoder` does. */
export async function encode(sound: Sound, format: string): Promise<Uint8Array> {
  if (format === 'wav') return encodeWav(sound)
  const encoder = await createEncoder(format, sound.sampleRate)
  return join([encoder.encode(sound.samples), encoder.finish()], Uint8Array)
}

const pcmBlockSize = 4096

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

/**
 * An encoder to MP3 (LAME, 64 kbit/s) or Ogg Vorbis, through the optional package `wasm-media-encoders`.
 * Rejects with `encoder_not_installed` when that is not there.
 */
async function createLossyEncoder(format: 'mp3' | 'ogg', sampleRate: number): Promise<Encoder> {
  const encoder = await startEncoder(format, sampleRate)
  // The bytes given out belong to the encoder, which writes over them.
  return inBlocks(lossyBlockSize, {
    encodeBlock: (samples) =>
      encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)]).slice(),
    finish: () => encoder.finalize().slice(),
  })
}

// Vorbis ends a page with each piece it is given: of one size, so that pieces leave no trace in the bytes.
const lossyBlockSize = 8192

async function startEncoder(format: 'mp3' | 'ogg', sampleRate: number) {
  const { createMp3Encoder, createOggEncoder } = await loadEncoders()
  if (format === 'mp3') {
    const encoder = await createMp3Encoder()
    encoder.configure({ channels: 1, sampleRate, bitrate: 64 })
    return encoder
  }
  const encoder = await createOggEncoder()
  // Without a number of its own each stream would get one by chance.
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
