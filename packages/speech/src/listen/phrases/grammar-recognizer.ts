import { keepRecognizer, type WithRecognizer } from '../kept-recognizer.js'
import { acousticModel, readModelFile } from '../model-files.js'
import type { Heard } from '../recognizer.js'

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
