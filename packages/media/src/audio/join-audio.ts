import { CapstanError } from '@capstan/core'
import { joinBytes } from '@capstan/core/internal'
import { ByteReader } from '../inputs/byte-streams.js'
import { readWavFormat, toWavHeader } from './wav.js'

/** Audio data in a container. */
export interface AudioData {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** Containers in which audio is joined without loss. */
export const joinableFormats = ['wav', 'mp3', 'pcm'] as const

/**
 * Joins audio in its own container, without encoding it again.
 * @throws CapstanError `unsupported` for another container, `invalid_response` for audio that does not fit together
 */
export async function joinAudio(sounds: readonly AudioData[]): Promise<AudioData> {
  const [first] = sounds
  if (!first) throw new CapstanError('invalid_arguments', 'No audio to join. Give at least one part.')
  if (sounds.length === 1) return first
  const { mediaType } = first
  const join = joins[mediaType]
  if (!join) throw joinError(mediaType)
  const bytes = sounds.every((sound) => sound.mediaType === mediaType)
    ? await join(sounds.map((sound) => sound.bytes))
    : undefined
  if (bytes) return { bytes, mediaType }
  const message = `The parts of the speech have different formats (${[...new Set(sounds.map((sound) => sound.mediaType))].join(', ')}) and cannot be joined. Name a format, or speak less text at once.`
  throw new CapstanError('invalid_response', message, { evidence: { mediaType } })
}

/** Returns the error for a container in which audio cannot be joined. */
export function joinError(container: string): CapstanError {
  const message = `A text of this length is spoken in parts, and parts in ${container} cannot be joined. Choose the format ${joinableFormats.join(', ')}, or speak less text at once.`
  return new CapstanError('unsupported', message, { evidence: { container } })
}

type Join = (parts: readonly Uint8Array[]) => Promise<Uint8Array | undefined>

const rates = [44_100, 48_000, 32_000]

const kbits = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  later: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const

const joins: Readonly<Record<string, Join>> = {
  'audio/wav': joinWav,
  'audio/mpeg': joinMp3,
  'audio/pcm': async (parts) => joinBytes(parts),
  'audio/l16': async (parts) => joinBytes(parts),
}

async function joinWav(parts: readonly Uint8Array[]): Promise<Uint8Array | undefined> {
  const read = await Promise.all(parts.map(readWav))
  const sounds = read.flatMap((wav) => (wav ? [wav] : []))
  const [first] = sounds
  const isSame = sounds.every(({ format }) => String(format.fmt) === String(first?.format.fmt))
  if (!first || sounds.length < parts.length || !isSame) return undefined
  const sound = joinBytes(sounds.map((wav) => wav.sound))
  return joinBytes([toWavHeader(first.format, sound.length), sound])
}

async function readWav(bytes: Uint8Array) {
  const reader = new ByteReader(new Blob([bytes as Uint8Array<ArrayBuffer>]).stream())
  const format = await readWavFormat(reader, bytes.length)
  await reader.close()
  return format && { format, sound: bytes.subarray(format.soundAt, format.soundAt + format.soundBytes) }
}

async function joinMp3(parts: readonly Uint8Array[]): Promise<Uint8Array | undefined> {
  const frames = parts.map(toMp3Frames)
  if (!frames.every((one) => one && one.kind === frames[0]?.kind)) return undefined
  return joinBytes(frames.flatMap((one) => (one ? [one.bytes] : [])))
}

/** The audio frames of an MP3, without tags and without the info frame. */
interface Mp3Frames {
  readonly bytes: Uint8Array
  /** Version, layer and sample rate from the frame header. All frames of one stream share them. */
  readonly kind: number
}

/** Extracts the audio frames. Returns undefined if the bytes are not an MP3. */
function toMp3Frames(bytes: Uint8Array): Mp3Frames | undefined {
  const begin = endOfId3(bytes)
  const end = nameAt(bytes, bytes.length - 128, 3) === 'TAG' ? bytes.length - 128 : bytes.length
  const length = frameLength(bytes, begin)
  if (length === undefined) return undefined
  const [, second = 0, third = 0] = bytes.subarray(begin)
  const first = begin + (isInfoFrame(bytes.subarray(begin, begin + length)) ? length : 0)
  return { bytes: bytes.subarray(first, end), kind: ((second & 0x1e) << 2) | ((third & 0x0c) >> 2) }
}

function endOfId3(bytes: Uint8Array): number {
  if (nameAt(bytes, 0, 3) !== 'ID3') return 0
  const [flags = 0, ...size] = bytes.subarray(5, 10)
  const length = size.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  return 10 + length + (flags & 0x10 ? 10 : 0)
}

/** Whether a frame is the silent one in which encoders store the number of frames. */
function isInfoFrame(frame: Uint8Array): boolean {
  const text = String.fromCharCode(...frame.subarray(0, 64))
  return /Xing|Info|VBRI/.test(text)
}

/** Returns the length of a layer III frame. */
function frameLength(bytes: Uint8Array, at: number): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 4)
  if (first !== 0xff || (second & 0xe6) !== 0xe2) return undefined
  const version = (second >> 3) & 3
  const rate = (rates[(third >> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const kbit = kbits[version === 3 ? 'first' : 'later'][third >> 4] ?? 0
  if (rate === 0 || kbit === 0) return undefined
  return Math.floor(((version === 3 ? 144 : 72) * kbit * 1000) / rate) + ((third >> 1) & 1)
}

function nameAt(bytes: Uint8Array, at: number, length: number): string {
  return at < 0 ? '' : String.fromCharCode(...bytes.subarray(at, at + length))
}
