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
  /** A factor that multiplies the noun's own size. */
  readonly size: number
  readonly side?: Side
  readonly placed?: Placement
  /** How many of the things edits have removed. These keep their positions but are not drawn. Default 0. */
  readonly hidden?: number
  /** Whether an edit added the thing. Such a thing is placed where the others leave room. Default false. */
  readonly late?: boolean
}

/** A position relative to other things. */
export interface Placement {
  readonly relation: Relation
  /** The other things, as indexes in the request's list: one or, for `between`, up to two. */
  readonly to: readonly number[]
}

/** Lettering to write into the image. */
export interface Inscription {
  readonly text: string
  readonly color?: Named
}

/** A colour and its word in the prompt. */
export interface Named {
  readonly word: string
  readonly rgb: Rgb
}

/** What a word describes. `color` means a colour that does not belong to a thing. */
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

/** A parsed prompt. */
export interface Request {
  readonly things: readonly Wanted[]
  readonly place?: Place
  readonly time?: Time
  /** The kinds of weather with their strength: 1 is usual, 0.5 is light, and 1.6 is heavy. */
  readonly weather: ReadonlyMap<Weather, number>
  readonly tones: readonly Tone[]
  /** The last style in the prompt. */
  readonly style?: Style
  readonly inscription?: Inscription
  /** The requested colour of the sky. */
  readonly sky?: Named
  /** The last colour that does not belong to a thing. */
  readonly color?: Named
  /** The words that were understood, in order. */
  readonly heard: readonly Heard[]
  /** All meaningful words in order, understood or not, except negated words. */
  readonly said: readonly string[]
  /**
   * The unknown words before the first thing that are most likely nouns. If there are any, the subject of the prompt is
   * unknown.
   */
  readonly unknownNouns?: readonly string[]
  /** The words for the content, without the style. The seed is derived from them. */
  readonly text: string
}

/** Returns the words for some aspects in the order of the prompt, without duplicates. Default: all aspects. */
export function wordsOf({ heard }: Request, aspects?: readonly Aspect[]): string[] {
  const kept = heard.filter(({ about }) => !aspects || aspects.includes(about))
  return [...new Set(kept.map(({ words }) => words))]
}

/** Returns the words in a request that were not understood, without duplicates. */
export function unknownIn({ said }: Request, understood: readonly string[]): string[] {
  const known = new Set(understood.flatMap((words) => words.split(' ')))
  return [...new Set(said)].filter((word) => !known.has(word))
}
