import type { Canvas } from '../canvas.js'
import { toRgb } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import type { Form } from '../nouns/form.js'
import { type Part, part } from '../nouns/part.js'
import { blob } from '../nouns/polygon.js'
import { between } from '../random.js'
import { paintFarHills } from './meadow.js'
import type { Scene } from './scene.js'
import { paintSnow } from './snow.js'

/** White hills with snow-laden firs. */
export function paintSnowfield(canvas: Canvas, scene: Scene): void {
  const { horizon, height } = scene
  paintFarHills(canvas, scene)
  paintSnow(canvas, scene, { from: horizon, to: horizon + (height - horizon) * 0.2 })
  plantFirs(canvas, scene)
  paintSnow(canvas, scene, { from: horizon + (height - horizon) * 0.22, to: height })
}

function plantFirs(canvas: Canvas, scene: Scene): void {
  const { width, height, horizon, unit, random, light, air } = scene
  const count = Math.min(40, Math.round((width / unit) * 11))
  for (let i = 0; i < count; i++) {
    const near = i / count
    drawParts(canvas, snowFir(), {
      x: width * random(),
      y: horizon + (height - horizon) * (0.1 + 0.16 * near),
      height: unit * between(random, 0.14, 0.22) * (0.7 + 0.5 * near),
      color: toRgb('#3c6a5c'),
      light: { ...light, haze: { color: air.haze, amount: 0.45 * (1 - near) + 0.1 } },
    })
  }
}

function snowFir(): Part[] {
  return [0, 1, 2].flatMap((tier) => {
    const base = 0.08 + tier * 0.27
    const half = 0.27 - tier * 0.06
    return [
      part('main', tierForm(base, half, 0), { bulge: 0.05 }),
      part('#f4f7fc', tierForm(base, half, 0.1), { bulge: 0.05, alpha: 0.9 }),
    ]
  })
}

function tierForm(base: number, half: number, lifted: number): Form {
  const foot = base + lifted
  const wide = half * (1 - lifted * 2.4)
  return blob([
    [0, base + 0.42],
    [wide, foot],
    [wide * 0.5, foot + lifted * 0.5],
    [0, foot - 0.02],
    [-wide * 0.5, foot + lifted * 0.5],
    [-wide, foot],
  ])
}
