import { scramble } from './random.js'

const side = 128

/** Smooth random hills over the plane, from 0 to 1, repeating every 128 units. */
export interface Noise {
  /** One octave: hills about one unit wide. */
  at(x: number, y: number): number
  /** Several octaves, each half as wide and half as high as the one before. */
  layered(x: number, y: number, octaves: number): number
}

/** The hills that belong to a seed. */
export function seededNoise(seed: number): Noise {
  const lattice = new Float32Array(side * side)
  for (let i = 0; i < lattice.length; i++) lattice[i] = scramble(seed + i * 7919) / 4294967296
  const corner = (x: number, y: number): number => lattice[(y & (side - 1)) * side + (x & (side - 1))] ?? 0

  const at = (x: number, y: number): number => {
    const left = Math.floor(x)
    const top = Math.floor(y)
    const u = x - left
    const v = y - top
    const su = u * u * (3 - 2 * u)
    const sv = v * v * (3 - 2 * v)
    const a = corner(left, top)
    const c = corner(left, top + 1)
    const upper = a + (corner(left + 1, top) - a) * su
    const lower = c + (corner(left + 1, top + 1) - c) * su
    return upper + (lower - upper) * sv
  }

  const layered = (x: number, y: number, octaves: number): number => {
    let sum = 0
    let height = 0.5
    let total = 0
    for (let octave = 0; octave < octaves; octave++) {
      // Turned and shifted per octave, so that the grid of one does not show through the next.
      sum += at(x + octave * 17.3, y + octave * 9.1) * height
      total += height
      height *= 0.5
      const turned = 1.6 * x - 1.2 * y
      y = 1.2 * x + 1.6 * y
      x = turned
    }
    return sum / total
  }

  return { at, layered }
}
