import type { Area } from '../canvas.js'
import { type Form, near } from './form.js'
import type { Stance } from './stance.js'

/** How far beyond a point a part is looked at to tell its slope, in the noun's units. */
export const slopeStep = 0.02

/** A block of pixels and what of a part matters in it. */
export interface Piece {
  readonly area: Area
  /** The part's outline, and the form whose roundness it shows, as far as they matter in the area. */
  readonly piece: Form
  readonly round: Form
}

/** The blocks of pixels a form may touch: most of a thin or bent form's rectangle need never be looked at. */
export function piecesOf(whole: { form: Form; round: Form }, stance: Stance, blur: number): Piece[] {
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

/** From pixels to the noun's own space. */
export function toLocal(stance: Stance): { x(px: number, py: number): number; y(py: number): number } {
  const { ripple } = stance
  const across = (stance.mirrored ? -1 : 1) / stance.height
  const up = (ripple ? 1 : -1) / stance.height
  return {
    x: (px, py) => (px + 0.5 - stance.x + (ripple ? ripple(py) : 0)) * across,
    y: (py) => (py + 0.5 - stance.y) * up,
  }
}

/** The rectangle of pixels that holds a form. */
function toPixels(form: Form, stance: Stance, blur: number): Area {
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
