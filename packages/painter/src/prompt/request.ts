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
  | 'room'
  | 'plain'

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

/** A way of painting. */
export type Style =
  | 'watercolour'
  | 'oil'
  | 'pixels'
  | 'lines'
  | 'pencil'
  | 'cartoon'
  | 'minimal'
  | 'poster'
  | 'mosaic'
  | 'neon'
  | 'blueprint'

/** Where one thing is, seen from another. */
export type Relation = 'on' | 'under' | 'above' | 'behind' | 'front' | 'left' | 'right' | 'beside' | 'between'

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
  readonly placed?: Placement
}

/** A thing's place by that of others. */
export interface Placement {
  readonly relation: Relation
  /** The things it is placed by, as numbers in the request's list: one, or up to two for `between`. */
  readonly to: readonly number[]
}

/** Text to be written into the picture. */
export interface Inscription {
  readonly text: string
  readonly color?: Named
}

/** A colour and the word it was asked for with. */
export interface Named {
  readonly word: string
  readonly rgb: Rgb
}

/** What a word is about; `color` only where it belongs to no thing. */
export type Aspect =
  | 'things'
  | 'relation'
  | 'place'
  | 'time'
  | 'weather'
  | 'tones'
  | 'style'
  | 'text'
  | 'sky'
  | 'color'

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
  /** The last one that was named. */
  readonly style?: Style
  readonly inscription?: Inscription
  /** A colour asked for the sky. */
  readonly sky?: Named
  /** The last colour that belonged to no thing. */
  readonly color?: Named
  /** The words that were understood, in order. */
  readonly heard: readonly Heard[]
  /** The words that say something, understood or not, in order; without those that refuse something. */
  readonly said: readonly string[]
  /** The words that say what is in the picture, but not in which style: its seed. */
  readonly text: string
}

/** The words about some aspects (default: all), in the prompt's order, each once. */
export function wordsOf({ heard }: Request, aspects?: readonly Aspect[]): string[] {
  const kept = heard.filter(({ about }) => !aspects || aspects.includes(about))
  return [...new Set(kept.map(({ words }) => words))]
}

/** The words of a request that are not among those understood, each once. */
export function unknownIn({ said }: Request, understood: readonly string[]): string[] {
  const known = new Set(understood.flatMap((words) => words.split(' ')))
  return [...new Set(said)].filter((word) => !known.has(word))
}
