import type { Canvas } from '../canvas.js'
import { lit, mix, toRgb } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { nounOf } from '../nouns/nouns.js'
import { between } from '../random.js'
import { paintGreen, paintTurf } from './meadow.js'
import { paintRidge } from './ridge.js'
import type { Scene } from './scene.js'

/** Rows of trees in the haze around a clearing. */
export function paintForest(canvas: Canvas, scene: Scene): void {
  const { horizon, height, unit, air } = scene
  const far = mix(lit(toRgb('#5f8a6a'), air.light), air.haze, 0.6)
  paintRidge(canvas, scene, {
    level: horizon - unit * 0.1,
    rise: unit * 0.06,
    waves: 5,
    detail: 4,
    crest: far,
    foot: mix(far, air.haze, 0.4),
    fade: unit * 0.15,
  })
  plantRow(canvas, scene, { near: 0, clearing: 0 })
  paintGreen(canvas, scene, horizon)
  plantRow(canvas, scene, { near: 0.35, clearing: 0.42 })
  plantRow(canvas, scene, { near: 0.75, clearing: 0.78 })
  paintTurf(canvas, scene, horizon + (height - horizon) * 0.45)
}

/** A row of trees; `near` goes from 0 (far) to 1, `clearing` is the share left free in the middle. */
function plantRow(
  canvas: Canvas,
  scene: Scene,
  { near, clearing }: { near: number; clearing: number },
): void {
  const { width, height, horizon, unit, random, light, air } = scene
  const size = unit * (0.2 + 0.3 * near)
  const count = Math.max(4, Math.round((width / size) * (near === 0 ? 2.6 : 2 * (1 - clearing) + 0.6)))
  for (let i = 0; i < count; i++) {
    const side = (i + 0.5 + between(random, -0.3, 0.3)) / count
    const x = side < 0.5 ? side * (1 - clearing) : 1 - (1 - side) * (1 - clearing)
    const noun = nounOf(random() < 0.62 ? 'pine' : 'tree')
    drawParts(canvas, noun.parts(random), {
      x: x * width,
      y: horizon + (height - horizon) * (0.06 + 0.5 * near + 0.05 * random()),
      height: size * between(random, 0.8, 1.15),
      color: mix(toRgb(noun.color), toRgb('#2f5d3a'), 0.3 * random()),
      light: { ...light, haze: { color: air.haze, amount: 0.6 * (1 - near) } },
    })
  }
}
