import { SpeechError } from '../speech-error.js'
import type { Sound } from '../wav.js'
import { type AudioKind, audioKind, tagSize } from './audio-kind.js'
import { damaged } from './damaged.js'
import { decodeInParts } from './decode-in-parts.js'
import { decodeOpus } from './decode-opus.js'
import { withFlacLength } from './flac-length.js'
import { type GatherOptions, gather } from './gather.js'
import { checkOggPages, isOgg, oggPackets } from './ogg-pages.js'
import { parseWav } from './parse-wav.js'
import type { Stretch } from './stretch.js'
import { parseWebm } from './webm-opus.js'

/** The kinds of audio files that can be heard. */
export const audioKinds = ['wav', 'mp3', 'flac', 'ogg (vorbis, opus)', 'webm (opus)'] as const

/**
 * The sound in an audio file, told by its content, or in samples: mixed to one channel and brought to one rate.
 * Rejects with a `SpeechError`: `unsupported_audio` for another kind of file, `invalid_audio` for a damaged one,
 * `audio_too_long`.
 */
export async function decodeAudio(audio: Uint8Array | Sound, options: GatherOptions = {}): Promise<Sound> {
  return gather(
    audio instanceof Uint8Array ? withTypedErrors(toStretches(audio)) : [toStretch(audio)],
    options,
  )
}

function toStretch({ samples, sampleRate }: Sound): Stretch {
  return { channels: [Float32Array.from(samples, (sample) => sample / 32_768)], sampleRate }
}

function toStretches(bytes: Uint8Array): Iterable<Stretch> | AsyncIterable<Stretch> {
  const kind = audioKind(bytes)
  const decode = kind && decoders[kind]
  if (decode) return decode(bytes)
  const found = kind ? `It is ${kind}, which is not understood` : 'It is no audio file that is known here'
  const message = `The file cannot be heard. ${found}: send ${audioKinds.join(', ')}.`
  throw new SpeechError('unsupported_audio', message)
}

type Decoder = (bytes: Uint8Array) => Iterable<Stretch> | AsyncIterable<Stretch>

const decoders: Partial<Record<AudioKind, Decoder>> = {
  wav: (bytes) => parseWav(bytes.subarray(tagSize(bytes))),
  async *mp3(bytes) {
    const { MPEGDecoder } = await import('mpg123-decoder')
    yield* decodeInParts(new MPEGDecoder(), bytes.subarray(tagSize(bytes)))
  },
  async *flac(bytes) {
    const { FLACDecoder } = await import('@wasm-audio-decoders/flac')
    const file = bytes.subarray(tagSize(bytes))
    if (isOgg(file)) checkOggPages(file)
    yield* withFlacLength(file, decodeInParts(new FLACDecoder(), file))
  },
  async *vorbis(bytes) {
    const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis')
    checkOggPages(bytes)
    yield* decodeInParts(new OggVorbisDecoder(), bytes)
  },
  async *opus(bytes) {
    const [head = new Uint8Array(), , ...packets] = oggPackets(bytes)
    yield* decodeOpus(head, packets)
  },
  async *webm(bytes) {
    const { head, packets } = parseWebm(bytes)
    yield* decodeOpus(head, packets)
  },
}

// A decoder that fails in its own way was given something it could not make sense of.
async function* withTypedErrors(
  stretches: Iterable<Stretch> | AsyncIterable<Stretch>,
): AsyncGenerator<Stretch> {
  try {
    yield* stretches
  } catch (error) {
    if (error instanceof SpeechError) throw error
    throw damaged(`Its decoder gave up: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
