import { decodeAudio } from '../decode/decode-audio.js'
import type { Sound } from '../wav.js'
import { acousticModel, cacheRecognizer, type Heard, readModelFile } from './recognizer.js'

export interface TranscribeOptions {
  /** An audio file or samples, up to 30 minutes long. The type of a file is detected from its content. */
  readonly audio: Uint8Array | Sound
  /** Stops the work before the next chunk of up to 15 s. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface Transcript {
  /** The text of the speech, in lower case and without punctuation. Empty if there is no speech. */
  readonly text: string
  readonly words: readonly SpokenWord[]
  /** The same words, divided at pauses. */
  readonly segments: readonly Segment[]
  /** The duration of the audio in seconds. */
  readonly duration: number
}

/**
 * Transcribes English speech. Runs in the calling thread, and takes 0.3 to 0.5 s per second of audio. The first call
 * loads the recogniser (about 1.5 s, 100 MB), which stays loaded in the thread. The same audio always results in the
 * same text. Rejects with a `SpeechError` if the audio cannot be read.
 */
export async function transcribe({ audio, signal }: TranscribeOptions): Promise<Transcript> {
  const sound = await decodeAudio(audio, { signal })
  return toTranscript(await recognizeEnglish(sound, signal), sound)
}

/** Joins the results for all chunks into one transcript. */
export function toTranscript(pieces: readonly ChunkResult[], { samples, sampleRate }: Sound): Transcript {
  const words = pieces.flatMap(({ start, heard }) => toSpokenWords(heard, start))
  return {
    text: words.map(({ word }) => word).join(' '),
    words,
    segments: toSegments(words),
    duration: samples.length / sampleRate,
  }
}

/** A spoken word with its start and end. */
export interface SpokenWord {
  readonly word: string
  /** The time from the start of the audio, in seconds. */
  readonly start: number
  readonly end: number
  /** The recogniser's confidence, from 0 to 1. */
  readonly confidence: number
}

/** Returns the words in a result, without silence and noise. `offset` is the start of the chunk in seconds. */
export function toSpokenWords(heard: readonly Heard[], offset = 0): SpokenWord[] {
  return heard
    .filter(({ word }) => !/^[<[+]/.test(word))
    .map(({ word, from, to, confidence }) => ({
      // In dictionaries, the pronunciations of a word are numbered.
      word: word.replace(/\(\d+\)$/, ''),
      start: toSeconds(offset + from / 100),
      end: toSeconds(offset + (to + 1) / 100),
      confidence: Math.round(confidence * 1000) / 1000,
    }))
}

function toSeconds(time: number): number {
  return Math.round(time * 100) / 100
}

/** Words without a pause between them. */
export interface Segment {
  readonly text: string
  /** The time from the start of the audio, in seconds. */
  readonly start: number
  readonly end: number
  /** The mean confidence of the segment's words, from 0 to 1. */
  readonly confidence: number
  readonly words: readonly SpokenWord[]
}

const pause = 0.4
const longest = 8

/** Groups words at pauses. Splits groups of more than 8 s, so that subtitles remain readable. */
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

/** The recognition result of one chunk. */
interface ChunkResult {
  /** The start of the chunk in seconds. */
  readonly start: number
  readonly samples: Int16Array
  readonly heard: readonly Heard[]
}

/**
 * Recognises free English, chunk by chunk. Yields to the event loop before each chunk. Only then can the signal stop
 * the work.
 */
export async function recognizeEnglish(
  { samples, sampleRate }: Sound,
  signal: AbortSignal | undefined,
): Promise<ChunkResult[]> {
  const pieces: ChunkResult[] = []
  for (const { from, to } of toChunks(samples)) {
    await nextTurn()
    signal?.throwIfAborted()
    const piece = samples.subarray(from, to)
    const heard = await withEnglish(({ recognize }) => recognize(piece))
    pieces.push({ start: from / sampleRate, samples: piece, heard })
  }
  return pieces
}

/** A recogniser with 72,000 words, and with the probability of each word after the previous two words. */
const withEnglish = cacheRecognizer(() => ({
  parameters: { ...acousticModel, '-dict': '/cmudict-en-us.dict', '-lm': '/en-us.lm.bin' },
  readFile: readModelFile,
}))

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

/** A range of samples. */
interface SampleRange {
  readonly from: number
  readonly to: number
}

const frame = 160
const longestPiece = 15 * 16_000
const shortestPiece = 5 * 16_000

/**
 * Cuts long audio (16 000 samples per second) into chunks of at most 15 s. Cuts at the quietest points, so that no word
 * is cut. Omits silent chunks.
 */
export function toChunks(samples: Int16Array): SampleRange[] {
  const loudness = toLoudness(samples)
  const pieces: SampleRange[] = []
  let from = 0
  while (from < samples.length) {
    const to = samples.length - from <= longestPiece ? samples.length : from + cutAfter(loudness, from)
    if (sounds(samples, { from, to })) pieces.push({ from, to })
    from = to
  }
  return pieces
}

/** Returns the power of each hundredth of a second. */
function toLoudness(samples: Int16Array): Float64Array {
  return Float64Array.from({ length: Math.ceil(samples.length / frame) }, (_, index) =>
    samples.subarray(index * frame, (index + 1) * frame).reduce((sum, sample) => sum + sample * sample, 0),
  )
}

// The length of a short pause between words.
const pauseFrames = 20

/**
 * Returns the length of the next chunk in samples. The chunk ends in the middle of the quietest pause. If two pauses
 * are equally quiet, the later one is used.
 */
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

// Anything quieter is only the noise of a converter.
const audible = 64

function sounds(samples: Int16Array, { from, to }: SampleRange): boolean {
  return samples.subarray(from, to).some((sample) => Math.abs(sample) > audible)
}
