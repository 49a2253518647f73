import { type Canvas, shade } from '../canvas.js'
import { addLight, gradientAt, mix, toRgb, toward } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { clamp, ramp, square } from '../ramp.js'
import type { Lamp, Scene } from './scene.js'

/** Paints the sky down to the horizon, with its glow, stars, sun or moon, and clouds. */
export function paintSky(canvas: Canvas, scene: Scene): void {
  paintAir(canvas, scene)
  if (scene.time === 'night') paintStars(canvas, scene)
  drawLamp(canvas, scene)
  paintClouds(canvas, scene)
  drawRainbow(canvas, scene)
}

function paintAir(canvas: Canvas, { width, horizon, unit, air, lamp }: Scene): void {
  const rows = Array.from({ length: horizon + 1 }, (_, y) => gradientAt(air.stops, y / Math.max(1, horizon)))
  const center = lamp ?? { x: width * 0.3, y: -unit }
  const reach = 1 / (unit * 0.42)
  // Continues slightly below the horizon, because the first hills have dips.
  shade(canvas, { left: 0, top: 0, right: width, bottom: horizon + unit * 0.12 }, (ink, x, y) => {
    toward(ink, rows[y] ?? air.haze, 1)
    const dx = (x - center.x) * reach * 0.72
    const dy = (y - center.y) * reach
    addLight(ink, air.glow, 0.6 / (1 + 2.6 * (dx * dx + dy * dy)))
  })
}

/** The area in which stars are painted. */
export interface Heaven extends Pick<Scene, 'width' | 'horizon' | 'unit' | 'random' | 'lamp'> {
  /** Whether a pixel is sky. Default: all of them. */
  readonly isSky?: (x: number, y: number) => boolean
}

/** Paints stars, which are denser toward the top. Their number depends on the area of the sky. */
export function paintStars(canvas: Canvas, heaven: Heaven): void {
  const { width, horizon, unit, random, lamp, isSky = () => true } = heaven
  const count = Math.round(Math.min(420, ((width * horizon) / (unit * unit)) * 260))
  const white = toRgb('#fff8e6')
  for (let i = 0; i < count; i++) {
    const x = random() * width
    const y = random() * random() * horizon * 1.05
    const radius = Math.max(0.75, unit * (0.0011 + 0.0022 * square(square(random()))))
    const strength = 0.35 + 0.65 * random()
    if (!isSky(x, y)) continue
    if (lamp && square(x - lamp.x) + square(y - lamp.y) < square(lamp.size * 0.9)) continue
    const reach = radius * 3
    const area = { left: x - reach, top: y - reach, right: x + reach + 1, bottom: y + reach + 1 }
    shade(canvas, area, (ink, px, py) => {
      const d = (square(px - x) + square(py - y)) / square(radius)
      addLight(ink, white, strength * (ramp(2.2, 0.3, d) + 0.12 / (1 + d)))
    })
  }
}

/** Draws the sun, moon or planet of the scene, if it has one. */
export function drawLamp(canvas: Canvas, { light, random, lamp }: Scene): void {
  if (!lamp) return
  const { noun, color, x, y, size } = lamp
  drawParts(canvas, noun.parts(random), { x, y: y + size / 2, height: size, color, light })
}

/** Returns the cloud cover for the weather. If no weather was requested, there are a few clouds. */
function coverOf({ weather, time }: Scene): number {
  if (weather.has('storm')) return 0.72
  if (weather.has('rain') || weather.has('clouds')) return 0.6
  if (weather.has('snow') || weather.has('fog')) return 0.5
  if (weather.has('clear')) return 0.1
  return time === 'night' ? 0.22 : 0.34
}

function paintClouds(canvas: Canvas, scene: Scene): void {
  const { width, horizon, unit, noise, air, lamp, weather } = scene
  const edge = 0.72 - 0.42 * coverOf(scene)
  const toSun = { x: ((lamp?.x ?? width * 0.3) < width / 2 ? -1 : 1) * 0.09, y: -0.22 }
  const seed = scene.random() * 90
  const heavy = weather.has('storm') || weather.has('rain') ? 0.5 : 0
  const density = (u: number, v: number): number => noise.layered(u + seed, v, 5)

  shade(canvas, { left: 0, top: 0, right: width, bottom: horizon }, (ink, x, y) => {
    // Like real clouds, these are flatter and closer together toward the horizon.
    const depth = 1 / (1.25 - y / horizon)
    const u = ((x - width / 2) / unit) * 1.9 * (0.55 + 0.4 * depth)
    const v = 2.6 * depth
    const thick = noise.layeredFrom(edge, u + seed, v, 5)
    if (thick === 0) return
    const cover = ramp(edge, edge + 0.17, thick) * ramp(1, 0.8, y / horizon) * besideLamp(lamp, x, y)
    if (cover <= 0.002) return
    const lit = 0.55 + 5 * (thick - density(u + toSun.x, v + toSun.y)) - heavy
    toward(ink, mix(air.cloudShadow, air.cloud, clamp(lit)), cover * 0.88)
  })
}

/** Returns how much cloud is allowed at a point, so that the sun or moon remains visible. */
function besideLamp(lamp: Lamp | undefined, x: number, y: number): number {
  if (!lamp) return 1
  const away = (square(x - lamp.x) + square(y - lamp.y)) / square(lamp.size)
  return ramp(0.2, 1.2, away)
}

function drawRainbow(canvas: Canvas, { rainbow, width, horizon, unit, light, random }: Scene): void {
  if (!rainbow) return
  const height = Math.min(horizon * 0.85, unit * 0.62)
  drawParts(canvas, rainbow.parts(random), {
    x: width * (light.side > 0 ? 0.42 : 0.58),
    y: horizon,
    height,
    color: toRgb(rainbow.color),
    light,
  })
}
