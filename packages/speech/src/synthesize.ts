import { join } from './join.js'
import { type SynthesizeOptions, speakSentences } from './speak-sentences.js'
import type { Sound } from './wav.js'

/**
 * Speaks text, a sentence at a time with a turn of the event loop before each. The same options always give the
 * same samples. Rejects with a `SpeechError` when there is nothing to say or an option is out of range.
 */
export async function synthesize(options: SynthesizeOptions): Promise<Sound> {
  const { sampleRate, sentences } = speakSentences(options)
  const spoken: Int16Array[] = []
  for await (const samples of sentences) spoken.push(samples)
  return { samples: join(spoken, Int16Array), sampleRate }
}
