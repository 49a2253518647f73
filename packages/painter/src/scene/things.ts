import { type Canvas, shade } from '../canvas.js'
import { dim, toRgb } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { ramp } from '../ramp.js'
import { paintBank } from './landscape.js'
import type { Scene } from './scene.js'
import { rippleBelow } from './sea.js'
import type { PlacedThing } from './thing.js'

/** Draws things from back to front, each with its shadow or reflection. Draws the near bank between them. */
export function drawThings(canvas: Canvas, scene: Scene, stands: readonly PlacedThing[]): void {
  const draw = (on: PlacedThing['on']): void => {
    for (const stand of stands) if (stand.on === on) drawThing(canvas, scene, stand)
  }
  draw('air')
  draw('water')
  paintBank(canvas, scene)
  draw('ground')
}

function drawThing(canvas: Canvas, scene: Scene, stand: PlacedThing): void {
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

/** The position of a thing, half its width, and the side that its light comes from (-1 for left, 1 for right). */
interface ShadowCaster {
  readonly x: number
  readonly y: number
  readonly reach: number
  readonly side: number
}

/** Darkens the ground under and behind a thing. */
export function castShadow(canvas: Canvas, { x, y, reach, side }: ShadowCaster): void {
  const shift = -side * reach * 0.25
  const flat = reach * 0.2
  const area = { left: x - reach * 1.5, right: x + reach * 1.5, top: y - flat * 1.2, bottom: y + flat * 1.4 }
  shade(canvas, area, (ink, px, py) => {
    const dx = (px - x - shift) / (reach * 1.15)
    const dy = (py - y) / flat
    dim(ink, 1 - 0.42 * ramp(1, 0.1, dx * dx + dy * dy))
  })
}
