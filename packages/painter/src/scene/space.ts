import { type Canvas, shade, wholeOf } from '../canvas.js'
import { addLight, mix, toRgb, toward } from '../color.js'
import { ramp } from '../ramp.js'
import type { Scene } from './scene.js'
import { drawLamp, paintStars } from './sky.js'

/** Stars, glowing clouds and, unless one was asked for, a planet. */
export function paintSpace(canvas: Canvas, scene: Scene): void {
  const { unit, noise, random } = scene
  const [deep, rose, teal] = [toRgb('#070a1c'), toRgb('#a03f9a'), toRgb('#2a7fb8')]
  const shift = random() * 50
  shade(canvas, wholeOf(scene), (ink, x, y) => {
    const u = (x / unit) * 1.6 + shift
    const v = (y / unit) * 1.6
    const bend = noise.at(u * 1.3, v * 1.3 + 7)
    const mist = noise.layered(u + bend, v + bend * 0.6, 5)
    toward(ink, deep, 1)
    addLight(
      ink,
      mix(rose, teal, ramp(0.3, 0.7, noise.at(u * 0.8 + 20, v * 0.8))),
      1.1 * ramp(0.4, 0.75, mist),
    )
  })
  paintStars(canvas, scene)
  drawLamp(canvas, scene)
}
