import {
  acousticModel,
  type Heard,
  keepRecognizer,
  readModelFile,
  type WithRecognizer,
} from '../recognizer.js'

/** What may be said, and how it sounds. */
export interface Grammar {
  /** A line for each token: the token and its sounds. */
  readonly dictionary: string
  /** JSGF, with tokens for words. */
  readonly rules: string
}

/** A recogniser of a closed list, made at its first use (0.2 s, about 40 MB) and kept by this thread. */
export function keepGrammarRecognizer(grammar: () => Grammar): WithRecognizer {
  return keepRecognizer(() => {
    const { dictionary, rules } = grammar()
    const files: Readonly<Record<string, string>> = {
      '/list.dict': dictionary,
      '/list.gram': rules,
      // No noises: what sounds must be part of what is said.
      '/silence.dict': '<s> SIL\n</s> SIL\n<sil> SIL\n',
    }
    return {
      parameters: {
        ...acousticModel,
        ...scoring,
        '-dict': '/list.dict',
        '-jsgf': '/list.gram',
        '-fdict': '/silence.dict',
      },
      readFile: (name) => (files[name] ? new TextEncoder().encode(files[name]) : readModelFile(name)),
    }
  })
}

// Every sound is scored at every moment, and few ways are given up early: so hearings can be weighed against each other.
const scoring = {
  '-compallsen': 'yes',
  '-bestpath': 'no',
  '-beam': '1e-120',
  '-pbeam': '1e-120',
  '-wbeam': '1e-100',
} as const

/** How well a sound fits what was heard in it, for each hundredth of a second: the logarithm of a likelihood. */
export function fitOf(heard: readonly Heard[]): number {
  return heard.reduce((sum, { fit }) => sum + fit, 0) / Math.max(1, heard.at(-1)?.to ?? 1)
}

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
