import { type Area, type Canvas, shade } from '../canvas.js'
import { lit, luma, mix, type Rgb, scaled, toRgb, toward } from '../color.js'
import { clamp, ramp } from '../ramp.js'
import type { Fill, Part } from './part.js'
import { type Form, near, within } from './shapes.js'

/** Draws the parts of a noun with smooth edges and soft shading. */
export function drawParts(canvas: Canvas, parts: readonly Part[], stance: DrawOptions): void {
  for (const part of parts) if (!part.nocturnal || stance.light.night) drawPart(canvas, part, stance)
}

function drawPart(canvas: Canvas, part: Part, stance: DrawOptions): void {
  const { shines = false, on } = part
  const bulge = stance.light.flat ? 0 : (part.bulge ?? 0.08)
  const color = toSeen(part, stance, shines)
  const glint = mix(color, { r: 1, g: 0.97, b: 0.86 }, 0.45)
  const shadow = lit(color, { r: 0.5, g: 0.48, b: 0.62 })
  const cover = toCover(part, stance)
  const local = toLocal(stance)
  const form = on ? within(part.form, on) : part.form

  for (const { area, piece, round } of piecesOf({ form, round: on ?? form }, stance, part.blur ?? 0)) {
    const facing = shines || bulge === 0 ? () => 0 : toFacing(round, bulge, stance)
    shade(canvas, area, (ink, px, py) => {
      const x = local.x(px, py)
      const y = local.y(py)
      const distance = piece.at(x, y)
      const covered = cover(distance)
      if (covered <= 0) return
      toward(ink, color, covered)
      const turned = facing(on ? round.at(x, y) : distance, x, y)
      toward(ink, turned > 0 ? glint : shadow, covered * Math.abs(turned))
    })
  }
}

/** Returns the visible colour of a fill: the requested or own colour with light and haze. */
function toSeen({ fill, shadeOf }: Part, { color, light }: DrawOptions, shines: boolean): Rgb {
  const own = shadeOf ? toShade(fill, toRgb(shadeOf), color) : toOwn(fill, color, light)
  const seen = shines || (fill === 'window' && light.night) ? own : lit(own, light.tint)
  return light.haze ? mix(seen, light.haze.color, light.haze.amount) : seen
}

/** Changes a shade together with its colour, so that it remains darker or lighter by the same ratio. */
function toShade(fill: Fill, from: Rgb, to: Rgb): Rgb {
  const own = toOwn(fill, to, noLight)
  if (from.r === to.r && from.g === to.g && from.b === to.b) return own
  const ratio = Math.max(0.02, luma(own)) / Math.max(0.02, luma(from))
  return ratio <= 1 ? scaled(to, ratio) : mix(to, { r: 1, g: 1, b: 1 }, Math.min(0.85, (ratio - 1) * 0.6))
}

const noLight: Light = { tint: { r: 1, g: 1, b: 1 }, side: -1, night: false }

function toOwn(fill: Fill, main: Rgb, light: Light): Rgb {
  if (fill === 'main') return main
  if (fill === 'deep') return lit(main, { r: 0.8, g: 0.71, b: 0.66 })
  if (fill === 'pale') return mix(main, { r: 1, g: 0.98, b: 0.94 }, 0.4)
  if (fill === 'window') return light.night ? toRgb('#ffd978') : toRgb('#7fa8c4')
  return toRgb(fill)
}

/**
 * Returns how much a point faces the light: at the rim, from 1 (toward the light) to -1 (away from it), and 0 inside.
 */
function toFacing(
  form: Form,
  bulge: number,
  stance: DrawOptions,
): (distance: number, x: number, y: number) => number {
  const dx = 0.62 * slopeStep * stance.light.side * (stance.mirrored ? -1 : 1)
  const dy = 0.78 * slopeStep
  return (distance, x, y) => {
    const rim = clamp(1 + distance / bulge)
    const turned = rim === 0 ? 0 : (rim * (form.at(x + dx, y + dy) - distance)) / slopeStep
    return turned > 0 ? turned * 0.8 : turned
  }
}

/** Returns a function for the coverage of a pixel, depending on its distance from the edge. */
function toCover({ blur = 0, alpha = 1 }: Part, stance: DrawOptions): (distance: number) => number {
  const most = alpha * (stance.alpha ?? 1)
  if (blur > 0) return (distance) => ramp(blur, -blur, distance) * most
  return (distance) => clamp(0.5 - distance * stance.height) * most
}

/** The distance, in the noun's units, at which the slope of a part is sampled. */
const slopeStep = 0.02

/** A block of pixels, and the pieces of a part that affect it. */
interface Piece {
  readonly area: Area
  /** The outline of the part, and the form that determines its shading. Both are limited to the area. */
  readonly piece: Form
  readonly round: Form
}

/**
 * Returns the blocks of pixels that a form may touch. For a thin or bent form, most of its bounding rectangle is
 * skipped.
 */
function piecesOf(whole: { form: Form; round: Form }, stance: DrawOptions, blur: number): Piece[] {
  const { form, round } = whole
  const rectangle = toPixels(form, stance, blur)
  if (stance.ripple) return [{ area: rectangle, piece: form, round }]
  const local = toLocal(stance)
  const size = 16
  const reach = 12 / stance.height + slopeStep
  const pieces: Piece[] = []
  for (let top = Math.floor(rectangle.top); top < rectangle.bottom; top += size) {
    for (let left = Math.floor(rectangle.left); left < rectangle.right; left += size) {
      const middle = [local.x(left + size / 2, top), local.y(top + size / 2)] as const
      if (form.at(...middle) > 2 * reach + blur) continue
      const area = { left, top, right: left + size, bottom: top + size }
      pieces.push({ area, piece: near(form, middle, reach), round: near(round, middle, reach) })
    }
  }
  return pieces
}

/** Converts pixels to the noun's coordinates. */
function toLocal(stance: DrawOptions): { x(px: number, py: number): number; y(py: number): number } {
  const { ripple } = stance
  const across = (stance.mirrored ? -1 : 1) / stance.height
  const up = (ripple ? 1 : -1) / stance.height
  return {
    x: (px, py) => (px + 0.5 - stance.x + (ripple ? ripple(py) : 0)) * across,
    y: (py) => (py + 0.5 - stance.y) * up,
  }
}

/** The rectangle of pixels around a form. */
function toPixels(form: Form, stance: DrawOptions, blur: number): Area {
  const [left, bottom, right, top] = form.box
  const sides = [left, right].map((x) => stance.x + x * stance.height * (stance.mirrored ? -1 : 1))
  const ends = [bottom, top].map((y) => stance.y + y * stance.height * (stance.ripple ? 1 : -1))
  const margin = 1 + blur * stance.height + (stance.ripple ? stance.height * 0.05 : 0)
  return {
    left: Math.min(...sides) - margin,
    right: Math.max(...sides) + margin,
    top: Math.min(...ends) - margin,
    bottom: Math.max(...ends) + margin,
  }
}

/** How and where to draw a noun. */
interface DrawOptions {
  /** The position of the noun's feet, in pixels. */
  readonly x: number
  readonly y: number
  /** The noun's height in pixels. */
  readonly height: number
  readonly color: Rgb
  readonly light: Light
  /** Whether to mirror the noun horizontally. Default false. */
  readonly mirrored?: boolean
  /** Opacity from 0 to 1. Default 1. */
  readonly alpha?: number
  /** If set, the noun is drawn upside down, as a reflection. Returns the shift of each row in pixels. */
  readonly ripple?: (row: number) => number
}

/** The light on things. */
export interface Light {
  /** The colour of the light. White does not change other colours. */
  readonly tint: Rgb
  /** The side that the light comes from: -1 for left, 1 for right. */
  readonly side: number
  /** Whether lamps are on. */
  readonly night: boolean
  /** Whether to omit shading. Default false. */
  readonly flat?: boolean
  /** The haze in front of the thing, with its colour and its amount from 0 to 1. */
  readonly haze?: { readonly color: Rgb; readonly amount: number }
}
