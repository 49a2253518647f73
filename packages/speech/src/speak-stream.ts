import { createEncoder } from './encode/create-encoder.js'
import { type SynthesizeOptions, speakSentences } from './speak-sentences.js'

export interface SpeakStreamOptions extends SynthesizeOptions {
  /** One of `audioFormats`; default `wav`, whose header then says no length. */
  readonly format?: string | undefined
}

/**
 * Speaks text as the bytes of a file, the first of them after the first sentence; no more than a sentence is held in
 * memory. Fails as `synthesize` and `createEncoder` do, at the first step or, when the signal aborts, at a later one.
 */
export async function* speakStream(options: SpeakStreamOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { sampleRate, sentences } = speakSentences(options)
  const encoder = await createEncoder(options.format ?? 'wav', sampleRate)
  for await (const samples of sentences) {
    const bytes = encoder.encode(samples)
    if (bytes.length > 0) yield bytes
  }
  const last = encoder.finish()
  if (last.length > 0) yield last
}
