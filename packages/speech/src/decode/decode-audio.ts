import { SpeechError } from '../speech-error.js'
import type { Sound } from '../wav.js'
import { type AudioBlock, collectSamples, damagedAudio, type GatherOptions } from './collect-samples.js'
import { checkOggPages, isOgg, oggPackets } from './ogg-pages.js'
import { decodeOpus, parseWebm } from './opus.js'
import { parseWav } from './parse-wav.js'

/** The supported kinds of audio files. */
export const audioKinds = ['wav', 'mp3', 'flac', 'ogg (vorbis, opus)', 'webm (opus)'] as const

/**
 * Decodes an audio file, or resamples samples. The type of a file is detected from its content. The result has one
 * channel and one sample rate. Rejects with a `SpeechError`: `unsupported_audio` if the file type is not supported,
 * `invalid_audio` if the file is damaged, or `audio_too_long`.
 */
export async function decodeAudio(audio: Uint8Array | Sound, options: GatherOptions = {}): Promise<Sound> {
  return collectSamples(
    audio instanceof Uint8Array ? withTypedErrors(decodeBlocks(audio)) : [toAudioBlock(audio)],
    options,
  )
}

function toAudioBlock({ samples, sampleRate }: Sound): AudioBlock {
  return { channels: [Float32Array.from(samples, (sample) => sample / 32_768)], sampleRate }
}

function decodeBlocks(bytes: Uint8Array): Iterable<AudioBlock> | AsyncIterable<AudioBlock> {
  const kind = audioKind(bytes)
  const decode = kind && decoders[kind]
  if (decode) return decode(bytes)
  const found = kind ? `it is ${kind}` : 'it is not a known audio file'
  const message = `The file is not supported: ${found}. Send ${audioKinds.join(', ')}.`
  throw new SpeechError('unsupported_audio', message)
}

type Decoder = (bytes: Uint8Array) => Iterable<AudioBlock> | AsyncIterable<AudioBlock>

// Silence compresses so well that 64 kB of FLAC can contain 4 GB of samples. In larger parts, all of these would be
// decoded at the same time.
const partSize = 4096

// webpack would warn about workers that these packages can start. The comments prevent it from bundling them, so Node
// loads them.
const decoders: Partial<Record<AudioKind, Decoder>> = {
  wav: (bytes) => parseWav(bytes.subarray(tagSize(bytes))),
  async *mp3(bytes) {
    const { MPEGDecoder } = await import(/* webpackIgnore: true */ 'mpg123-decoder')
    yield* decodeInParts(new MPEGDecoder(), bytes.subarray(tagSize(bytes)))
  },
  async *flac(bytes) {
    const { FLACDecoder } = await import(/* webpackIgnore: true */ '@wasm-audio-decoders/flac')
    const file = bytes.subarray(tagSize(bytes))
    if (isOgg(file)) checkOggPages(file)
    yield* withFlacLength(file, decodeInParts(new FLACDecoder(), file))
  },
  async *vorbis(bytes) {
    const { OggVorbisDecoder } = await import(/* webpackIgnore: true */ '@wasm-audio-decoders/ogg-vorbis')
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

// If a decoder throws an error, its input is invalid.
async function* withTypedErrors(
  stretches: Iterable<AudioBlock> | AsyncIterable<AudioBlock>,
): AsyncGenerator<AudioBlock> {
  try {
    yield* stretches
  } catch (error) {
    if (error instanceof SpeechError) throw error
    throw damagedAudio(`Its decoder failed: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** The types of audio files that are identified by their first bytes. */
type AudioKind = keyof typeof signs

/** Returns the type of an audio file, detected from its content. Undefined if it is unknown. */
function audioKind(bytes: Uint8Array): AudioKind | undefined {
  // An ID3 tag at the start belongs to an mp3, or has been put before another format by mistake.
  const body = bytes.subarray(tagSize(bytes))
  const text = String.fromCharCode(...body.subarray(0, 64))
  const found = Object.entries(signs).find(([, sign]) => sign(text, body))
  return found?.[0] as AudioKind | undefined
}

const signs = {
  wav: (text: string) => text.startsWith('RIFF') && text.slice(8, 12) === 'WAVE',
  flac: (text: string) => text.startsWith('fLaC') || startsOgg(text, '\x7fFLAC'),
  opus: (text: string) => startsOgg(text, 'OpusHead'),
  vorbis: (text: string) => startsOgg(text, '\x01vorbis'),
  ogg: (text: string) => text.startsWith('OggS'),
  webm: (text: string) => text.startsWith('\x1aE\xdf\xa3'),
  m4a: (text: string) => text.slice(4, 8) === 'ftyp',
  aac: (_: string, [first, second = 0]: Uint8Array) => first === 0xff && (second & 0xf6) === 0xf0,
  aiff: (text: string) => text.startsWith('FORM'),
  amr: (text: string) => text.startsWith('#!AMR'),
  wma: (text: string) => text.startsWith('0&\xb2u'),
  mp3: (_: string, body: Uint8Array) => isMpegFrame(body),
}

// In all Ogg files, the first packet of a stream is at the same position.
function startsOgg(text: string, packet: string): boolean {
  return text.startsWith('OggS') && text.startsWith(packet, 28)
}

/** Returns the length of an ID3 tag at the start of a file. Returns 0 if there is none. */
function tagSize(bytes: Uint8Array): number {
  if (String.fromCharCode(...bytes.subarray(0, 3)) !== 'ID3') return 0
  return 10 + bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0)
}

// Checks eleven bits of sync, and that the version, layer, bit rate and sample rate are valid.
function isMpegFrame([first, second = 0, third = 0]: Uint8Array): boolean {
  const [version, layer] = [(second >> 3) & 3, (second >> 1) & 3]
  const [bitRate, sampleRate] = [third >> 4, (third >> 2) & 3]
  return first === 0xff && second >= 0xe0 && version !== 1 && layer !== 0 && bitRate < 15 && sampleRate < 3
}

/** The common interface of the decoders for mp3, FLAC and Ogg Vorbis. */
interface PartsDecoder {
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

/** Decodes a file in parts, so that a long file is never entirely in memory. Frees the decoder at the end. */
export async function* decodeInParts(decoder: PartsDecoder, bytes: Uint8Array): AsyncGenerator<AudioBlock> {
  await decoder.ready
  try {
    for (let at = 0; at < bytes.length; at += partSize) {
      yield* toDecodedSpans(await decoder.decode(bytes.subarray(at, at + partSize)))
    }
    if (decoder.flush) yield* toDecodedSpans(await decoder.flush())
  } finally {
    decoder.free()
  }
}

function* toDecodedSpans({
  channelData,
  sampleRate,
  samplesDecoded,
  errors,
}: Decoded): Generator<AudioBlock> {
  if (errors[0]) throw damagedAudio(`A part of it cannot be decoded (${errors[0].message}).`)
  if (samplesDecoded > 0) yield { channels: channelData, sampleRate }
}

/** Passes on the samples of a FLAC file. Throws an `invalid_audio` error if the file ends early. */
async function* withFlacLength(
  bytes: Uint8Array,
  stretches: AsyncIterable<AudioBlock>,
): AsyncGenerator<AudioBlock> {
  let missing = announcedLength(bytes)
  for await (const stretch of stretches) {
    missing -= stretch.channels[0]?.length ?? 0
    yield stretch
  }
  if (missing > 0) throw damagedAudio(`${missing} of the samples that it declares are missing or damaged.`)
}

// The length is in the first block, after four bytes of marker and four of block header. It has 36 bits, but never
// needs more than 32. It is 0 if the encoder did not know the length. In that case, and inside Ogg, the length is
// unknown.
function announcedLength(bytes: Uint8Array): number {
  if (bytes.length < 42 || bytes[0] !== 'f'.charCodeAt(0)) return 0
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(22)
}
