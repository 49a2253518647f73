import type { WithRecognizer } from '../recognizer.js'
import { cacheGrammarRecognizer, fitOf } from './grammar-recognizer.js'
import type { Phrase, PhraseLanguage } from './phrase-book.js'
import { type PhraseGrammar, toPhraseGrammar } from './phrase-grammar.js'

/** The phrase of a language that is most similar to some audio. */
export interface RecognizedPhrase {
  readonly language: PhraseLanguage
  readonly phrase: Phrase
  /** How well the phrase matches, compared with any sequence of phones: 0 if equally well, and negative if worse. */
  readonly fit: number
  /** The share of the audio that the phrase covers. Roughly 1 for a spoken phrase. */
  readonly coverage: number
  /** The speed of speaking, in letters per second. */
  readonly pace: number
}

export interface Listened {
  readonly samples: Int16Array
  /** The result of `fitOfAnySounds` for the samples. */
  readonly fitOfAny: number
}

/** Finds the phrase that is most similar to audio. Undefined if no phrase matches at all. */
export async function recognizePhrase(
  { samples, fitOfAny }: Listened,
  language: PhraseLanguage,
): Promise<RecognizedPhrase | undefined> {
  const { withRecognizer, phraseOf } = getEngine(language)
  const heard = await withRecognizer(({ recognize }) => recognize(samples))
  const words = heard.filter(({ word }) => /^w\d/.test(word))
  const phrase = phraseOf(words.map(({ word }) => word.replace(/\(\d+\)$/, '')))
  if (!phrase) return undefined
  const length = words.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  return {
    language,
    phrase,
    fit: fitOf(heard) - fitOfAny,
    coverage: length / Math.max(1, soundingFrames(samples)),
    pace: (100 * (phrase.text.match(/\p{L}/gu)?.length ?? 0)) / length,
  }
}

/**
 * Whether the phrase itself was spoken, rather than something similar. See `docs/reference/listening.md` for the
 * accuracy.
 */
export function isSpoken({ fit, coverage, pace }: RecognizedPhrase): boolean {
  return fit > -28 && coverage > 0.7 && pace > 6 && pace < 18
}

interface Engine extends Pick<PhraseGrammar, 'phraseOf'> {
  readonly withRecognizer: WithRecognizer
}

const engines = new Map<PhraseLanguage, Engine>()

function getEngine(language: PhraseLanguage): Engine {
  const engine = engines.get(language) ?? createEngine(language)
  engines.set(language, engine)
  return engine
}

function createEngine(language: PhraseLanguage): Engine {
  const grammar = toPhraseGrammar(language)
  return { withRecognizer: cacheGrammarRecognizer(() => grammar), phraseOf: grammar.phraseOf }
}

const frame = 160

/** Returns the number of hundredths of a second that are not much quieter than the loudest one. */
function soundingFrames(samples: Int16Array): number {
  const levels = Array.from({ length: Math.floor(samples.length / frame) }, (_, index) =>
    Math.hypot(...samples.subarray(index * frame, (index + 1) * frame)),
  )
  const audible = 0.05 * levels.reduce((most, level) => Math.max(most, level), 0)
  return levels.filter((level) => level > audible).length
}
