/** A repeatable random stream: each call returns the next number, from 0 to below 1. */
export type Random = () => number

/** Creates the stream for a seed, which is the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    return scramble(state) / 4294967296
  }
}

/** Hashes a text and a second number to a 32-bit seed, so that one text has many seeds. */
export function hashText(text: string, salt = 0): number {
  let hash = scramble(salt ^ 0x9e3779b9)
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return scramble(hash)
}

/** Hashes a number to a 32-bit unsigned number. */
export function scramble(value: number): number {
  let t = Math.imul(value ^ (value >>> 15), value | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return (t ^ (t >>> 14)) >>> 0
}

/** Returns a number between two limits. */
export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random()
}

/** Shuffles items with numbers from the stream. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

const side = 128

/** Smooth random noise in the plane, from 0 to 1, with a period of 128 units. */
export interface Noise {
  /** One octave: features of about one unit. */
  at(x: number, y: number): number
  /** Several octaves, each half as wide and half as high as the one before. */
  layered(x: number, y: number, octaves: number): number
  /** The same as `layered` where that reaches `least`, and 0 elsewhere. Much faster if most of the plane is lower. */
  layeredFrom(least: number, x: number, y: number, octaves: number): number
}

/** Creates the noise for a seed. */
export function seededNoise(seed: number): Noise {
  const lattice = new Float32Array(side * side)
  for (let i = 0; i < lattice.length; i++) lattice[i] = scramble(seed + i * 7919) / 4294967296
  const at = (x: number, y: number): number => {
    const left = Math.floor(x)
    const top = Math.floor(y)
    const u = x - left
    const v = y - top
    const su = u * u * (3 - 2 * u)
    const sv = v * v * (3 - 2 * v)
    const row = (top & (side - 1)) * side
    const next = ((top + 1) & (side - 1)) * side
    const west = left & (side - 1)
    const east = (left + 1) & (side - 1)
    const a = lattice[row + west] ?? 0
    const c = lattice[next + west] ?? 0
    const upper = a + ((lattice[row + east] ?? 0) - a) * su
    const lower = c + ((lattice[next + east] ?? 0) - c) * su
    return upper + (lower - upper) * sv
  }

  const layeredFrom = (least: number, x: number, y: number, octaves: number): number => {
    let sum = 0
    let height = 0.5
    let total = 0
    const whole = 1 - 1 / (1 << octaves)
    for (let octave = 0; octave < octaves; octave++) {
      // Rotated and shifted per octave, so that grids do not align.
      sum += at(x + octave * 17.3, y + octave * 9.1) * height
      total += height
      height *= 0.5
      // The remaining octaves add at most this much.
      if (sum + whole - total < least * whole) return 0
      const turned = 1.6 * x - 1.2 * y
      y = 1.2 * x + 1.6 * y
      x = turned
    }
    return sum / total
  }

  const layered = (x: number, y: number, octaves: number): number => layeredFrom(0, x, y, octaves)

  return { at, layered, layeredFrom }
}
