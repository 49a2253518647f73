import { clamp } from './ramp.js'

/** A colour, with red, green and blue from 0 to 1. */
export interface Rgb {
  readonly r: number
  readonly g: number
  readonly b: number
}

/** A colour that painting changes in place. */
export interface Ink {
  r: number
  g: number
  b: number
}

/** A colour as `#rrggbb`, for tables. */
export type Hex = `#${string}`

/** Parses `#rrggbb`. */
export function toRgb(hex: Hex): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return { r: (value >> 16) / 255, g: ((value >> 8) & 255) / 255, b: (value & 255) / 255 }
}

/** Mixes two colours. If `part` is 0, the result is the first colour; if it is 1, the second. */
export function mix(from: Rgb, to: Rgb, part: number): Rgb {
  return {
    r: from.r + (to.r - from.r) * part,
    g: from.g + (to.g - from.g) * part,
    b: from.b + (to.b - from.b) * part,
  }
}

/** Returns the colour under a coloured light. */
export function lit(color: Rgb, light: Rgb): Rgb {
  return { r: color.r * light.r, g: color.g * light.g, b: color.b * light.b }
}

/** Scales the brightness. A factor above 1 makes the colour brighter, below 1 darker. The hue stays the same. */
export function scaled(color: Rgb, factor: number): Rgb {
  return { r: color.r * factor, g: color.g * factor, b: color.b * factor }
}

/** Returns the perceived brightness of a colour, 0 to 1. */
export function luma(color: Rgb): number {
  return 0.299 * color.r + 0.587 * color.g + 0.114 * color.b
}

/** Moves `ink` towards a colour, by a share from 0 to 1. */
export function toward(ink: Ink, color: Rgb, part: number): void {
  ink.r += (color.r - ink.r) * part
  ink.g += (color.g - ink.g) * part
  ink.b += (color.b - ink.b) * part
}

/** Adds light of a colour to `ink`. Bright colours change less. */
export function addLight(ink: Ink, color: Rgb, amount: number): void {
  ink.r += (1 - ink.r) * color.r * amount
  ink.g += (1 - ink.g) * color.g * amount
  ink.b += (1 - ink.b) * color.b * amount
}

/** Multiplies `ink` by a number. */
export function dim(ink: Ink, factor: number): void {
  ink.r *= factor
  ink.g *= factor
  ink.b *= factor
}

/** Moves `ink` away from its grey level or, for a factor below 1, towards it. */
export function saturate(ink: Ink, factor: number): void {
  const level = luma(ink)
  ink.r = clamp(level + (ink.r - level) * factor)
  ink.g = clamp(level + (ink.g - level) * factor)
  ink.b = clamp(level + (ink.b - level) * factor)
}

/** A colour in a gradient, with its position. Positions must increase. */
export type Stop = readonly [position: number, color: Rgb]

/** Returns the colour of a gradient at a position, eased between its stops. */
export function gradientAt(stops: readonly Stop[], position: number): Rgb {
  let before = stops[0]
  for (const stop of stops) {
    if (before && stop[0] > position) {
      const t = Math.max(0, (position - before[0]) / Math.max(1e-6, stop[0] - before[0]))
      return mix(before[1], stop[1], t * t * (3 - 2 * t))
    }
    before = stop
  }
  return before?.[1] ?? { r: 0, g: 0, b: 0 }
}
