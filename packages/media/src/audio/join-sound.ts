import { CapstanError } from '@capstan/core'
import { joinBytes } from '@capstan/core/wire'
import { ByteReader } from '../inputs/byte-reader.js'
import { toMp3Frames } from './mp3-frames.js'
import { readWavFormat, toWavHeader } from './wav-format.js'

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
