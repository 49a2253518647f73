import { type Canvas, shade, wholeOf } from '../canvas.js'
import { mix, toRgb, toward } from '../color.js'
import { ramp, square } from '../ramp.js'
import type { Scene } from './scene.js'

/** A pale studio: a wall that runs into the floor without an edge. */
export function paintPlain(canvas: Canvas, { width, height, horizon, air }: Scene): void {
  const [wall, light, floor] = [toRgb('#e9e7e2'), toRgb('#fbfaf7'), toRgb('#dedbd4')]
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    const glow = 1 / (1 + 3 * (square((x / width - 0.5) / 0.6) + square((y / height - 0.4) / 0.6)))
    const back = mix(wall, light, glow)
    const color = mix(back, floor, 0.8 * ramp(horizon, height, y))
    toward(ink, mix(color, air.light, 0.08), 1)
  })
}
