import { type Canvas, colorAt, shade } from '../canvas.js'
import { addLight, dim, lit, mix, toRgb, toward } from '../color.js'
import { clamp, ramp, wave } from '../ramp.js'
import type { Scene } from './scene.js'

/** Water from the horizon to the bottom, with the sky and what stands behind mirrored in it. */
export function paintWater(canvas: Canvas, scene: Scene): void {
  const { width, height, horizon, unit, air, noise, lamp, weather } = scene
  const depth = Math.max(1, height - horizon)
  const water = mix(lit(toRgb('#1f6f9c'), air.light), air.haze, 0.12)
  const rough = weather.has('storm') ? 2.4 : weather.has('wind') ? 1.6 : 1
  shade(canvas, { left: 0, top: horizon, right: width, bottom: height }, (ink, x, y) => {
    const near = (y - horizon) / depth
    // Rows lie closer together toward the horizon, like the ground seen at a low angle.
    const far = 1 / (0.07 + near)
    const u = ((x - width / 2) / unit) * far
    const ripple = noise.layered(u * 2.6, far * 7, 2) - 0.5
    const mirrored = colorAt(
      canvas,
      x + ripple * unit * 0.06 * (0.3 + near) * rough,
      horizon - (y - horizon) * 0.85 - 1,
    )
    toward(ink, mirrored, 1)
    toward(ink, water, 0.26 + 0.34 * near)
    const crest = noise.at(u * 3.1 + 40, far * 16) * 0.6 + noise.at(u * 9, far * 34) * 0.4
    dim(ink, 1 + (crest - 0.5) * 0.3 * rough * ramp(0, 0.12, near))
    if (rough > 1.5) addLight(ink, { r: 1, g: 1, b: 1 }, 0.5 * ramp(0.72, 0.8, crest))
    if (lamp) addLight(ink, air.glow, glitter({ x: x - lamp.x, near, crest, unit }))
  })
  paintHorizonLine(canvas, scene)
}

/** The broken path of light under the sun or moon. */
function glitter(at: { x: number; near: number; crest: number; unit: number }): number {
  const spread = at.unit * (0.05 + 0.17 * at.near)
  const side = at.x / spread
  return (0.9 * ramp(0.5, 0.72, at.crest + 0.1 / (1 + side * side))) / (1 + side * side)
}

function paintHorizonLine(canvas: Canvas, { width, horizon, unit, air }: Scene): void {
  const soft = unit * 0.012
  shade(canvas, { left: 0, top: horizon - soft, right: width, bottom: horizon + soft }, (ink, _, y) => {
    toward(ink, air.haze, 0.5 * clamp(1 - Math.abs(y - horizon) / soft))
  })
}

/** How far the waves shift each row of a reflection, in pixels: more with the distance from the waterline. */
export function rippleBelow(waterline: number, unit: number): (row: number) => number {
  return (row) => {
    const below = Math.max(0, row - waterline) / unit
    const turns = Math.sqrt(below + 0.002) * 22
    return unit * (0.003 + 0.02 * below) * (wave(turns) + 0.5 * wave(turns * 2.3 + 0.4))
  }
}
