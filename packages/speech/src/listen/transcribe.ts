import { decodeAudio } from '../decode/decode-audio.js'
import type { Sound } from '../wav.js'
import { acousticModel, type Heard, keepRecognizer, readModelFile } from './recognizer.js'

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

/** A word as it was said, with its place in the sound. */
export interface SpokenWord {
  readonly word: string
  /** Seconds from the start of the sound. */
  readonly start: number
  readonly end: number
  /** How sure the recogniser is of it, from 0 to 1. */
  readonly confidence: number
}

/** The words of what was heard, without silence and noise; `offset` is where the hearing began, in seconds. */
export function toSpokenWords(heard: readonly Heard[], offset = 0): SpokenWord[] {
  return heard
    .filter(({ word }) => !/^[<[+]/.test(word))
    .map(({ word, from, to, confidence }) => ({
      // A dictionary numbers the ways in which a word can be said.
      word: word.replace(/\(\d+\)$/, ''),
      start: toSeconds(offset + from / 100),
      end: toSeconds(offset + (to + 1) / 100),
      confidence: Math.round(confidence * 1000) / 1000,
    }))
}

function toSeconds(time: number): number {
  return Math.round(time * 100) / 100
}

/** Words said in one breath. */
export interface Segment {
  readonly text: string
  /** Seconds from the start of the sound. */
  readonly start: number
  readonly end: number
  /** The mean of its words', from 0 to 1. */
  readonly confidence: number
  readonly words: readonly SpokenWord[]
}

const pause = 0.4
const longest = 8

/** Words in the stretches between pauses; a stretch of more than 8 s is divided, for it is to be read at once. */
export function toSegments(words: readonly SpokenWord[]): Segment[] {
  const groups: SpokenWord[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    if (group && continues(group, word)) group.push(word)
    else groups.push([word])
  }
  return groups.map(toSegment)
}

function continues(group: readonly SpokenWord[], { start, end }: SpokenWord): boolean {
  const [first, last] = [group[0], group.at(-1)]
  return first !== undefined && last !== undefined && start - last.end < pause && end - first.start <= longest
}

function toSegment(words: readonly SpokenWord[]): Segment {
  const sum = words.reduce((total, { confidence }) => total + confidence, 0)
  return {
    text: words.map(({ word }) => word).join(' '),
    start: words[0]?.start ?? 0,
    end: words.at(-1)?.end ?? 0,
    confidence: Math.round((sum / words.length) * 1000) / 1000,
    words,
  }
}

/** What was heard in a piece of a sound. */
interface HeardPiece {
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

/** A stretch of samples, from one place up to another. */
interface Piece {
  readonly from: number
  readonly to: number
}

const frame = 160
const longestPiece = 15 * 16_000
const shortestPiece = 5 * 16_000

/**
 * A long sound (16 000 samples per second) in pieces of at most 15 s, cut where it is quietest, so that no word is
 * cut through when people pause. Pieces in which nothing sounds are left out.
 */
export function toPieces(samples: Int16Array): Piece[] {
  const loudness = toLoudness(samples)
  const pieces: Piece[] = []
  let from = 0
  while (from < samples.length) {
    const to = samples.length - from <= longestPiece ? samples.length : from + cutAfter(loudness, from)
    if (sounds(samples, { from, to })) pieces.push({ from, to })
    from = to
  }
  return pieces
}

/** The power of each hundredth of a second. */
function toLoudness(samples: Int16Array): Float64Array {
  return Float64Array.from({ length: Math.ceil(samples.length / frame) }, (_, index) =>
    samples.subarray(index * frame, (index + 1) * frame).reduce((sum, sample) => sum + sample * sample, 0),
  )
}

// As long as a short pause between words.
const pauseFrames = 20

/** How many samples the next piece has: it ends in the middle of the quietest pause, the later one of two. */
function cutAfter(loudness: Float64Array, from: number): number {
  const first = from / frame
  let [best, quietest] = [0, Number.POSITIVE_INFINITY]
  for (let at = shortestPiece / frame; at + pauseFrames <= longestPiece / frame; at++) {
    const pause = loudness.subarray(first + at, first + at + pauseFrames)
    const power = pause.reduce((sum, one) => sum + one, 0)
    if (power <= quietest) [best, quietest] = [at, power]
  }
  return (best + pauseFrames / 2) * frame
}

// Below this, there is nothing but the noise of a converter.
const audible = 64

function sounds(samples: Int16Array, { from, to }: Piece): boolean {
  return samples.subarray(from, to).some((sample) => Math.abs(sample) > audible)
}
