import type { Artifact } from '@capstan/core'

/** A stretch of a recording that is never cut. */
export interface Frame {
  readonly seconds: number
  readonly bytes: number
  /** By any measure that is small for silence; undefined where nothing is known. */
  readonly loudness: number | undefined
}

interface PieceLimits {
  readonly maxBytes: number
  readonly maxSeconds: number
  /** A pause is quieter than this share of the speech around it. */
  readonly quietShare: number
}

/** Frames that are sent as one recording. */
export interface PlannedPiece {
  readonly from: number
  /** The first frame that is not in it. */
  readonly to: number
  /** Begins again with the end of the piece before, because no pause was found to cut in. */
  readonly overlaps: boolean
}

/** Which frames go together: pieces of about one length, none above a limit, cut in pauses where there are any. */
export function planPieces(frames: readonly Frame[], limits: PieceLimits): PlannedPiece[] {
  const track = new Track(frames, limits)
  const pieces: PlannedPiece[] = []
  let from = 0
  let overlaps = false
  // One more than needed, where that leaves room to look for pauses.
  let left = track.piecesFrom(0, 1) === 1 ? 1 : track.piecesFrom(0, 0.9)
  while (left > 1) {
    const { at, isPause } = track.cut({ from, after: pieces.at(-1)?.to ?? 0, pieces: left })
    // All that is left fits into one: one more would be empty.
    if (at === frames.length) break
    pieces.push({ from, to: at, overlaps })
    overlaps = !isPause
    from = isPause ? at : track.again(from, at)
    left = Math.max(left - 1, track.piecesFrom(from, 1))
  }
  return [...pieces, { from, to: frames.length, overlaps }]
}

/** What pieces share where no pause was found. */
const overlapSeconds = 3
/** How far around the even length a pause is looked for. */
const searchSeconds = 20
/** Shorter silences are parts of words. */
const pauseSeconds = 0.25

/** Frames with their sums, so that any stretch is measured at once. */
class Track {
  readonly #frames: readonly Frame[]
  readonly #limits: PieceLimits
  readonly #seconds: Float64Array
  readonly #bytes: Float64Array

  constructor(frames: readonly Frame[], limits: PieceLimits) {
    this.#frames = frames
    this.#limits = limits
    this.#seconds = sums(frames, ({ seconds }) => seconds)
    this.#bytes = sums(frames, ({ bytes }) => bytes)
  }

  /** How many pieces the rest needs that fill this share of the limits. */
  piecesFrom(from: number, share: number): number {
    const { maxBytes, maxSeconds } = this.#limits
    const end = this.#frames.length
    const seconds = at(this.#seconds, end) - at(this.#seconds, from)
    const bytes = at(this.#bytes, end) - at(this.#bytes, from)
    return Math.max(1, Math.ceil(seconds / (maxSeconds * share)), Math.ceil(bytes / (maxBytes * share)))
  }

  /** Where to cut, after a frame, so that so many pieces of about one length come of what is left. */
  cut({ from, after, pieces }: { from: number; after: number; pieces: number }): {
    at: number
    isPause: boolean
  } {
    const begin = at(this.#seconds, from)
    const length = (at(this.#seconds, this.#frames.length) - begin) / pieces
    const around = Math.min(searchSeconds, length / 2)
    const least = Math.max(from, after) + 1
    const most = Math.max(least, this.#lastWithin(from))
    const within = (frame: number) => Math.min(most, Math.max(least, frame))
    const early = firstFrom(this.#seconds, begin + length - around)
    const first = within(Math.max(early, this.#firstLeaving(pieces - 1)))
    const last = within(firstFrom(this.#seconds, begin + length + around))
    return this.#quietest(first, Math.max(first, last), begin + length)
  }

  /** Where a piece begins that repeats the end of the one before. */
  again(from: number, to: number): number {
    const end = at(this.#seconds, to)
    const shared = Math.min(overlapSeconds, (end - at(this.#seconds, from)) / 4)
    const byTime = firstFrom(this.#seconds, end - shared)
    const bySize = firstFrom(this.#bytes, at(this.#bytes, to) - this.#limits.maxBytes / 4)
    return Math.min(to, Math.max(from + 1, byTime, bySize))
  }

  /** The first cut that leaves no more than so many pieces hold. */
  #firstLeaving(pieces: number): number {
    const { maxBytes, maxSeconds } = this.#limits
    const end = this.#frames.length
    const early = firstFrom(this.#seconds, at(this.#seconds, end) - pieces * maxSeconds)
    return Math.max(early, firstFrom(this.#bytes, at(this.#bytes, end) - pieces * maxBytes))
  }

  /** The last cut that keeps a piece within both limits. */
  #lastWithin(from: number): number {
    const { maxBytes, maxSeconds } = this.#limits
    const late = firstFrom(this.#seconds, at(this.#seconds, from) + maxSeconds + tiny)
    const large = firstFrom(this.#bytes, at(this.#bytes, from) + maxBytes + tiny)
    return Math.min(late, large) - 1
  }

  /** The middle of a pause between two cuts, else the last of the two. Of equally quiet ones, that nearest to a time. */
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

/** More than sums of fractions are wrong by. */
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

/** The first frame at or after which a sum reaches a value. */
function firstFrom(sums: Float64Array, value: number): number {
  let [low, high] = [0, sums.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (at(sums, middle) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** A recording that is read as a stream, as often as needed. */
export interface Recording {
  readonly artifact: Artifact
  open(): Promise<ReadableStream<Uint8Array>>
  /** The same as a file on disk, where it is one. */
  file?(): Promise<Blob | undefined>
}

/** Above which a recording is sent in pieces, and how long these are. */
export interface PieceSize {
  readonly maxBytes: number
  readonly maxSeconds: number
}

/** A recording as several. */
export interface Pieces {
  /** How many. */
  readonly of: number
  /** How long the whole recording sounds. */
  readonly seconds: number
  /** In order, each made when it is asked for. */
  each(): AsyncIterable<Piece>
}

/** One of them: a recording of its own. */
export interface Piece {
  /** From 1. */
  readonly number: number
  readonly file: File
  /** Where in the whole it begins, in seconds. */
  readonly at: number
  readonly seconds: number
  /** Begins again with the end of the piece before. */
  readonly overlaps: boolean
}
