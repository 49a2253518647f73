import { SpeechError } from '../speech-error.js'
import { type AudioBlock, damagedAudio } from './collect-samples.js'

const sampleRate = 16_000
const packetsAtOnce = 50

/** Decodes Opus packets. The first packet is the header, which contains the number of channels. */
export async function* decodeOpus(
  head: Uint8Array,
  packets: Iterable<Uint8Array>,
): AsyncGenerator<AudioBlock> {
  // As for the other decoders, webpack would warn about the workers of this package.
  const { OpusDecoder } = await import(/* webpackIgnore: true */ 'opus-decoder')
  const decoder = new OpusDecoder({ sampleRate, ...parseHead(head) })
  await decoder.ready
  try {
    for (const some of inGroups(packets, packetsAtOnce)) {
      const { channelData, errors } = decoder.decodeFrames(some)
      if (errors.length > 0) throw damagedAudio('One of its packets is not Opus.')
      yield { channels: channelData, sampleRate }
    }
  } finally {
    decoder.free()
  }
}

function parseHead(head: Uint8Array) {
  const [channels = 0, skipLow = 0, skipHigh = 0] = [head[9], head[10], head[11]]
  if (head.length < 19 || channels < 1 || channels > 8) throw damagedAudio('Its Opus head is invalid.')
  // The value is in samples at 48 000 per second, regardless of the output rate.
  const preSkip = Math.round(((skipLow + 256 * skipHigh) * sampleRate) / 48_000)
  // With one or two channels, there is no mapping table.
  if (head[18] === 0) return { channels: Math.min(channels, 2), preSkip }
  const [streamCount = 0, coupledStreamCount = 0, ...table] = head.subarray(19, 21 + channels)
  const known = streamCount + coupledStreamCount
  if (table.length < channels || streamCount < 1 || coupledStreamCount > streamCount || known > 255)
    throw damagedAudio('Its Opus head is invalid.')
  if (table.some((source) => source >= known && source !== 255))
    throw damagedAudio('Its Opus head is invalid.')
  return { channels, preSkip, streamCount, coupledStreamCount, channelMappingTable: table }
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** The Opus data in a WebM file that a browser recorded: the header and the packets. */
interface OpusTrack {
  readonly head: Uint8Array
  readonly packets: readonly Uint8Array[]
}

// The ids of Matroska elements that have children, and of those that are read.
const containers = new Set([0x18538067, 0x1654ae6b, 0xae, 0x1f43b675, 0xa0])
const codecId = 0x86
const codecPrivate = 0x63a2
const simpleBlock = 0xa3
const block = 0xa1

/**
 * Reads the only track in a WebM file. Throws `unsupported_audio` if the track is not Opus, and `invalid_audio` if it
 * is damaged.
 */
export function parseWebm(bytes: Uint8Array): OpusTrack {
  const packets: Uint8Array[] = []
  let head: Uint8Array | undefined
  for (const { id, content } of elements(bytes)) {
    if (id === codecId) checkCodec(new TextDecoder().decode(content).replace(/\0+$/, ''))
    if (id === codecPrivate) head = content
    if (id === simpleBlock || id === block) packets.push(toPacket(content))
  }
  if (!head) throw damagedAudio('It has no description of its track.')
  return { head, packets }
}

function checkCodec(name: string): void {
  if (name === 'A_OPUS') return
  const message = `The WebM file contains a track of type ${name}. Send one with Opus audio.`
  throw new SpeechError('unsupported_audio', message)
}

// The track number is followed by two bytes of time and by the flags.
function toPacket(content: Uint8Array): Uint8Array {
  const { length } = readNumber(content, 0)
  const flags = content[length + 2] ?? 0
  if (flags & 0b110)
    throw new SpeechError('unsupported_audio', 'The WebM file laces its packets. Send it as Ogg.')
  return content.subarray(length + 3)
}

interface Element {
  readonly id: number
  readonly content: Uint8Array
}

function* elements(bytes: Uint8Array): Generator<Element> {
  let at = 0
  while (at < bytes.length) {
    const idLength = readNumber(bytes, at).length
    const id = bytes.subarray(at, at + idLength).reduce((sum, byte) => sum * 256 + byte, 0)
    const size = readNumber(bytes, at + idLength)
    at += idLength + size.length
    // Live recordings have elements of unknown length, which end where the next element begins.
    if (containers.has(id)) continue
    if (size.value > bytes.length - at) throw damagedAudio('It ends in the middle of a part.')
    yield { id, content: bytes.subarray(at, at + size.value) }
    at += size.value
  }
}

/** Reads an EBML number. Its leading zero bits encode its length in bytes. */
function readNumber(bytes: Uint8Array, at: number): { value: number; length: number } {
  const first = bytes[at] ?? 0
  if (first === 0) throw damagedAudio('A part of it has no length.')
  const length = Math.clz32(first) - 23
  const rest = bytes.subarray(at + 1, at + length)
  const value = rest.reduce((sum, byte) => sum * 256 + byte, first & (0xff >> length))
  return { value, length }
}
