import { join } from '../join.js'
import type { Sound } from '../wav.js'
import { encodePcm, encodeWav, toWavHeader } from '../wav.js'
import type { Encoder } from './encoder.js'
import { createFlacEncoder } from './flac.js'
import { parseFormat } from './formats.js'
import { inBlocks } from './in-blocks.js'
import { createLossyEncoder } from './lossy.js'

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
    blockSize,
    known === 'wav' ? { header: toWavHeader(sampleRate), encodeBlock } : { encodeBlock },
  )
}

/** The whole sound in a format, with its right length where the format says one. Rejects as `createEncoder` does. */
export async function encode(sound: Sound, format: string): Promise<Uint8Array> {
  if (format === 'wav') return encodeWav(sound)
  const encoder = await createEncoder(format, sound.sampleRate)
  return join([encoder.encode(sound.samples), encoder.finish()], Uint8Array)
}

const blockSize = 4096
