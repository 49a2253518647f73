/** A repeatable stream of random numbers. Each call returns the next number, from 0 to below 1. */
export type Random = () => number

/** Creates the stream for a seed. It is the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    return scramble(state) / 4294967296
  }
}

/** Hashes a string and a number to a 32-bit seed. Use different numbers to derive several seeds from one string. */
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

/** Shuffles items with random numbers from the stream. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

const side = 128

/** Smooth random noise in the plane, with values from 0 to 1. It repeats every 128 units. */
export interface Noise {
  /** Returns one octave, with features of about one unit. */
  at(x: number, y: number): number
  /** Returns several octaves. Each is half as wide and half as high as the previous one. */
  layered(x: number, y: number, octaves: number): number
  /**
   * Returns the same as `layered` where the value is at least `least`, and 0 elsewhere. This is much faster if most
   * values are lower.
   */
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
      // Rotates and shifts each octave, so that grids do not align.
      sum += at(x + octave * 17.3, y + octave * 9.1) * height
      total += height
      height *= 0.5
      // The remaining octaves can add at most this much.
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
