import type { Sound } from '../wav.js'
import { keepRecognizer } from './kept-recognizer.js'
import { acousticModel, readModelFile } from './model-files.js'
import { toPieces } from './pieces.js'
import type { Heard } from './recognizer.js'

/** What was heard in a piece of a sound. */
export interface HeardPiece {
  /** Where the piece begins, in seconds. */
  readonly start: number
  readonly samples: Int16Array
  readonly heard: readonly Heard[]
}

/** Hears free English, piece by piece, with a turn of the event loop before each: the signal can stop it there. */
export async function hearEnglish(
  { samples, sampleRate }: Sound,
  signal: AbortSignal | undefined,
): Promise<HeardPiece[]> {
  const pieces: HeardPiece[] = []
  for (const { from, to } of toPieces(samples)) {
    await nextTurn()
    signal?.throwIfAborted()
    const piece = samples.subarray(from, to)
    const heard = await withEnglish(({ recognize }) => recognize(piece))
    pieces.push({ start: from / sampleRate, samples: piece, heard })
  }
  return pieces
}

/** 72 000 words, and how likely each is after two others. */
const withEnglish = keepRecognizer(() => ({
  parameters: { ...acousticModel, '-dict': '/cmudict-en-us.dict', '-lm': '/en-us.lm.bin' },
  readFile: readModelFile,
}))

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
