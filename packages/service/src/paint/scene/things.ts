import type { Canvas } from '../canvas.js'
import { toRgb } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import type { Wanted } from '../prompt/request.js'
import { arrange } from './arrange.js'
import { paintBank } from './landscape.js'
import type { Scene } from './scene.js'
import { rippleBelow } from './sea.js'
import { castShadow } from './shadow.js'
import type { Stand } from './stand.js'

/** Draws the things a prompt asks for, from back to front, each with its shadow or its reflection. */
export function drawThings(canvas: Canvas, scene: Scene, things: readonly Wanted[]): void {
  const stands = arrange(scene, things)
  const draw = (on: Stand['on']): void => {
    for (const stand of stands) if (stand.on === on) drawThing(canvas, scene, stand)
  }
  draw('air')
  draw('water')
  paintBank(canvas, scene)
  draw('ground')
}

function drawThing(canvas: Canvas, scene: Scene, { noun, color, x, y, height, mirrored, on }: Stand): void {
  const parts = noun.parts(scene.random)
  const stance = { x, y, height, mirrored, color: color ?? toRgb(noun.color), light: scene.light }
  if (on === 'ground' && !noun.shadowless)
    castShadow(canvas, { x, y, reach: height * noun.width * 0.5, side: scene.light.side })
  if (on === 'water') drawParts(canvas, parts, { ...stance, alpha: 0.4, ripple: rippleBelow(y, scene.unit) })
  drawParts(canvas, parts, stance)
}
