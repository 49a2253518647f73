import {
  acousticModel,
  cacheRecognizer,
  type Heard,
  readModelFile,
  type WithRecognizer,
} from '../recognizer.js'

/** A fixed set of sentences with their pronunciation. */
export interface Grammar {
  /** One line per token, with the token and its phones. */
  readonly dictionary: string
  /** The grammar in JSGF, in which tokens represent words. */
  readonly rules: string
}

/**
 * Returns a recogniser for a fixed set of sentences. It is created on first use (0.2 s, about 40 MB) and cached in this
 * thread.
 */
export function cacheGrammarRecognizer(grammar: () => Grammar): WithRecognizer {
  return cacheRecognizer(() => {
    const { dictionary, rules } = grammar()
    const files: Readonly<Record<string, string>> = {
      '/list.dict': dictionary,
      '/list.gram': rules,
      // Has no filler sounds, so that all audio must be part of a phrase.
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

// Scores every phone in every frame, and prunes few paths early, so that results can be compared.
const scoring = {
  '-compallsen': 'yes',
  '-bestpath': 'no',
  '-beam': '1e-120',
  '-pbeam': '1e-120',
  '-wbeam': '1e-100',
} as const

/** Returns how well audio matches a recognition result, as a log likelihood per hundredth of a second. */
export function fitOf(heard: readonly Heard[]): number {
  return heard.reduce((sum, { fit }) => sum + fit, 0) / Math.max(1, heard.at(-1)?.to ?? 1)
}

// All phones in the acoustic model.
const sounds =
  'AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH'.split(
    ' ',
  )

const withSounds = cacheGrammarRecognizer(() => ({
  dictionary: sounds.map((sound) => `${sound.toLowerCase()} ${sound}\n`).join(''),
  rules: `#JSGF V1.0;\ngrammar sounds;\npublic <any> = (${sounds.join(' | ').toLowerCase()})+;\n`,
}))

/**
 * Returns how well audio matches any sequence of phones. Audio of a real phrase matches that phrase about equally well.
 */
export async function fitOfAnySounds(samples: Int16Array): Promise<number> {
  return fitOf(await withSounds(({ recognize }) => recognize(samples)))
}
