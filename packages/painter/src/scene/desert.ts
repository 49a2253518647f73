import type { Canvas } from '../canvas.js'
import { lit, mix, toRgb } from '../color.js'
import { paintRidge } from './ridge.js'
import type { Scene } from './scene.js'

/** Table mountains far away and sand dunes, each with a bright and a dark flank. */
export function paintDesert(canvas: Canvas, scene: Scene): void {
  const { horizon, height, unit, air } = scene
  const rock = mix(lit(toRgb('#b5714f'), air.light), air.haze, 0.55)
  paintRidge(canvas, scene, {
    level: horizon - unit * 0.03,
    rise: unit * 0.07,
    waves: 3,
    detail: 3,
    crest: rock,
    foot: mix(rock, air.haze, 0.5),
    fade: unit * 0.1,
  })
  for (const near of [0, 0.3, 0.62]) {
    paintDune(canvas, scene, { level: horizon + (height - horizon) * (near + 0.04), near })
  }
}

/** Sand from a row down to the bottom; `near` goes from 0 at the horizon to 1. */
export function paintDune(
  canvas: Canvas,
  scene: Scene,
  { level, near }: { level: number; near: number },
): void {
  const { height, unit, air } = scene
  const haze = 0.3 * (1 - near)
  paintRidge(canvas, scene, {
    level,
    rise: unit * (0.06 + 0.08 * near),
    waves: 1.8 - near * 0.6,
    detail: 2,
    crest: mix(lit(toRgb('#ecc788'), air.light), air.haze, haze),
    foot: mix(lit(toRgb('#c98f54'), air.light), air.haze, haze),
    fade: Math.max(unit * 0.2, (height - level) * 0.9),
    relief: 0.32,
  })
}
