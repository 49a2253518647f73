import { type Area, type Canvas, shade, wholeOf } from '../canvas.js'
import { dim, gradientAt, lit, mix, type Rgb, toRgb, toward } from '../color.js'
import { ramp } from '../ramp.js'
import type { Scene } from './scene.js'

/** A room: a papered wall with a window that shows the sky, and a floor of boards. */
export function paintRoom(canvas: Canvas, scene: Scene): void {
  const walls = ['#e8dcc6', '#cfdcd8', '#e6cfc4', '#d6d9c4'] as const
  const wall = indoors(toRgb(walls[Math.floor(scene.random() * walls.length)] ?? walls[0]), scene)
  paintWall(canvas, scene, wall)
  paintWindow(canvas, scene)
  paintBoards(canvas, scene)
}

/** Lamps keep a room brighter at night than the land outside. */
function indoors(color: Rgb, { air }: Scene): Rgb {
  return lit(color, mix(air.light, { r: 1, g: 0.96, b: 0.88 }, 0.6))
}

function paintWall(canvas: Canvas, { width, height, horizon, unit }: Scene, wall: Rgb): void {
  const stripe = unit * 0.09
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    toward(ink, wall, 1)
    dim(ink, 0.965 + 0.035 * ramp(0.46, 0.54, Math.abs(((x / stripe) % 2) - 1)))
    dim(ink, 1.04 - 0.16 * ramp(0.2, 0.75, Math.abs(x / width - 0.5)) - 0.1 * ramp(0.4, 0, y / height))
    if (y > horizon - unit * 0.045) toward(ink, mix(wall, { r: 1, g: 1, b: 1 }, 0.6), 1)
    if (y > horizon - unit * 0.006) dim(ink, 0.7)
  })
}

function paintWindow(canvas: Canvas, scene: Scene): void {
  const { width, horizon, unit, random, air } = scene
  const wide = Math.min(width * 0.3, unit * 0.34)
  const tall = Math.min(horizon * 0.6, unit * 0.42)
  const left = width * (random() < 0.5 ? 0.12 : 0.86) - (random() < 0.5 ? 0 : wide * 0.1)
  const x0 = Math.min(width - wide * 1.1, Math.max(wide * 0.1, left - wide / 2))
  const y0 = horizon * 0.14
  const pane: Area = { left: x0, top: y0, right: x0 + wide, bottom: y0 + tall }
  const frame = unit * 0.016
  const grown = { left: x0 - frame, top: y0 - frame, right: x0 + wide + frame, bottom: y0 + tall + frame * 2 }
  const wood = indoors(toRgb('#f6f2ea'), scene)
  shade(canvas, grown, (ink, x, y) => {
    const bar = Math.min(Math.abs(x - x0 - wide / 2), Math.abs(y - y0 - tall * 0.42)) < frame * 0.35
    const inside = x > pane.left && x < pane.right && y > pane.top && y < pane.bottom
    toward(ink, inside && !bar ? gradientAt(air.stops, (y - y0) / tall) : wood, 1)
    if (y > pane.bottom + frame * 1.4) dim(ink, 0.8)
  })
}

function paintBoards(canvas: Canvas, scene: Scene): void {
  const { width, height, horizon, unit, noise } = scene
  const floor = indoors(toRgb('#a9794b'), scene)
  const depth = Math.max(1, height - horizon)
  shade(canvas, { left: 0, top: horizon, right: width, bottom: height }, (ink, x, y) => {
    const near = (y - horizon) / depth
    // Boards run toward the viewer, and spread on their way.
    const across = ((x - width / 2) / unit) * (7 / (0.45 + 0.8 * near)) + 100
    const board = Math.floor(across)
    const seam = Math.min(across - board, board + 1 - across)
    const grain = noise.layered(across * 3 + board * 7, near * 2.2, 2) - 0.5
    toward(ink, floor, 1)
    dim(ink, 0.86 + 0.12 * ((board * 0.37) % 1) + 0.16 * grain + 0.1 * near)
    dim(ink, 0.72 + 0.28 * ramp(0, 0.05, seam))
  })
}
