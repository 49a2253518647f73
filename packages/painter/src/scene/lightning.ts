import { type Canvas, shade } from '../canvas.js'
import { addLight, type Rgb, toRgb } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { part } from '../nouns/part.js'
import { line } from '../nouns/stroke.js'
import { ramp } from '../ramp.js'
import { between } from '../random.js'
import type { Scene } from './scene.js'

/** A flash of lightning from the clouds to the horizon, with its shine. */
export function paintLightning(canvas: Canvas, scene: Scene): void {
  const { unit, horizon, random, width } = scene
  const steps = 9
  let x = width * between(random, 0.2, 0.8)
  paintFlash(canvas, scene, x)
  for (let i = 0; i < steps; i++) {
    const next = x + unit * between(random, -0.055, 0.055)
    const way = [(next - x) / unit, -horizon / unit / steps] as const
    const bolt = [
      part('#b9c8ff', line([0, 0], way, 0.014), { shines: true, alpha: 0.35, blur: 0.014 }),
      part('#ffffff', line([0, 0], way, 0.0045 * (1.3 - i / steps)), { shines: true }),
    ]
    drawParts(canvas, bolt, { x, y: (horizon * i) / steps, height: unit, color: white, light: scene.light })
    x = next
  }
}

const white: Rgb = { r: 1, g: 1, b: 1 }

function paintFlash(canvas: Canvas, { unit, horizon, width }: Scene, center: number): void {
  const flash = toRgb('#dfe6ff')
  shade(canvas, { left: 0, top: 0, right: width, bottom: horizon }, (ink, x, y) => {
    const across = (x - center) / (unit * 0.35)
    const down = (y - horizon * 0.3) / (horizon * 0.6)
    addLight(ink, flash, 0.4 * ramp(1.6, 0, across * across + down * down))
  })
}
