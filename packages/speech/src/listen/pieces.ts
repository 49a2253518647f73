/** A stretch of samples, from one place up to another. */
export interface Piece {
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
