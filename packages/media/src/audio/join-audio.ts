import { CapstanError } from '@capstan/core'
import { joinBytes } from '@capstan/core/internal'
import { ByteReader } from '../inputs/byte-streams.js'
import { readWavFormat, toWavHeader } from './wav.js'

/** Sound in a container. */
export interface Sound {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** Names of the containers in which sound is joined without loss. */
export const joinable = ['wav', 'mp3', 'pcm'] as const

/**
 * Sounds as one, in the container they came in: nothing is encoded again.
 * @throws CapstanError `unsupported` for another container, `invalid_response` for sounds that do not fit together
 */
export async function joinSound(sounds: readonly Sound[]): Promise<Sound> {
  const [first] = sounds
  if (!first) throw new CapstanError('invalid_arguments', 'There is no sound to join.')
  if (sounds.length === 1) return first
  const { mediaType } = first
  const join = joins[mediaType]
  if (!join) throw cannotJoin(mediaType)
  const bytes = sounds.every((sound) => sound.mediaType === mediaType)
    ? await join(sounds.map((sound) => sound.bytes))
    : undefined
  if (bytes) return { bytes, mediaType }
  const message = `The parts of the speech came in different forms (${[...new Set(sounds.map((sound) => sound.mediaType))].join(', ')}) and cannot be one recording. Name a format, or speak less text at once.`
  throw new CapstanError('invalid_response', message, { evidence: { mediaType } })
}

/** The error for a container whose sounds are not joined. */
export function cannotJoin(container: string): CapstanError {
  const message = `A text this long is spoken in parts, and parts in ${container} are not joined. Choose the format ${joinable.join(', ')}, or speak less text at once.`
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

/** The frames of an MP3 that sound: no tags before or after, no first frame that only counts the others. */
interface Mp3Frames {
  readonly bytes: Uint8Array
  /** Version, layer and sample rate, as the header of a frame has them: frames of one stream have them in common. */
  readonly kind: number
}

/** Undefined for bytes that are no MP3. */
function toMp3Frames(bytes: Uint8Array): Mp3Frames | undefined {
  const begin = endOfId3(bytes)
  const end = nameAt(bytes, bytes.length - 128, 3) === 'TAG' ? bytes.length - 128 : bytes.length
  const length = frameLength(bytes, begin)
  if (length === undefined) return undefined
  const [, second = 0, third = 0] = bytes.subarray(begin)
  const first = begin + (isCount(bytes.subarray(begin, begin + length)) ? length : 0)
  return { bytes: bytes.subarray(first, end), kind: ((second & 0x1e) << 2) | ((third & 0x0c) >> 2) }
}

function endOfId3(bytes: Uint8Array): number {
  if (nameAt(bytes, 0, 3) !== 'ID3') return 0
  const [flags = 0, ...size] = bytes.subarray(5, 10)
  const length = size.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  return 10 + length + (flags & 0x10 ? 10 : 0)
}

/** A frame of silence in which encoders note how many frames follow. */
function isCount(frame: Uint8Array): boolean {
  const text = String.fromCharCode(...frame.subarray(0, 64))
  return /Xing|Info|VBRI/.test(text)
}

/** Of a frame of layer III. */
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
