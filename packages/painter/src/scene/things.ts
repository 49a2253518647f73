import type { Canvas } from '../canvas.js'
import { toRgb } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { paintBank } from './landscape.js'
import type { Scene } from './scene.js'
import { rippleBelow } from './sea.js'
import { castShadow } from './shadow.js'
import type { Stand } from './stand.js'

/** Draws things from back to front, each with its shadow or its reflection, and the near bank between them. */
export function drawThings(canvas: Canvas, scene: Scene, stands: readonly Stand[]): void {
  const draw = (on: Stand['on']): void => {
    for (const stand of stands) if (stand.on === on) drawThing(canvas, scene, stand)
  }
  draw('air')
  draw('water')
  paintBank(canvas, scene)
  draw('ground')
}

function drawThing(canvas: Canvas, scene: Scene, stand: Stand): void {
  const { noun, parts, color, x, y, height, mirrored, on, base } = stand
  const stance = { x, y, height, mirrored, color: color ?? toRgb(noun.color), light: scene.light }
  if (on === 'ground' && y === base && !noun.shadowless && !scene.light.flat)
    castShadow(canvas, { x, y, reach: height * noun.width * 0.5, side: scene.light.side })
  if (on === 'water')
    drawParts(canvas, parts, {
      ...stance,
      y: 2 * base - y,
      alpha: 0.4,
      ripple: rippleBelow(base, scene.unit),
    })
  drawParts(canvas, parts, stance)
}
