import { type Canvas, shade, wholeOf } from './canvas.js'
import { gradientAt, luma, mix, type Rgb, type Stop, scaled, toward } from './color.js'
import { seededNoise } from './noise.js'
import { wave } from './ramp.js'
import { between, seededRandom } from './random.js'

/** Paints a flow of harmonious colours, each seed another; `color` sets the leading colour. */
export function paintAbstract(canvas: Canvas, seed: number, color?: Rgb): void {
  const random = seededRandom(seed)
  const noise = seededNoise(seed)
  const stops = toStops(random(), color)
  const unit = Math.min(canvas.width, canvas.height)
  const scale = between(random, 1.1, 1.6)
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    const u = (x / unit) * scale
    const v = (y / unit) * scale
    // Noise bent by noise bent by noise runs in folds and threads, like ink in water.
    const bendX = noise.layered(u, v, 3)
    const bendY = noise.layered(u + 5.2, v + 1.3, 3)
    const foldX = noise.layered(u + 2.6 * bendX + 1.7, v + 2.6 * bendY + 9.2, 3)
    const flow = noise.layered(u + 2.6 * foldX, v + 2.6 * bendX, 4)
    const thread = wave(flow * 5 + foldX * 2)
    toward(ink, gradientAt(stops, flow * 1.5 - 0.25 + 0.1 * bendY), 1)
    toward(
      ink,
      thread > 0 ? { r: 1, g: 0.97, b: 0.92 } : { r: 0.04, g: 0.03, b: 0.12 },
      0.13 * Math.abs(thread) * (0.4 + foldX),
    )
  })
}

/** Five colours around a leading hue: dark, deep, leading, neighbouring, light. */
function toStops(turn: number, color?: Rgb): Stop[] {
  const lead = color ?? hue(turn)
  const neighbour = color ? mix(color, hue(turn), 0.35) : hue(turn + 0.1)
  const across = color
    ? mix(color, { r: 1, g: 0.95, b: 0.85 }, 0.6)
    : mix(hue(turn + 0.24), { r: 1, g: 0.9, b: 0.75 }, 0.45)
  return [
    [0, scaled(lead, 0.28)],
    [0.3, mix(scaled(lead, 0.75), neighbour, 0.25)],
    [0.52, lead],
    [0.72, mix(neighbour, across, 0.45)],
    [1, mix(across, { r: 1, g: 0.97, b: 0.9 }, 0.6)],
  ]
}

/** A clear colour of a hue in full turns, all about equally bright. */
function hue(turn: number): Rgb {
  const color = {
    r: 0.55 + 0.36 * wave(turn + 0.25),
    g: 0.5 + 0.3 * wave(turn - 0.083),
    b: 0.55 + 0.36 * wave(turn - 0.417),
  }
  return scaled(color, Math.min(1.2, 0.56 / luma(color)))
}
