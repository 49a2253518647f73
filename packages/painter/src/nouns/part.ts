import type { Hex } from '../color.js'
import type { Random } from '../random.js'
import { type Form, oval } from './shapes.js'

/**
 * A part's colour: `main` is the one asked for (or the noun's own), `deep` and `pale` are its darker and
 * lighter sisters, `window` is glass that glows at night, and a hex colour stays what it is.
 */
export type Fill = 'main' | 'deep' | 'pale' | 'window' | Hex

/** One painted form of a noun; later parts cover earlier ones. */
export interface Part {
  readonly fill: Fill
  readonly form: Form
  /** Shows only inside this form and is shaded as a piece of it: a stripe on a balloon. */
  readonly on?: Form
  /** Width of the rim that turns away from the light, in the noun's units; 0 is flat. Default 0.08. */
  readonly bulge?: number
  /** 0 to 1, default 1. */
  readonly alpha?: number
  /** Width of a soft edge in the noun's units, for glows. Default 0: sharp. */
  readonly blur?: number
  /** Gives light rather than receiving it. Default false. */
  readonly shines?: boolean
  /** Only seen at night: a beam of light. Default false. */
  readonly nocturnal?: boolean
}

/** A thing the painter can draw. */
export interface Noun {
  /** Its names, singular; the first is used in captions. */
  readonly words: readonly string[]
  /** Where it belongs when no one says. */
  readonly home: 'sky' | 'water' | 'land'
  /** Its colour when no one says. */
  readonly color: Hex
  /** Its height as a share of the picture's shorter side, when it is alone. */
  readonly height: number
  /** Its width as a multiple of its height. */
  readonly width: number
  /** The height at which something sits on it. Default: on the highest part that is level enough. */
  readonly seat?: number
  /** Does not throw a shadow on the ground or a reflection on water. Default false. */
  readonly shadowless?: boolean
  /** Part of the landscape when a whole picture is painted, rather than a thing standing in it. */
  readonly scenery?: 'sun' | 'moon' | 'mountains' | 'rainbow'
  /** Its forms, back to front; the stream lets no two trees be alike. */
  readonly parts: (random: Random) => readonly Part[]
}

/** A part in one line. */
export function part(fill: Fill, form: Form, more: Omit<Part, 'fill' | 'form'> = {}): Part {
  return { fill, form, ...more }
}

export const ink = '#2b2530'

/** Dark eyes with a light in each. */
export function eyes(xs: readonly number[], y: number, size: number): Part[] {
  return xs.flatMap((x) => [
    part(ink, oval([x, y], [size, size * 1.15]), { bulge: 0 }),
    part('#ffffff', oval([x - size * 0.3, y + size * 0.45], size * 0.36), { bulge: 0 }),
  ])
}
