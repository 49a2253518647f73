import type { Canvas } from '../canvas.js'
import { lit, mix, toRgb } from '../color.js'
import { paintRidge } from './ridge.js'
import type { Scene } from './scene.js'

/** Drifts of snow from a row down to the bottom, their crests spread between two rows. */
export function paintSnow(canvas: Canvas, scene: Scene, rows: { from: number; to: number }): void {
  const { height, unit, air } = scene
  const white = lit(toRgb('#f7f9fd'), mix(air.light, { r: 1, g: 1, b: 1 }, 0.25))
  const blue = lit(toRgb('#9fb9de'), mix(air.light, { r: 1, g: 1, b: 1 }, 0.2))
  for (const part of [0, 0.4]) {
    const haze = 0.25 * (1 - part)
    paintRidge(canvas, scene, {
      level: rows.from + (rows.to - rows.from) * part + unit * 0.01,
      rise: unit * (0.05 + 0.03 * part),
      waves: 1.5,
      detail: 1,
      crest: mix(white, air.haze, haze),
      foot: mix(blue, air.haze, haze),
      fade: (height - rows.from) * 0.8,
      relief: 0.22,
    })
  }
}
