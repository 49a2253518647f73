import type { Rgb } from '../color.js'
import type { Noun } from '../nouns/part.js'

/** A thing with its place in the picture. */
export interface Stand {
  readonly noun: Noun
  readonly color?: Rgb
  /** The pixel its feet stand on. */
  readonly x: number
  readonly y: number
  /** Pixels. */
  readonly height: number
  readonly mirrored: boolean
  readonly on: 'ground' | 'water' | 'air'
}
