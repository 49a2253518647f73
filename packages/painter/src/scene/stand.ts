import type { Rgb } from '../color.js'
import type { Noun, Part } from '../nouns/part.js'

/** A thing with its place in the picture. */
export interface Stand {
  readonly noun: Noun
  readonly parts: readonly Part[]
  readonly color?: Rgb
  /** The pixel its feet stand on. */
  readonly x: number
  readonly y: number
  /** Pixels. */
  readonly height: number
  readonly mirrored: boolean
  readonly on: 'ground' | 'water' | 'air'
  /** The row of the ground under it: its own `y`, unless something carries it. The lower, the nearer. */
  readonly base: number
  /** Of two with one base, the one with more is nearer. */
  readonly layer: number
  /** Things with one number belong together, and may cover each other. */
  readonly group: number
}
