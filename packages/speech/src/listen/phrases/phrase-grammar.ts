import type { Grammar } from './grammar-recognizer.js'
import { type Phrase, type PhraseLanguage, phraseBook } from './phrase-book.js'

/** The phrases of a language, as a grammar for the recogniser. */
export interface PhraseGrammar extends Grammar {
  /** Returns the phrase that a sequence of tokens represents. Undefined if there is none. */
  readonly phraseOf: (tokens: readonly string[]) => Phrase | undefined
}

const vowelNext = '(?=[aeiouáéíóú])'

/** The Latin American pronunciation of Spanish in the most similar English phones, with "c" and "z" as "s". */
export const spanish = toRules([
  ['ch', 'CH'],
  ['ll', 'Y'],
  ['rr', 'R'],
  ['qu(?=[eiéí])', 'K'],
  ['gu(?=[eiéí])', 'G'],
  ['gü', 'G W'],
  ['g(?=[eiéí])', 'HH'],
  ['c(?=[eiéí])', 'S'],
  ['[ck]', 'K'],
  ['g', 'G'],
  ['h', ''],
  ['j', 'HH'],
  ['ñ', 'N Y'],
  ['[sz]', 'S'],
  ['x', 'K S'],
  ['[bv]', 'B'],
  ['a[iy](?![aeou])', 'AY'],
  ['e[iy](?![aeou])', 'EY'],
  ['o[iy](?![aeou])', 'OY'],
  ['au', 'AW'],
  ['y(?=[aeiouáéíóú])', 'Y'],
  ['y', 'IY'],
  [`i${vowelNext}`, 'Y'],
  [`u${vowelNext}`, 'W'],
  ['[aá]', 'AA'],
  ['[eé]', 'EH'],
  ['[ií]', 'IY'],
  ['[oó]', 'OW'],
  ['[uú]', 'UW'],
  ['d', 'D'],
  ['f', 'F'],
  ['l', 'L'],
  ['m', 'M'],
  ['n', 'N'],
  ['p', 'P'],
  ['r', 'R'],
  ['t', 'T'],
])

const vowel = '[aeiouàèéìòù]'

/** The pronunciation of Italian in the most similar English phones. */
export const italian = toRules([
  [`sci(?=[aou])`, 'SH'],
  ['sc(?=[eièéì])', 'SH'],
  [`c?ci(?=[aou])`, 'CH'],
  ['c?c(?=[eièéì])', 'CH'],
  ['c?ch', 'K'],
  ['c?qu', 'K W'],
  ['c?c', 'K'],
  [`g?gi(?=[aou])`, 'JH'],
  ['g?g(?=[eièéì])', 'JH'],
  ['g?gh', 'G'],
  [`gli(?=${vowel})`, 'L Y'],
  ['gli', 'L Y IY'],
  ['gn', 'N Y'],
  ['g?g', 'G'],
  ['h', ''],
  ['zz?', 'T S'],
  [`s(?<=${vowel}s)(?=${vowel})`, 'Z'],
  ['ss?', 'S'],
  ['ai', 'AY'],
  ['ei', 'EY'],
  ['oi', 'OY'],
  ['au', 'AW'],
  [`i(?=${vowel})`, 'Y'],
  [`u(?=${vowel})`, 'W'],
  ['[aà]', 'AA'],
  ['[eèé]', 'EH'],
  ['[iì]', 'IY'],
  ['[oò]', 'OW'],
  ['[uù]', 'UW'],
  ['bb?', 'B'],
  ['dd?', 'D'],
  ['ff?', 'F'],
  ['ll?', 'L'],
  ['mm?', 'M'],
  ['nn?', 'N'],
  ['pp?', 'P'],
  ['rr?', 'R'],
  ['tt?', 'T'],
  ['vv?', 'V'],
])

const rules = { es: spanish, it: italian }

/** Creates the grammar for a language. Tokens represent words, because the recogniser accepts only plain letters. */
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

/** A pronunciation rule: letters at a position, and their phones. */
interface SpellingRule {
  /** Matches at the position itself. The pattern may use a lookbehind to check earlier letters. */
  readonly letters: RegExp
  /** Phones in ARPAbet, as in the recogniser's dictionary. Empty for a silent letter. */
  readonly sounds: string
}

/** Returns the phones of a word. At each position, the first matching rule applies. Throws an Error if none matches. */
export function toSounds(word: string, rules: readonly SpellingRule[]): string {
  const sounds: string[] = []
  let at = 0
  while (at < word.length) {
    const { length, rule } = findRule(word, at, rules)
    if (rule.sounds) sounds.push(rule.sounds)
    at += length
  }
  return sounds.join(' ')
}

function findRule(word: string, at: number, rules: readonly SpellingRule[]) {
  for (const rule of rules) {
    rule.letters.lastIndex = at
    const [found] = rule.letters.exec(word) ?? []
    if (found) return { length: found.length, rule }
  }
  throw new Error(`No pronunciation rule matches "${word}" at "${word.slice(at)}".`)
}

/** Creates rules from pairs of letters (a pattern) and phones. The first match is used. */
function toRules(pairs: readonly (readonly [letters: string, sounds: string])[]): SpellingRule[] {
  return pairs.map(([letters, sounds]) => ({ letters: new RegExp(letters, 'y'), sounds }))
}
