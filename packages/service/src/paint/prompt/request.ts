import type { Rgb } from '../color.js'
import type { Noun } from '../nouns/part.js'

/** A time of day. */
export type Time = 'day' | 'dawn' | 'sunset' | 'night'

/** A landscape. */
export type Place =
  | 'meadow'
  | 'sea'
  | 'beach'
  | 'snow'
  | 'desert'
  | 'city'
  | 'forest'
  | 'mountains'
  | 'space'
  | 'underwater'
  | 'sky'

/** A kind of weather. */
export type Weather = 'clear' | 'clouds' | 'rain' | 'snow' | 'fog' | 'storm' | 'wind'

/** A mood of the whole picture. */
export type Tone =
  | 'darker'
  | 'lighter'
  | 'warmer'
  | 'cooler'
  | 'monochrome'
  | 'sepia'
  | 'vivid'
  | 'pale'
  | 'autumn'

/** Where in the picture. */
export type Side = 'left' | 'middle' | 'right' | 'top' | 'bottom'

/** A thing the prompt asks for. */
export interface Wanted {
  readonly noun: Noun
  /** 1 to 12. */
  readonly count: number
  readonly color?: Named
  /** A factor on the noun's own size. */
  readonly size: number
  readonly side?: Side
}

/** A colour and the word it was asked for with. */
export interface Named {
  readonly word: string
  readonly rgb: Rgb
}

/** What a word is about; `color` only where it belongs to no thing. */
export type Aspect = 'things' | 'place' | 'time' | 'weather' | 'tones' | 'sky' | 'color'

/** A word or phrase that was understood. */
export interface Heard {
  readonly words: string
  readonly about: Aspect
}

/** What was understood of a prompt. */
export interface Request {
  readonly things: readonly Wanted[]
  readonly place?: Place
  readonly time?: Time
  /** Kinds of weather with their strength: 1 is usual, 0.5 light, 1.6 heavy. */
  readonly weather: ReadonlyMap<Weather, number>
  readonly tones: readonly Tone[]
  /** A colour asked for the sky. */
  readonly sky?: Named
  /** The last colour that belonged to no thing. */
  readonly color?: Named
  /** The words that were understood, in order. */
  readonly heard: readonly Heard[]
  /** All words, in lower case: the seed of the picture. */
  readonly text: string
}

/** The words about some aspects (default: all), in the prompt's order, each once. */
export function wordsOf({ heard }: Request, aspects?: readonly Aspect[]): string[] {
  const kept = heard.filter(({ about }) => !aspects || aspects.includes(about))
  return [...new Set(kept.map(({ words }) => words))]
}
