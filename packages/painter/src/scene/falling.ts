import { type Canvas, shade, wholeOf } from '../canvas.js'
import { type Rgb, toward } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { oval } from '../nouns/outline.js'
import { part } from '../nouns/part.js'
import { curve, line } from '../nouns/stroke.js'
import { square } from '../ramp.js'
import { between, type Random } from '../random.js'

const white: Rgb = { r: 1, g: 1, b: 1 }
const plain = { color: white, light: { tint: white, side: -1, night: false } }

/** Slanting streaks over everything; `strength` 1 is usual rain. */
export function paintRain(canvas: Canvas, random: Random, strength: number): void {
  const { unit, squares } = measure(canvas)
  const lean = between(random, 0.12, 0.24) * (random() < 0.5 ? -1 : 1)
  for (let i = 0; i < 230 * strength * squares; i++) {
    const near = random()
    const form = line([0, 0], [-lean, 1], [0.012, 0.004])
    const streak = part('#e4eef6', form, { bulge: 0, alpha: 0.22 + 0.33 * near })
    const at = { x: random() * canvas.width, y: random() * canvas.height * 1.1 }
    drawParts(canvas, [streak], { ...plain, ...at, height: unit * (0.03 + 0.06 * near) })
  }
  const veil = 0.1 * Math.min(1.5, strength)
  shade(canvas, wholeOf(canvas), (ink) => toward(ink, { r: 0.55, g: 0.62, b: 0.7 }, veil))
}

/** Flakes over everything, few of them near and large; `strength` 1 is usual snowfall. */
export function paintSnowfall(canvas: Canvas, random: Random, strength: number): void {
  const { unit, squares } = measure(canvas)
  const count = 320 * strength * squares
  for (let i = 0; i < count; i++) {
    const near = (i / count) * square(i / count)
    const look = { shines: true, blur: 0.22, alpha: 0.92 - 0.35 * near }
    const at = { x: random() * canvas.width, y: random() * canvas.height * 1.05 }
    const flake = part('#ffffff', oval([0, 0.5], 0.5), look)
    drawParts(canvas, [flake], { ...plain, ...at, height: unit * (0.006 + 0.02 * near) })
  }
}

/** Curling white strokes in the air; `strength` 1 is a usual wind. */
export function paintWind(canvas: Canvas, random: Random, strength: number): void {
  const look = { bulge: 0, alpha: 0.6 }
  const gust = [
    part(
      '#ffffff',
      curve(
        [
          [-1.6, 0.2],
          [-0.4, 0.6],
          [0.7, 0.3],
        ],
        [0.008, 0.022],
      ),
      look,
    ),
    part(
      '#ffffff',
      curve(
        [
          [0.7, 0.3],
          [1.25, 0.12],
          [1.1, 0.62],
        ],
        [0.022, 0.016],
      ),
      look,
    ),
    part(
      '#ffffff',
      curve(
        [
          [1.1, 0.62],
          [0.95, 0.78],
          [0.88, 0.5],
        ],
        [0.016, 0.006],
      ),
      look,
    ),
  ]
  for (let i = 0; i < 9 * strength; i++) {
    const at = { x: random() * canvas.width, y: random() * canvas.height * 0.8 }
    drawParts(canvas, gust, { ...plain, ...at, height: measure(canvas).unit * between(random, 0.06, 0.12) })
  }
}

/** The shorter side, and how many squares of it fit; many of them in a narrow strip count as twelve. */
function measure({ width, height }: Canvas): { unit: number; squares: number } {
  const unit = Math.min(width, height)
  return { unit, squares: Math.min(12, (width * height) / (unit * unit)) }
}
