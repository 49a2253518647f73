import type { Rgb } from '../color.js'
import type { Noise } from '../noise.js'
import type { Noun } from '../nouns/part.js'
import type { Light } from '../nouns/stance.js'
import type { Place, Time, Weather } from '../prompt/request.js'
import type { Random } from '../random.js'
import type { SkyColors } from './sky-colors.js'

/** A landscape before anything stands in it: what is needed to paint it. */
export interface Scene {
  readonly width: number
  readonly height: number
  /** The shorter side: sizes are measured against it. */
  readonly unit: number
  readonly place: Place
  readonly time: Time
  readonly weather: ReadonlyMap<Weather, number>
  readonly air: SkyColors
  /** The row where the sky ends. */
  readonly horizon: number
  /** The row down to which water reaches: the horizon for none, the bottom when there is no near bank. */
  readonly bank: number
  readonly lamp?: Lamp
  readonly rainbow?: Noun
  readonly light: Light
  readonly noise: Noise
  readonly random: Random
}

/** The sun or the moon in the sky; in space a planet. */
export interface Lamp {
  readonly noun: Noun
  readonly color: Rgb
  readonly x: number
  readonly y: number
  readonly size: number
}
