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
  | 'moon'
  | 'underwater'
  | 'sky'
  | 'room'
  | 'plain'

/** A kind of weather. */
export type Weather = 'clear' | 'clouds' | 'rain' | 'snow' | 'fog' | 'storm' | 'wind'

/** A mood of the entire image. */
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

/** A painting style. */
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

/** The position of one thing relative to another. */
export type Relation = 'on' | 'under' | 'above' | 'behind' | 'front' | 'left' | 'right' | 'beside' | 'between'

/** A side of the image. */
export type Side = 'left' | 'middle' | 'right' | 'top' | 'bottom'

/** A requested thing. */
export interface Wanted {
  readonly noun: Noun
  /** 1 to 12. */
  readonly count: number
  readonly color?: Named
  /** A factor on the noun's own size. */
  readonly size: number
  readonly side?: Side
  readonly placed?: Placement
  /** The number of things that an edit removed. They keep their positions but are not drawn. Default 0. */
  readonly hidden?: number
  /** Whether an edit added the thing: it is placed where the others leave room. Default false. */
  readonly late?: boolean
}

/** A position relative to other things. */
export interface Placement {
  readonly relation: Relation
  /** The other things, as indexes of the request's list: one, or up to two for `between`. */
  readonly to: readonly number[]
}

/** Text to write into the image. */
export interface Inscription {
  readonly text: string
  readonly color?: Named
}

/** A colour and its word in the prompt. */
export interface Named {
  readonly word: string
  readonly rgb: Rgb
}

/** What a word describes. `color` only if it does not belong to a thing. */
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

/** An understood word or phrase. */
export interface Heard {
  readonly words: string
  readonly about: Aspect
}

/** A parsed prompt. */
export interface Request {
  readonly things: readonly Wanted[]
  readonly place?: Place
  readonly time?: Time
  /** Kinds of weather with their strength: 1 is usual, 0.5 light, 1.6 heavy. */
  readonly weather: ReadonlyMap<Weather, number>
  readonly tones: readonly Tone[]
  /** The last place in the prompt. */
  readonly style?: Style
  readonly inscription?: Inscription
  /** The requested colour of the sky. */
  readonly sky?: Named
  /** The last colour without a thing. */
  readonly color?: Named
  /** The understood words, in order. */
  readonly heard: readonly Heard[]
  /** The meaningful words, understood or not, in order, except those in a negation. */
  readonly said: readonly string[]
  /** The unknown words before the first thing that are most likely nouns: what the prompt is about is unknown. */
  readonly unknownNouns?: readonly string[]
  /** The words for the content, without the style. They are the seed. */
  readonly text: string
}

/** Returns the words of some aspects (default: all), in the order of the prompt, each once. */
export function wordsOf({ heard }: Request, aspects?: readonly Aspect[]): string[] {
  const kept = heard.filter(({ about }) => !aspects || aspects.includes(about))
  return [...new Set(kept.map(({ words }) => words))]
}

/** Returns the words of a request that were not understood, each once. */
export function unknownIn({ said }: Request, understood: readonly string[]): string[] {
  const known = new Set(understood.flatMap((words) => words.split(' ')))
  return [...new Set(said)].filter((word) => !known.has(word))
}
