import type { Rgb } from '../color.js'

/** Where and how a noun's parts are drawn. */
export interface Stance {
  /** The pixel its feet stand on. */
  readonly x: number
  readonly y: number
  /** Its height in pixels. */
  readonly height: number
  readonly color: Rgb
  readonly light: Light
  /** Looks the other way. Default false. */
  readonly mirrored?: boolean
  /** 0 to 1, default 1. */
  readonly alpha?: number
  /** Upside down, as a reflection: how far each row is shifted, in pixels. */
  readonly ripple?: (row: number) => number
}

/** The light things stand in. */
export interface Light {
  /** Colour of the light; white leaves colours as they are. */
  readonly tint: Rgb
  /** The side it comes from: -1 left, 1 right. */
  readonly side: number
  /** Lamps are on. */
  readonly night: boolean
  /** Colours without light and shade. Default false. */
  readonly flat?: boolean
  /** What lies between the eye and the thing, and how much of it (0 to 1). */
  readonly haze?: { readonly color: Rgb; readonly amount: number }
}
