import { type Canvas, shade } from '../canvas.js'
import { dim } from '../color.js'
import { ramp } from '../ramp.js'

/** Where a thing stands, half its width, and the side (-1 left, 1 right) its light comes from. */
export interface Caster {
  readonly x: number
  readonly y: number
  readonly reach: number
  readonly side: number
}

/** Darkens the ground under and behind a thing. */
export function castShadow(canvas: Canvas, { x, y, reach, side }: Caster): void {
  const shift = -side * reach * 0.25
  const flat = reach * 0.2
  const area = { left: x - reach * 1.5, right: x + reach * 1.5, top: y - flat * 1.2, bottom: y + flat * 1.4 }
  shade(canvas, area, (ink, px, py) => {
    const dx = (px - x - shift) / (reach * 1.15)
    const dy = (py - y) / flat
    dim(ink, 1 - 0.42 * ramp(1, 0.1, dx * dx + dy * dy))
  })
}
