import { type Artifact, type ArtifactStore, memoryArtifacts } from '@capstan/core'
import { encodeWav } from '@capstan/speech'
import { png } from './png.js'

/** A quarter of a second of a tone, as a real WAV. */
export function wav(): Uint8Array {
  const samples = Int16Array.from({ length: 4000 }, (_, i) => 8000 * Math.sin(i / 6))
  return encodeWav({ samples, sampleRate: 16_000 })
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** Returns all bytes of an artifact. */
export async function bytesOf(store: ArtifactStore, { id }: Artifact): Promise<Uint8Array> {
  return new Uint8Array(await new Response(await store.open(id)).arrayBuffer())
}

/** A store with an image, a mask of its size, a smaller mask and a recording. */
export async function filledStore() {
  const store = memoryArtifacts()
  const put = (bytes: Uint8Array) => store.put(bytes, { kind: 'image', mediaType: 'image/png' })
  return {
    store,
    image: await put(png(64, 48)),
    mask: await put(png(64, 48, [255, 255, 255])),
    smallMask: await put(png(32, 32)),
    recording: await store.put(wav(), { kind: 'audio', mediaType: 'audio/wav' }),
  }
}
