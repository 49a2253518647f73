import { type Artifact, memoryArtifacts } from '@capstan/core'
import { encode } from '@capstan/speech'
import * as bunny from 'mediabunny'

export const sampleRate = 16_000

/** Four seconds similar to speech, the last half second silent, repeated. */
export function speechLike(seconds: number, pause = 0.5): Int16Array {
  return Int16Array.from({ length: seconds * sampleRate }, (_, i) => {
    const at = (i / sampleRate) % 4
    return at < 4 - pause ? Math.round(9000 * Math.sin(i / 5) * Math.sin(i / 777)) : 0
  })
}

const recordings = new Map<string, Promise<Uint8Array>>()

/** A recording of 30 s in a container, written once for all tests. */
export function recordingIn(container: string): Promise<Uint8Array> {
  const recording = recordings.get(container) ?? record(container)
  recordings.set(container, recording)
  return recording
}

/** Formats without an encoder here are repacked from another one. */
async function record(container: string): Promise<Uint8Array> {
  const sound = { samples: speechLike(30), sampleRate }
  if (container === 'm4a') return packOver(await encode(sound, 'flac'), new bunny.Mp4OutputFormat())
  if (container === 'webm') return packOver(await encode(sound, 'ogg'), new bunny.WebMOutputFormat())
  return encode(sound, container)
}

/** A store with one recording, and the recording. */
export async function storeWith(bytes: Uint8Array, mediaType: string) {
  const store = memoryArtifacts()
  const artifact: Artifact<'audio'> = await store.put(bytes, { kind: 'audio', mediaType })
  return { store, artifact, recording: { artifact, open: () => store.open(artifact.id) } }
}

/** The packets of a recording, in order. */
export async function packetsOf(bytes: Uint8Array): Promise<bunny.EncodedPacket[]> {
  const { sink } = await open(bytes)
  const packets: bunny.EncodedPacket[] = []
  for await (const packet of sink.packets()) packets.push(packet)
  return packets
}

async function open(bytes: Uint8Array) {
  const source = new bunny.BufferSource(bytes)
  const track = await new bunny.Input({ formats: bunny.ALL_FORMATS, source }).getPrimaryAudioTrack()
  const codec = await track?.getCodec()
  if (!track || !codec) throw new Error('no sound')
  return { track, codec, sink: new bunny.EncodedPacketSink(track) }
}

async function packOver(bytes: Uint8Array, format: bunny.OutputFormat): Promise<Uint8Array> {
  const { track, codec, sink } = await open(bytes)
  const target = new bunny.BufferTarget()
  const output = new bunny.Output({ format, target })
  const source = new bunny.EncodedAudioPacketSource(codec)
  output.addAudioTrack(source)
  await output.start()
  const decoderConfig = await track.getDecoderConfig()
  if (!decoderConfig) throw new Error('nothing to decode it by')
  for await (const packet of sink.packets()) await source.add(packet, { decoderConfig })
  await output.finalize()
  return new Uint8Array(target.buffer ?? new ArrayBuffer())
}
