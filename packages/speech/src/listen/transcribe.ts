import { decodeAudio } from '../decode/decode-audio.js'
import type { Sound } from '../wav.js'
import { type HeardPiece, hearEnglish } from './hear-english.js'
import { type Segment, toSegments } from './segments.js'
import { type SpokenWord, toSpokenWords } from './spoken-word.js'

export interface TranscribeOptions {
  /** An audio file of up to 30 minutes, told by its content, or samples. */
  readonly audio: Uint8Array | Sound
  /** Stops the work at the next piece of up to 15 s; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface Transcript {
  /** What was said, in lower case and without punctuation; empty when nothing was. */
  readonly text: string
  readonly words: readonly SpokenWord[]
  /** The words again, divided at the pauses. */
  readonly segments: readonly Segment[]
  /** Seconds of sound. */
  readonly duration: number
}

/**
 * Writes down English speech. Works in the calling thread, 0.3 to 0.5 s for each second of sound; the
 * first call loads the recogniser (about 1.5 s, 100 MB), which the thread then keeps. The same sound always gives
 * the same words. Rejects with a `SpeechError` when the audio cannot be read.
 */
export async function transcribe({ audio, signal }: TranscribeOptions): Promise<Transcript> {
  const sound = await decodeAudio(audio, { signal })
  return toTranscript(await hearEnglish(sound, signal), sound)
}

/** What was heard in the pieces of a sound, as one transcript. */
export function toTranscript(pieces: readonly HeardPiece[], { samples, sampleRate }: Sound): Transcript {
  const words = pieces.flatMap(({ start, heard }) => toSpokenWords(heard, start))
  return {
    text: words.map(({ word }) => word).join(' '),
    words,
    segments: toSegments(words),
    duration: samples.length / sampleRate,
  }
}
