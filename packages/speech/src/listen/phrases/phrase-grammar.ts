import type { Grammar } from './grammar-recognizer.js'
import { italian } from './italian.js'
import { type Phrase, type PhraseLanguage, phraseBook } from './phrase-book.js'
import { spanish } from './spanish.js'
import { toSounds } from './spelling.js'

/** The phrases of a language, as the recogniser reads them. */
export interface PhraseGrammar extends Grammar {
  /** The phrase that these tokens make. */
  readonly phraseOf: (tokens: readonly string[]) => Phrase | undefined
}

const rules = { es: spanish, it: italian }

/** Tokens stand for words, since the recogniser knows plain letters only. */
export function toPhraseGrammar(language: PhraseLanguage): PhraseGrammar {
  const phrases = phraseBook[language]
  const words = [...new Set(phrases.flatMap(toWords))]
  const token = (word: string) => `w${words.indexOf(word)}`
  const lines = phrases.map((phrase) => toWords(phrase).map(token).join(' '))
  return {
    dictionary: words.map((word) => `${token(word)} ${toSounds(word, rules[language])}\n`).join(''),
    rules: `#JSGF V1.0;\ngrammar phrases;\npublic <phrase> = ${lines.join(' | ')};\n`,
    phraseOf: (tokens) => phrases[lines.indexOf(tokens.join(' '))],
  }
}

function toWords({ text }: Phrase): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}
