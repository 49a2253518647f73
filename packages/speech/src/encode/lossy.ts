import { isNotInstalled } from '../is-not-installed.js'
import { SpeechError } from '../speech-error.js'
import type { Encoder } from './encoder.js'
import { inBlocks } from './in-blocks.js'

/**
 * An encoder to MP3 (LAME, 64 kbit/s) or Ogg Vorbis, through the optional package `wasm-media-encoders`.
 * Rejects with `encoder_not_installed` when that is not there.
 */
export async function createLossyEncoder(format: 'mp3' | 'ogg', sampleRate: number): Promise<Encoder> {
  const encoder = await startEncoder(format, sampleRate)
  // The bytes given out belong to the encoder, which writes over them.
  return inBlocks(blockSize, {
    encodeBlock: (samples) =>
      encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)]).slice(),
    finish: () => encoder.finalize().slice(),
  })
}

// Vorbis ends a page with each piece it is given: of one size, so that pieces leave no trace in the bytes.
const blockSize = 8192

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
