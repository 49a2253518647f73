import type { Artifact } from '@capstan/core'

/** A part of a recording that is never split. */
export interface Frame {
  readonly seconds: number
  readonly bytes: number
  /** A measure of loudness in any unit, small for silence. Undefined if unknown. */
  readonly loudness: number | undefined
}

interface ChunkLimits {
  readonly maxBytes: number
  readonly maxSeconds: number
  /** How quiet a pause must be, as a share of the loudness of the surrounding speech. */
  readonly quietShare: number
}

/** Frames that are sent as one recording. */
export interface PlannedChunk {
  readonly from: number
  /** Index after the last frame. */
  readonly to: number
  /** Whether the chunk repeats the end of the previous one, because there was no pause to split at. */
  readonly overlaps: boolean
}

/** Plans chunks of roughly equal length within the limits. Splits at pauses where possible. */
export function planChunks(frames: readonly Frame[], limits: ChunkLimits): PlannedChunk[] {
  const track = new Track(frames, limits)
  const chunks: PlannedChunk[] = []
  let from = 0
  let overlaps = false
  // Plans one more chunk if that leaves room to choose a pause.
  let left = track.piecesFrom(0, 1) === 1 ? 1 : track.piecesFrom(0, 0.9)
  while (left > 1) {
    const { at, isPause } = track.cut({ from, after: chunks.at(-1)?.to ?? 0, pieces: left })
    // The last chunk contains all the rest, so another would be empty.
    if (at === frames.length) break
    chunks.push({ from, to: at, overlaps })
    overlaps = !isPause
    from = isPause ? at : track.again(from, at)
    left = Math.max(left - 1, track.piecesFrom(from, 1))
  }
  return [...chunks, { from, to: frames.length, overlaps }]
}

/** How many seconds two chunks share if there is no pause between them. */
const overlapSeconds = 3
/** How far from an even split to look for a pause, in seconds. */
const searchSeconds = 20
/** Minimum length of a pause, in seconds. Shorter silences are parts of words. */
const pauseSeconds = 0.25

/** Frames with cumulative sums, which make it possible to measure any range in constant time. */
class Track {
  readonly #frames: readonly Frame[]
  readonly #limits: ChunkLimits
  readonly #seconds: Float64Array
  readonly #bytes: Float64Array

  constructor(frames: readonly Frame[], limits: ChunkLimits) {
    this.#frames = frames
    this.#limits = limits
    this.#seconds = sums(frames, ({ seconds }) => seconds)
    this.#bytes = sums(frames, ({ bytes }) => bytes)
  }

  /** Returns how many chunks the frames starting at `from` need if each chunk uses at most this share of the limits. */
  piecesFrom(from: number, share: number): number {
    const { maxBytes, maxSeconds } = this.#limits
    const end = this.#frames.length
    const seconds = at(this.#seconds, end) - at(this.#seconds, from)
    const bytes = at(this.#bytes, end) - at(this.#bytes, from)
    return Math.max(1, Math.ceil(seconds / (maxSeconds * share)), Math.ceil(bytes / (maxBytes * share)))
  }

  /**
   * Returns the frame at which to end the chunk that starts at `from`, if this chunk and the rest become `pieces`
   * chunks of similar length.
   */
  cut({ from, after, pieces: chunks }: { from: number; after: number; pieces: number }): {
    at: number
    isPause: boolean
  } {
    const begin = at(this.#seconds, from)
    const length = (at(this.#seconds, this.#frames.length) - begin) / chunks
    const around = Math.min(searchSeconds, length / 2)
    const least = Math.max(from, after) + 1
    const most = Math.max(least, this.#lastWithin(from))
    const within = (frame: number) => Math.min(most, Math.max(least, frame))
    const early = firstFrom(this.#seconds, begin + length - around)
    const first = within(Math.max(early, this.#firstLeaving(chunks - 1)))
    const last = within(firstFrom(this.#seconds, begin + length + around))
    return this.#quietest(first, Math.max(first, last), begin + length)
  }

  /** Returns the first frame of a chunk that repeats the end of the previous chunk, `from` to `to`. */
  again(from: number, to: number): number {
    const end = at(this.#seconds, to)
    const shared = Math.min(overlapSeconds, (end - at(this.#seconds, from)) / 4)
    const byTime = firstFrom(this.#seconds, end - shared)
    const bySize = firstFrom(this.#bytes, at(this.#bytes, to) - this.#limits.maxBytes / 4)
    return Math.min(to, Math.max(from + 1, byTime, bySize))
  }

  /** Returns the first split after which the rest fits into this number of chunks. */
  #firstLeaving(chunks: number): number {
    const { maxBytes, maxSeconds } = this.#limits
    const end = this.#frames.length
    const early = firstFrom(this.#seconds, at(this.#seconds, end) - chunks * maxSeconds)
    return Math.max(early, firstFrom(this.#bytes, at(this.#bytes, end) - chunks * maxBytes))
  }

  /** Returns the last split that keeps a chunk within both limits. */
  #lastWithin(from: number): number {
    const { maxBytes, maxSeconds } = this.#limits
    const late = firstFrom(this.#seconds, at(this.#seconds, from) + maxSeconds + tiny)
    const large = firstFrom(this.#bytes, at(this.#bytes, from) + maxBytes + tiny)
    return Math.min(late, large) - 1
  }

  /**
   * Returns the middle of the quietest pause in a range, or the range's end if there is no pause. Of equally quiet
   * pauses, chooses the one nearest to `even`.
   */
  #quietest(first: number, last: number, even: number): { at: number; isPause: boolean } {
    const levels = this.#frames.slice(first, last).map(({ loudness }) => loudness ?? Number.NaN)
    const speech = levels.toSorted((a, b) => a - b)[Math.floor(levels.length * 0.8)] ?? Number.NaN
    const pauses: { middle: number; level: number; off: number }[] = []
    for (let begin = first; begin < last; begin++) {
      const end = firstFrom(this.#seconds, at(this.#seconds, begin) + pauseSeconds)
      if (end > last) break
      const level = mean(levels.slice(begin - first, end - first))
      const middle = Math.round((begin + end) / 2)
      if (level <= speech * this.#limits.quietShare)
        pauses.push({ middle, level, off: Math.abs(at(this.#seconds, middle) - even) })
    }
    const quietest = pauses.reduce((least, { level }) => Math.min(least, level), Number.POSITIVE_INFINITY)
    const [best] = pauses.filter(({ level }) => level <= 2 * quietest).sort((a, b) => a.off - b.off)
    return { at: best?.middle ?? last, isPause: best !== undefined }
  }
}

/** A difference that is larger than the rounding error of the sums. */
const tiny = 1e-6

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function sums(frames: readonly Frame[], of: (frame: Frame) => number): Float64Array {
  const all = new Float64Array(frames.length + 1)
  frames.forEach((frame, i) => {
    all[i + 1] = (all[i] ?? 0) + of(frame)
  })
  return all
}

function at(sums: Float64Array, frame: number): number {
  return sums[frame] ?? 0
}

/** Returns the first frame at which the sum reaches a value. */
function firstFrom(sums: Float64Array, value: number): number {
  let [low, high] = [0, sums.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (at(sums, middle) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** A recording that can be streamed any number of times. */
export interface Recording {
  readonly artifact: Artifact
  open(): Promise<ReadableStream<Uint8Array>>
  /** Returns the recording as a Blob, which can be read in any order. Absent if it can only be streamed. */
  file?(): Promise<Blob | undefined>
}

/** The maximum size and duration of a chunk. */
export interface ChunkSize {
  readonly maxBytes: number
  readonly maxSeconds: number
}

/** A recording split into chunks. */
export interface Chunks {
  /** Number of chunks. */
  readonly of: number
  /** Duration of the entire recording. */
  readonly seconds: number
  /** Yields the chunks in order, each created on demand. */
  each(): AsyncIterable<Chunk>
}

/** A part of the recording that is sent as a separate file. */
export interface Chunk {
  /** The chunk's number, starting at 1. */
  readonly number: number
  readonly file: File
  /** The start within the entire recording, in seconds. */
  readonly at: number
  readonly seconds: number
  /** Whether the chunk repeats the end of the previous one. */
  readonly overlaps: boolean
}
