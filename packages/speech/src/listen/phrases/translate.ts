import { decodeAudio } from '../../decode/decode-audio.js'
import { SpeechError } from '../../speech-error.js'
import type { Sound } from '../../wav.js'
import { recognizeEnglish, type Segment, type TranscribeOptions, toTranscript } from '../transcribe.js'
import { fitOf, fitOfAnySounds } from './grammar-recognizer.js'
import { isSpoken, type Listened, type RecognizedPhrase, recognizePhrase } from './hear-phrase.js'
import { type PhraseLanguage, phraseBook } from './phrase-book.js'

export interface TranslateOptions extends TranscribeOptions {
  /** The language of the speech: `en`, `es` or `it`. Default: the language is detected. */
  readonly language?: string | undefined
}

export interface Translation {
  /** The text in English. If the speech was in English, it is in lower case and without punctuation. */
  readonly text: string
  /** The language of the speech. */
  readonly language: 'en' | PhraseLanguage
  /** The text, split at pauses. */
  readonly segments: readonly Pick<Segment, 'text' | 'start' | 'end'>[]
  /** The duration of the audio in seconds. */
  readonly duration: number
}

/**
 * Translates speech to English. English speech is transcribed, and a phrase in `phraseBook` is translated. Rejects with
 * a `SpeechError`: `not_in_phrase_book` for other speech, `unsupported_language` for another language, or the errors of
 * `transcribe`. Like `transcribe`, it runs in the calling thread.
 */
export async function translate({ audio, language, signal }: TranslateOptions): Promise<Translation> {
  const known = parseLanguage(language)
  const sound = await decodeAudio(audio, { signal })
  const phrase = known === 'en' ? undefined : await findPhrase(sound, known ? [known] : languages)
  signal?.throwIfAborted()
  if (phrase) return toTranslation(phrase, sound)
  if (known !== 'en' && known !== undefined) throw notInBook(known)
  const pieces = await recognizeEnglish(sound, signal)
  if (!known && pieces[0] && !(await isEnglish(pieces[0]))) throw notInBook()
  const { text, segments, duration } = toTranscript(pieces, sound)
  return { text, segments, duration, language: 'en' }
}

const languages = Object.keys(phraseBook) as PhraseLanguage[]

function parseLanguage(language: string | undefined): 'en' | PhraseLanguage | undefined {
  const known = (['en', ...languages] as const).find((code) => code === language)
  if (known || language === undefined) return known
  const message = `Speech in "${language}" is not supported: use English, es or it. ${plugIn}`
  throw new SpeechError('unsupported_language', message)
}

const plugIn = 'For other languages, load a Whisper model: loadRecognizer(folder).'

function notInBook(language?: PhraseLanguage): SpeechError {
  const heard = language ? `in "${language}" does not match` : 'is neither English nor in'
  const message = `The speech ${heard} the phrase book (see phraseBook). ${plugIn}`
  return new SpeechError('not_in_phrase_book', message)
}

// No phrase is longer.
const longestPhrase = 6

async function findPhrase(
  { samples, sampleRate }: Sound,
  among: readonly PhraseLanguage[],
): Promise<RecognizedPhrase | undefined> {
  if (samples.length > longestPhrase * sampleRate || !samples.some((sample) => sample !== 0)) return undefined
  const listened: Listened = { samples, fitOfAny: await fitOfAnySounds(samples) }
  const heard: RecognizedPhrase[] = []
  for (const language of among) {
    const found = await recognizePhrase(listened, language)
    if (found && isSpoken(found)) heard.push(found)
  }
  return heard.toSorted((one, other) => other.fit - one.fit)[0]
}

function toTranslation({ phrase, language }: RecognizedPhrase, { samples, sampleRate }: Sound): Translation {
  const duration = samples.length / sampleRate
  const { english: text } = phrase
  return { text, language, segments: [{ text, start: 0, end: duration }], duration }
}

// A wrong guess in English hardly matches better than any sequence of phones. Spoken English matches far better,
// because the phones of words are known in context.
const leastEnglish = 8

async function isEnglish({
  samples,
  heard,
}: Awaited<ReturnType<typeof recognizeEnglish>>[number]): Promise<boolean> {
  // The scores of free speech have a different unit.
  return fitOf(heard) / 1024 - (await fitOfAnySounds(samples)) > leastEnglish
}
