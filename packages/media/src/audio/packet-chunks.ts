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
  type Chunk,
  type ChunkSize,
  type Chunks,
  type Frame,
  type PlannedChunk,
  planChunks,
  type Recording,
} from './plan-chunks.js'

/** Containers that can be split between packets, without decoding. */
export const packedFormats = {
  mp3: { mediaType: 'audio/mpeg', format: (bunny: Mediabunny) => new bunny.Mp3OutputFormat() },
  ogg: { mediaType: 'audio/ogg', format: (bunny: Mediabunny) => new bunny.OggOutputFormat() },
  m4a: { mediaType: 'audio/mp4', format: (bunny: Mediabunny) => new bunny.Mp4OutputFormat() },
  flac: { mediaType: 'audio/flac', format: (bunny: Mediabunny) => new bunny.FlacOutputFormat() },
  webm: { mediaType: 'audio/webm', format: (bunny: Mediabunny) => new bunny.WebMOutputFormat() },
} as const satisfies Record<string, { mediaType: string; format: (bunny: Mediabunny) => OutputFormat }>

export type PackedContainer = keyof typeof packedFormats

/**
 * Splits a recording into chunks of whole packets. Undefined if it contains no audio. Reads the recording into memory
 * if it is not a file.
 */
export async function packetChunks(
  recording: Recording,
  container: PackedContainer,
  { bunny, size }: { readonly bunny: Mediabunny; readonly size: ChunkSize },
): Promise<Chunks | undefined> {
  const file = (await recording.file?.()) ?? (await new Response(await recording.open()).blob())
  const input = new bunny.Input({ formats: bunny.ALL_FORMATS, source: new bunny.BlobSource(file) })
  const source = await openTrack(bunny, input)
  if (!source) return undefined
  const frames = await readFrames(source.sink)
  const description = (await source.track.getDecoderConfig())?.description?.byteLength ?? 0
  const plan = planChunks(frames, {
    ...size,
    maxBytes: size.maxBytes - headBytes - description,
    quietShare: 0.5,
  })
  const seconds = frames.reduce((sum, frame) => sum + frame.seconds, 0)
  const each = () => cutChunks({ bunny, source, container, frames, name: recording.artifact.id }, plan)
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

/** Maximum bytes that a container adds to each file. */
const headBytes = 2048
const bytesPerPacket = 12

/**
 * Reads the packets as frames. With a variable bit rate, the packets of quiet passages are small. With a constant bit
 * rate, no pauses are found.
 */
async function readFrames(sink: EncodedPacketSink): Promise<PacketFrame[]> {
  const packets: { at: number; duration: number; byteLength: number }[] = []
  for await (const packet of sink.packets(undefined, undefined, { metadataOnly: true }))
    packets.push({ at: packet.timestamp, duration: packet.duration, byteLength: packet.byteLength })
  return packets.map(({ at, duration, byteLength }, i) => {
    // Not every container stores the durations of packets, but every container stores their start times.
    const seconds = Math.max(0, (packets[i + 1]?.at ?? at + duration) - at)
    const loudness = seconds > 0 ? byteLength / seconds : undefined
    return { at, seconds, bytes: byteLength + bytesPerPacket, loudness }
  })
}

interface PacketFrame extends Frame {
  /** Start time on the container's clock. */
  readonly at: number
}

interface CutContext {
  readonly bunny: Mediabunny
  readonly source: Source
  readonly container: PackedContainer
  readonly frames: readonly PacketFrame[]
  readonly name: string
}

async function* cutChunks(cutting: CutContext, plan: readonly PlannedChunk[]): AsyncGenerator<Chunk> {
  const { frames, container, name } = cutting
  const origin = frames[0]?.at ?? 0
  for (const [i, { from, to, overlaps }] of plan.entries()) {
    const begin = (frames[from]?.at ?? origin) - origin
    const seconds = frames.slice(from, to).reduce((sum, frame) => sum + frame.seconds, 0)
    const bytes = await copyPackets(cutting, frames[from], frames[to])
    const file = new File([bytes], `${name}-${i + 1}.${container}`, {
      type: packedFormats[container].mediaType,
    })
    yield { file, overlaps, number: i + 1, at: begin, seconds }
  }
}

/** Copies a range of packets into a separate file. The timestamps of the copy start at 0. */
async function copyPackets(
  { bunny, source: { track, codec, sink }, container, frames }: CutContext,
  from: PacketFrame | undefined,
  to: PacketFrame | undefined,
): Promise<ArrayBuffer> {
  const target = new bunny.BufferTarget()
  const output = new bunny.Output({ format: packedFormats[container].format(bunny), target })
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
  // Searches at the middle of the packet, because a packet without duration may have the same start time.
  return (await sink.getPacket(frame.at + frame.seconds / 2)) ?? undefined
}

type Mediabunny = typeof import('mediabunny')

/**
 * Loads the optional package that reads and writes containers.
 * @throws CapstanError `unsupported` if it is not installed. The message starts with `why`, which says what the package
 * is for
 */
export async function loadMediabunny(
  why: string,
  // If the package is missing, the import's own handler lets esbuild bundle this, and the comment does the same for
  // webpack.
  load: () => Promise<Mediabunny> = () =>
    import(/* webpackIgnore: true */ 'mediabunny').catch((cause) => Promise.reject(cause)),
): Promise<Mediabunny> {
  try {
    return await load()
  } catch (cause) {
    const message = `${why} Use a WAV instead: the package "mediabunny" is not installed.`
    throw new CapstanError('unsupported', message, { cause, evidence: { package: 'mediabunny' } })
  }
}
