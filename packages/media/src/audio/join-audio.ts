import { CapstanError } from '@capstan/core'
import { wavHeader } from '@capstan/formats/wav'
import { ByteReader } from '../inputs/byte-streams.js'
import { fromBlob, readHead } from '../inputs/stored-bytes.js'
import { readWavFormat } from './wav.js'

/** Audio data in a container. The data is in memory or in a file. */
export interface AudioData {
  readonly blob: Blob
  readonly mediaType: string
}

/** Formats whose files can be joined without loss. */
export const joinableFormats = ['wav', 'mp3', 'pcm'] as const

/**
 * Joins audio files with the same container, without re-encoding them. The result refers to the parts' bytes instead of
 * copying them.
 * @throws CapstanError `unsupported` for a container that cannot be joined, `invalid_response` for parts in different
 * formats, `invalid_arguments` if there are no parts
 */
export async function joinAudio(sounds: readonly AudioData[]): Promise<AudioData> {
  const [first] = sounds
  if (!first) throw new CapstanError('invalid_arguments', 'No audio to join. Pass at least one part.')
  if (sounds.length === 1) return first
  const { mediaType } = first
  const join = joins[mediaType]
  if (!join) throw joinError(mediaType)
  const ranges = sounds.every((sound) => sound.mediaType === mediaType)
    ? await join(sounds.map((sound) => sound.blob))
    : undefined
  if (ranges) return { blob: new Blob(ranges), mediaType }
  const message = `The parts of the speech have different formats (${[...new Set(sounds.map((sound) => sound.mediaType))].join(', ')}) and cannot be joined. Choose a format, or speak less text at once.`
  throw new CapstanError('invalid_response', message, { evidence: { mediaType } })
}

/** Returns the error for a format whose files cannot be joined. */
export function joinError(container: string): CapstanError {
  const message = `Text of this length is spoken in parts, but parts in the format ${container} cannot be joined. Choose one of ${joinableFormats.join(', ')}, or speak less text at once.`
  return new CapstanError('unsupported', message, { evidence: { container } })
}

/** Returns the byte ranges that form one recording. Undefined if the parts cannot be joined. */
type Join = (parts: readonly Blob[]) => Promise<BlobPart[] | undefined>

const rates = [44_100, 48_000, 32_000]

const kbits = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  later: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const

const joins: Readonly<Record<string, Join>> = {
  'audio/wav': joinWav,
  'audio/mpeg': joinMp3,
  'audio/pcm': async (parts) => [...parts],
  'audio/l16': async (parts) => [...parts],
}

async function joinWav(parts: readonly Blob[]): Promise<BlobPart[] | undefined> {
  const read = await Promise.all(parts.map(readWav))
  const sounds = read.flatMap((wav) => (wav ? [wav] : []))
  const [first] = sounds
  const isSame = sounds.every(({ format }) => String(format.fmt) === String(first?.format.fmt))
  if (!first || sounds.length < parts.length || !isSame) return undefined
  const soundBytes = sounds.reduce((sum, { sound }) => sum + sound.size, 0)
  return [wavHeader(first.format.fmt, soundBytes) as BlobPart, ...sounds.map(({ sound }) => sound)]
}

async function readWav(blob: Blob) {
  const reader = new ByteReader(fromBlob(blob).stream())
  const format = await readWavFormat(reader, blob.size)
  await reader.close()
  return format && { format, sound: blob.slice(format.soundAt, format.soundAt + format.soundBytes) }
}

async function joinMp3(parts: readonly Blob[]): Promise<BlobPart[] | undefined> {
  const frames = await Promise.all(parts.map(findMp3Frames))
  if (!frames.every((one) => one && one.kind === frames[0]?.kind)) return undefined
  return frames.flatMap((one) => (one ? [one.range] : []))
}

/** The audio frames of an MP3, without tags and the info frame. */
interface Mp3Frames {
  readonly range: Blob
  /** The version, layer and sample rate from the frame header. They are the same for all frames of a stream. */
  readonly kind: number
}

/** Finds the audio frames. Returns undefined if the bytes are not an MP3. */
async function findMp3Frames(blob: Blob): Promise<Mp3Frames | undefined> {
  const begin = endOfId3(await readHead({ blob }, 10))
  const tail = await readHead({ blob: blob.slice(-128) })
  const end = tail.length === 128 && nameAt(tail, 0, 3) === 'TAG' ? blob.size - 128 : blob.size
  const head = await readHead({ blob: blob.slice(begin) })
  const length = frameLength(head, 0)
  if (length === undefined) return undefined
  const [, second = 0, third = 0] = head
  const first = begin + (isInfoFrame(head.subarray(0, length)) ? length : 0)
  return { range: blob.slice(first, end), kind: ((second & 0x1e) << 2) | ((third & 0x0c) >> 2) }
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

/** Returns the length in bytes of the layer III frame at a position. Undefined if there is no frame. */
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
