import { createEncoder } from './encode/create-encoder.js'
import { speak } from './flite.js'
import { type Locale, normalizeText } from './normalize-text.js'
import { toPlainText, toSentences } from './sentences.js'
import { SpeechError } from './speech-error.js'
import { defaultVoice, parseVoice } from './voices.js'
import { join, type Sound } from './wav.js'

/**
 * Speaks text, one sentence at a time, and yields to the event loop before each sentence. The same options always
 * result in the same samples. Rejects with a `SpeechError` if the text has no words or an option is out of range.
 */
export async function synthesize(options: SynthesizeOptions): Promise<Sound> {
  const { sampleRate, sentences } = speakSentences(options)
  const spoken: Int16Array[] = []
  for await (const samples of sentences) spoken.push(samples)
  return { samples: join(spoken, Int16Array), sampleRate }
}

export interface SpeakStreamOptions extends SynthesizeOptions {
  /** A format in `audioFormats`. Default: `wav`, with a header that does not contain the length. */
  readonly format?: string | undefined
}

/**
 * Yields the bytes of an audio file. The first bytes arrive when the first sentence is ready, and at most one sentence
 * is in memory at a time. The first step throws the errors of `synthesize` and `createEncoder`. If the signal aborts, a
 * later step throws its reason.
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

export interface SynthesizeOptions {
  /**
   * English text, up to 100,000 characters. Characters that cannot be spoken, such as other scripts and emoji, are
   * omitted.
   */
  readonly text: string
  /** A name in `voices` or `voiceAliases`. Default: `defaultVoice`. */
  readonly voice?: string | undefined
  /** The order of dates such as 3/4/2026. Default: `en-US`, with the month first. */
  readonly locale?: Locale | undefined
  /** A speed factor from 0.25 to 4. Default: 1. */
  readonly speed?: number | undefined
  /** Stops the work before the next sentence. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

interface Speech {
  /** Samples per second. */
  readonly sampleRate: number
  /** The samples of each sentence, created on demand. Yields to the event loop before each sentence. */
  readonly sentences: AsyncIterable<Int16Array>
}

/**
 * Prepares to speak text sentence by sentence. Throws a `SpeechError` if the text has no words or an option is out of
 * range.
 */
function speakSentences(options: SynthesizeOptions): Speech {
  const { voice = defaultVoice, speed = 1, signal } = options
  const { name, sampleRate } = parseVoice(voice)
  checkSpeed(speed)
  const texts = parseText(options.text, options.locale)
  async function* speakEach() {
    for (const text of texts) {
      await nextTurn()
      signal?.throwIfAborted()
      yield await speak({ text, voice: name, speed })
    }
  }
  return { sampleRate, sentences: speakEach() }
}

/** Throws `invalid_speed` if the speed factor is out of range. */
export function checkSpeed(speed: number): void {
  if (speed >= 0.25 && speed <= 4) return
  throw new SpeechError('invalid_speed', `The speed ${speed} is out of range: use a number from 0.25 to 4.`)
}

// About an hour and a half of speech, or 200 MB of samples.
const longestText = 100_000

/** Throws `text_too_long` if the text has more than 100,000 characters. */
export function checkTextLength(text: string): void {
  if (text.length <= longestText) return
  const message = `The text has ${text.length} characters; at most ${longestText} can be spoken per call. Split it.`
  throw new SpeechError('text_too_long', message)
}

function parseText(text: string, locale: Locale | undefined): string[] {
  checkTextLength(text)
  const sentences = toSentences(toPlainText(normalizeText(text, locale)))
  if (sentences.length > 0) return sentences
  throw new SpeechError(
    'empty_text',
    'The text contains nothing to speak: it needs English letters or digits.',
  )
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
