import { fitOf, keepGrammarRecognizer } from './grammar-recognizer.js'

// All that the acoustic model knows.
const sounds =
  'AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH'.split(
    ' ',
  )

const withSounds = keepGrammarRecognizer(() => ({
  dictionary: sounds.map((sound) => `${sound.toLowerCase()} ${sound}\n`).join(''),
  rules: `#JSGF V1.0;\ngrammar sounds;\npublic <any> = (${sounds.join(' | ').toLowerCase()})+;\n`,
}))

/** How well a sound fits any row of speech sounds at all: what is really said fits about as well. */
export async function fitOfAnySounds(samples: Int16Array): Promise<number> {
  return fitOf(await withSounds(({ recognize }) => recognize(samples)))
}
