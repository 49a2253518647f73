import type { Hex } from '../color.js'
import type { Random } from '../random.js'
import { type Form, oval, type Point, scaledTo } from './shapes.js'

/**
 * The colour of a part. `main` is the requested colour, or else the noun's own; `deep` and `pale` are darker and
 * lighter. `window` is glass that glows at night, and a hex colour never changes.
 */
export type Fill = 'main' | 'deep' | 'pale' | 'window' | Hex

/** One painted form of a noun. Later parts cover earlier parts. */
export interface Part {
  readonly fill: Fill
  readonly form: Form
  /**
   * The colour of which `fill` is a shade. If another colour is requested, `fill` changes with it. Default: `fill`
   * never changes.
   */
  readonly shadeOf?: Hex
  /** Clips the part to this form and shades it like the form. For example, this is used for a stripe on a balloon. */
  readonly on?: Form
  /** The width of the shaded rim in the noun's units. 0 means no shading. Default 0.08. */
  readonly bulge?: number
  /** Opacity from 0 to 1. Default 1. */
  readonly alpha?: number
  /** The width of a soft edge in the noun's units, for glows. Default 0, which is sharp. */
  readonly blur?: number
  /** Whether the part emits light instead of receiving it. Default false. */
  readonly shines?: boolean
  /** Whether the part is visible only at night, like a beam of light. Default false. */
  readonly nocturnal?: boolean
}

/** A thing that the painter can draw. */
export interface Noun {
  /** The singular names. Captions use the first one. */
  readonly words: readonly string[]
  /** The default habitat. */
  readonly home: 'sky' | 'water' | 'land'
  /** The default colour. */
  readonly color: Hex
  /** The height of the thing when it is alone, as a share of the image's shorter side. */
  readonly height: number
  /** The width as a multiple of the height. */
  readonly width: number
  /**
   * The real height in metres, for comparisons with other things. Default: the height in `sizes.ts` for the first name.
   */
  readonly metres?: number
  /**
   * Whether the thing belongs indoors. `either` means both indoors and outdoors. Default false, which means outdoors.
   */
  readonly indoor?: boolean | 'either'
  /** The height of the seat, on which other things sit. Default: the highest part that is level enough. */
  readonly seat?: number
  /** Whether to draw no shadow on the ground and no reflection in water. Default false. */
  readonly shadowless?: boolean
  /** Set if the thing becomes part of the landscape when an entire image is painted. */
  readonly scenery?: 'sun' | 'moon' | 'mountains' | 'rainbow'
  /** Returns the forms from back to front. The random numbers make each tree different. */
  readonly parts: (random: Random) => readonly Part[]
}

/** Creates a part in one line. */
export function part(fill: Fill, form: Form, more: Omit<Part, 'fill' | 'form'> = {}): Part {
  return { fill, form, ...more }
}

/** Scales parts around [0, 0] and moves them to a point. */
export function movedParts(parts: readonly Part[], to: Point, scale: number): Part[] {
  return parts.map((part) => ({
    ...part,
    form: scaledTo(part.form, to, scale),
    ...(part.on && { on: scaledTo(part.on, to, scale) }),
    bulge: (part.bulge ?? 0.08) * scale,
  }))
}

export const ink = '#2b2530'

/** Returns dark eyes, each with a highlight. */
export function eyes(xs: readonly number[], y: number, size: number): Part[] {
  return xs.flatMap((x) => [
    part(ink, oval([x, y], [size, size * 1.15]), { bulge: 0 }),
    part('#ffffff', oval([x - size * 0.3, y + size * 0.45], size * 0.36), { bulge: 0 }),
  ])
}
