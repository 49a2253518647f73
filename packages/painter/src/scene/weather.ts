import { type Canvas, shade, wholeOf } from '../canvas.js'
import { addLight, mix, type Rgb, toRgb, toward } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { part } from '../nouns/part.js'
import { curve, line, oval } from '../nouns/shapes.js'
import type { Weather } from '../prompt/request.js'
import { ramp, square } from '../ramp.js'
import { between, type Noise, type Random } from '../random.js'
import type { Scene } from './scene.js'

/** The properties of the image that weather depends on. */
interface Air {
  readonly unit: number
  readonly horizon: number
  readonly weather: ReadonlyMap<Weather, number>
  readonly haze: Rgb
  readonly noise: Noise
  readonly random: Random
}

/** Paints fog, rain, snowfall and wind over everything. Other weather is already visible in the sky. */
export function paintWeather(canvas: Canvas, air: Air): void {
  const fog = air.weather.get('fog')
  const rain = Math.max(air.weather.get('rain') ?? 0, air.weather.has('storm') ? 1.3 : 0)
  const snow = air.weather.get('snow')
  const wind = air.weather.get('wind')
  if (fog) paintFog(canvas, air, fog)
  if (rain) paintRain(canvas, air.random, rain)
  if (snow) paintSnowfall(canvas, air.random, snow)
  if (wind) paintWind(canvas, air.random, wind)
}

const white: Rgb = { r: 1, g: 1, b: 1 }

function paintFog(canvas: Canvas, { unit, horizon, haze, noise }: Air, strength: number): void {
  const color = mix(haze, white, 0.25)
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    const drift = noise.layered((x / unit) * 1.6, (y / unit) * 5, 4)
    const near = 1 - Math.min(1, Math.abs(y - horizon) / (canvas.height * 0.55))
    toward(ink, color, Math.min(0.9, (0.22 + 0.5 * near) * (0.55 + 0.75 * drift) * strength))
  })
}

const particleColor: Rgb = { r: 1, g: 1, b: 1 }
const plain = { color: particleColor, light: { tint: particleColor, side: -1, night: false } }

/** Paints slanting streaks over everything. A `strength` of 1 is usual rain. */
function paintRain(canvas: Canvas, random: Random, strength: number): void {
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

/** Paints flakes over everything. A few of the flakes are near and large. A `strength` of 1 is usual snowfall. */
function paintSnowfall(canvas: Canvas, random: Random, strength: number): void {
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

/** Paints curling white strokes in the air. A `strength` of 1 is a usual wind. */
function paintWind(canvas: Canvas, random: Random, strength: number): void {
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

/** Returns the image's shorter side, and how many squares of this size fit into the image, at most twelve. */
function measure({ width, height }: Canvas): { unit: number; squares: number } {
  const unit = Math.min(width, height)
  return { unit, squares: Math.min(12, (width * height) / (unit * unit)) }
}

/** Paints a flash of lightning from the clouds to the horizon, with its glow. */
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
    drawParts(canvas, bolt, {
      x,
      y: (horizon * i) / steps,
      height: unit,
      color: boltColor,
      light: scene.light,
    })
    x = next
  }
}

const boltColor: Rgb = { r: 1, g: 1, b: 1 }

function paintFlash(canvas: Canvas, { unit, horizon, width }: Scene, center: number): void {
  const flash = toRgb('#dfe6ff')
  shade(canvas, { left: 0, top: 0, right: width, bottom: horizon }, (ink, x, y) => {
    const across = (x - center) / (unit * 0.35)
    const down = (y - horizon * 0.3) / (horizon * 0.6)
    addLight(ink, flash, 0.4 * ramp(1.6, 0, across * across + down * down))
  })
}
