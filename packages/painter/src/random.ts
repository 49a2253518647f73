/** A repeatable stream of numbers: each call gives the next one, from 0 up to but not including 1. */
export type Random = () => number

/** A stream that is the same for the same seed on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    return scramble(state) / 4294967296
  }
}

/** A 32-bit seed for a text, and for a second number so that one text has many seeds. */
export function hashText(text: string, salt = 0): number {
  let hash = scramble(salt ^ 0x9e3779b9)
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return scramble(hash)
}

/** A well-mixed 32-bit unsigned number for a number. */
export function scramble(value: number): number {
  let t = Math.imul(value ^ (value >>> 15), value | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return (t ^ (t >>> 14)) >>> 0
}

/** A number between two bounds. */
export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random()
}

/** The same items in an order the stream decides. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
