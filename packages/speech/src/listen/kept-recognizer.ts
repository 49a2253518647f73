import { createRecognizer, type Recognizer, type RecognizerOptions } from './recognizer.js'

/** Lends a recogniser. It is made at the first use and kept by this thread; one that failed is not used again. */
export type WithRecognizer = <T>(use: (recognizer: Recognizer) => T) => Promise<T>

export function keepRecognizer(options: () => RecognizerOptions): WithRecognizer {
  let kept: Promise<Recognizer> | undefined
  return async (use) => {
    kept ??= createRecognizer(options())
    try {
      return use(await kept)
    } catch (error) {
      kept = undefined
      throw error
    }
  }
}
