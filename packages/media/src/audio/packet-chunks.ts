import { CapstanError } from '@capstan/core'
import type {
  AudioCodec,
  EncodedPacket,
  EncodedPacketSink,
  Input,
  InputAudioTrack,
  OutputFormat,
} from 'mediabunny'
import {
  type Frame,
  type Piece,
  type PieceSize,
  type Pieces,
  type PlannedPiece,
  planPieces,
  type Recording,
} from './plan-chunks.js'

/** Containers that are cut between packets, without decoding. */
export const packed = {
  mp3: { mediaType: 'audio/mpeg', format: (bunny: Mediabunny) => new bunny.Mp3OutputFormat() },
  ogg: { mediaType: 'audio/ogg', format: (bunny: Mediabunny) => new bunny.OggOutputFormat() },
  m4a: { mediaType: 'audio/mp4', format: (bunny: Mediabunny) => new bunny.Mp4OutputFormat() },
  flac: { mediaType: 'audio/flac', format: (bunny: Mediabunny) => new bunny.FlacOutputFormat() },
  webm: { mediaType: 'audio/webm', format: (bunny: Mediabunny) => new bunny.WebMOutputFormat() },
} as const satisfies Record<string, { mediaType: string; format: (bunny: Mediabunny) => OutputFormat }>

export type Packed = keyof typeof packed

/** A packed recording in pieces of whole packets; undefined for one that has no sound. Unless it is a file, it is held in memory. */
export async function packetPieces(
  recording: Recording,
  container: Packed,
  { bunny, size }: { readonly bunny: Mediabunny; readonly size: PieceSize },
): Promise<Pieces | undefined> {
  const file = (await recording.file?.()) ?? (await new Response(await recording.open()).blob())
  const input = new bunny.Input({ formats: bunny.ALL_FORMATS, source: new bunny.BlobSource(file) })
  const source = await openTrack(bunny, input)
  if (!source) return undefined
  const frames = await readFrames(source.sink)
  const description = (await source.track.getDecoderConfig())?.description?.byteLength ?? 0
  const plan = planPieces(frames, {
    ...size,
    maxBytes: size.maxBytes - headBytes - description,
    quietShare: 0.5,
  })
  const seconds = frames.reduce((sum, frame) => sum + frame.seconds, 0)
  const each = () => cut({ bunny, source, container, frames, name: recording.artifact.id }, plan)
  return { of: plan.length, seconds, each }
}

interface Source {
  readonly track: InputAudioTrack
  readonly codec: AudioCodec
  readonly sink: EncodedPacketSink
}

async function openTrack(bunny: Mediabunny, input: Input): Promise<Source | undefined> {
  const track = await input.getPrimaryAudioTrack().catch(() => null)
  const codec = track && (await track.getCodec())
  return track && codec ? { track, codec, sink: new bunny.EncodedPacketSink(track) } : undefined
}

/** More than a container writes once, and for each packet. */
const headBytes = 2048
const bytesPerPacket = 12

/** Where the bit rate varies, silence is what takes few bytes; where it does not, no pause is found. */
async function readFrames(sink: EncodedPacketSink): Promise<PacketFrame[]> {
  const packets: { at: number; duration: number; byteLength: number }[] = []
  for await (const packet of sink.packets(undefined, undefined, { metadataOnly: true }))
    packets.push({ at: packet.timestamp, duration: packet.duration, byteLength: packet.byteLength })
  return packets.map(({ at, duration, byteLength }, i) => {
    // Not every container says how long a packet lasts; each says when the next one begins.
    const seconds = Math.max(0, (packets[i + 1]?.at ?? at + duration) - at)
    const loudness = seconds > 0 ? byteLength / seconds : undefined
    return { at, seconds, bytes: byteLength + bytesPerPacket, loudness }
  })
}

interface PacketFrame extends Frame {
  /** When it begins, by the container's own clock. */
  readonly at: number
}

interface Cutting {
  readonly bunny: Mediabunny
  readonly source: Source
  readonly container: Packed
  readonly frames: readonly PacketFrame[]
  readonly name: string
}

async function* cut(cutting: Cutting, plan: readonly PlannedPiece[]): AsyncGenerator<Piece> {
  const { frames, container, name } = cutting
  const origin = frames[0]?.at ?? 0
  for (const [i, { from, to, overlaps }] of plan.entries()) {
    const begin = (frames[from]?.at ?? origin) - origin
    const seconds = frames.slice(from, to).reduce((sum, frame) => sum + frame.seconds, 0)
    const bytes = await copy(cutting, frames[from], frames[to])
    const file = new File([bytes], `${name}-${i + 1}.${container}`, { type: packed[container].mediaType })
    yield { file, overlaps, number: i + 1, at: begin, seconds }
  }
}

/** The packets from one up to another as a file of their own, its clock from 0. */
async function copy(
  { bunny, source: { track, codec, sink }, container, frames }: Cutting,
  from: PacketFrame | undefined,
  to: PacketFrame | undefined,
): Promise<ArrayBuffer> {
  const target = new bunny.BufferTarget()
  const output = new bunny.Output({ format: packed[container].format(bunny), target })
  const copied = new bunny.EncodedAudioPacketSource(codec)
  output.addAudioTrack(copied)
  await output.start()
  const decoderConfig = (await track.getDecoderConfig()) ?? undefined
  const first = from === frames[0] ? undefined : await packetAt(sink, from)
  for await (const packet of sink.packets(first, await packetAt(sink, to))) {
    const timestamp = packet.timestamp - (from?.at ?? 0)
    await copied.add(packet.clone({ timestamp }), decoderConfig && { decoderConfig })
  }
  await output.finalize()
  return target.buffer ?? new ArrayBuffer()
}

async function packetAt(
  sink: EncodedPacketSink,
  frame: PacketFrame | undefined,
): Promise<EncodedPacket | undefined> {
  if (!frame) return undefined
  // Its middle: where it begins, another one of no length may begin as well.
  return (await sink.getPacket(frame.at + frame.seconds / 2)) ?? undefined
}

type Mediabunny = typeof import('mediabunny')

/**
 * The package that reads and writes containers, which users install when they need it.
 * @throws CapstanError `unsupported` when it is not installed; `why` says what it is needed for
 */
export async function loadMediabunny(
  why: string,
  load: () => Promise<Mediabunny> = () => import('mediabunny'),
): Promise<Mediabunny> {
  try {
    return await load()
  } catch (cause) {
    const message = `${why} For that, install the package "mediabunny" (npm install mediabunny), or give a WAV, which needs none.`
    throw new CapstanError('unsupported', message, { cause, evidence: { package: 'mediabunny' } })
  }
}
