import { damaged } from './damaged.js'
import type { Stretch } from './stretch.js'

/** What the decoders of mp3, FLAC and Ogg Vorbis have in common. */
export interface PartsDecoder {
  readonly ready: Promise<void>
  readonly decode: (part: Uint8Array) => Decoded | Promise<Decoded>
  readonly flush?: () => Decoded | Promise<Decoded>
  readonly free: () => void
}

interface Decoded {
  readonly channelData: Float32Array[]
  readonly sampleRate: number
  readonly samplesDecoded: number
  readonly errors: readonly { readonly message: string }[]
}

// Silence packs so tightly that 64 kB of a FLAC file can stand for 4 GB of samples, all made at once.
const partSize = 4096

/** Decodes a file part by part, so that a long one is never in memory as a whole; the decoder is freed in the end. */
export async function* decodeInParts(decoder: PartsDecoder, bytes: Uint8Array): AsyncGenerator<Stretch> {
  await decoder.ready
  try {
    for (let at = 0; at < bytes.length; at += partSize) {
      yield* toStretch(await decoder.decode(bytes.subarray(at, at + partSize)))
    }
    if (decoder.flush) yield* toStretch(await decoder.flush())
  } finally {
    decoder.free()
  }
}

function* toStretch({ channelData, sampleRate, samplesDecoded, errors }: Decoded): Generator<Stretch> {
  if (errors[0]) throw damaged(`A part of it does not decode (${errors[0].message}).`)
  if (samplesDecoded > 0) yield { channels: channelData, sampleRate }
}
