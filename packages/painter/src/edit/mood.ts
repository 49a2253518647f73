import { type Canvas, colorAt, meanColor, shade, wholeOf } from '../canvas.js'
import { addLight, dim, type Ink, luma, mix, type Rgb, toRgb, toward } from '../color.js'
import { toSetting } from '../prompt/caption.js'
import type { Aspect, Request, Time, Weather } from '../prompt/request.js'
import { ramp, square } from '../ramp.js'
import { seededNoise, seededRandom } from '../random.js'
import { paintStars } from '../scene/sky.js'
import { paintWeather } from '../scene/weather.js'
import { applyStyle } from '../style/apply-style.js'
import { applyTone } from '../tone.js'

/** The parts of a request that a mood can show. */
export const moodAspects: readonly Aspect[] = ['time', 'weather', 'tones', 'style', 'sky', 'color']

/** Whether a request mentions a time, weather, tone, style or colour. */
export function isMood({ time, weather, tones, style, sky, color }: Request): boolean {
  const named = [time, style, sky, color].some((value) => value !== undefined)
  return named || weather.size > 0 || tones.length > 0
}

/** Renders a mood as text, such as "at night" or "in green". */
export function toLook({ place: _, ...request }: Request): string {
  return toSetting(request) || `in ${request.color?.word}`
}

/** Changes the time of day, weather, tone, style or colour of the canvas, but not its content. */
export function applyMood(canvas: Canvas, request: Request, seed: number): void {
  const { time, weather, tones, style, sky, color } = request
  if (color) recolor(canvas, color.rgb, () => 0.8)
  if (sky) recolor(canvas, sky.rgb, (y) => 0.85 * ramp(0.6, 0.3, y))
  if (time) applyTime(canvas, time, seed)
  for (const kind of weather.keys()) applyWeatherLight(canvas, kind)
  if (weather.size) {
    const haze = mix(meanColor(canvas, wholeOf(canvas)), { r: 1, g: 1, b: 1 }, 0.5)
    const air = { unit: Math.min(canvas.width, canvas.height), horizon: canvas.height * 0.6, weather, haze }
    paintWeather(canvas, { ...air, noise: seededNoise(seed), random: seededRandom(seed) })
  }
  if (style) applyStyle(canvas, style, seed)
  for (const tone of tones) applyTone(canvas, tone)
}

/**
 * Shifts the hue to a colour and keeps the brightness. `amount` takes the row, from 0 at the top to 1 at the bottom.
 */
function recolor(canvas: Canvas, color: Rgb, amount: (y: number) => number): void {
  const own = Math.max(0.12, luma(color))
  const grey = Math.max(color.r, color.g, color.b) - Math.min(color.r, color.g, color.b) < 0.08
  shade(canvas, wholeOf(canvas), (ink, _, y) => {
    const level = luma(ink)
    // Darker levels move toward black, and lighter ones toward white.
    const target = level < own ? mix(black, color, level / own) : mix(color, white, (level - own) / (1 - own))
    toward(ink, grey ? mix({ r: level, g: level, b: level }, color, 0.5) : target, amount(y / canvas.height))
  })
}

const black: Rgb = { r: 0, g: 0, b: 0 }
const white: Rgb = { r: 1, g: 1, b: 1 }

function applyTime(canvas: Canvas, time: Time, seed: number): void {
  const { width, height } = canvas
  const change = times[time]
  const unit = Math.min(width, height)
  const before = { ...canvas, data: canvas.data.slice() }
  shade(canvas, wholeOf(canvas), (ink, x, y) => change(ink, x / width, y / height))
  if (time !== 'night') return
  const isSky = (x: number, y: number): boolean => isCalm(before, [x, y], unit * 0.02)
  paintStars(canvas, { width, horizon: height * 0.5, unit, random: seededRandom(seed), isSky })
}

/** Whether the surroundings of a point are bright, not green, and uniform like a sky. */
function isCalm(canvas: Canvas, [x, y]: readonly [number, number], reach: number): boolean {
  const here = colorAt(canvas, x, y)
  const around = [
    colorAt(canvas, x - reach, y),
    colorAt(canvas, x + reach, y),
    colorAt(canvas, x, y - reach),
    colorAt(canvas, x, y + reach),
  ]
  const steps = around.map((other) => Math.abs(luma(other) - luma(here)))
  return here.g <= Math.max(here.r, here.b) && Math.max(...steps) < 0.04
}

const times: Readonly<Record<Time, (ink: Ink, x: number, y: number) => void>> = {
  night: (ink, _, y) => {
    const level = luma(ink)
    toward(ink, { r: level * 0.45, g: level * 0.55, b: level * 1.05 }, 0.62)
    dim(ink, 0.56 - 0.1 * ramp(0.5, 0, y))
  },
  sunset: (ink, x, y) => {
    ink.r = Math.min(1, ink.r * 1.12)
    ink.g *= 0.82
    ink.b *= 0.7
    toward(ink, toRgb('#5b3a7e'), 0.42 * ramp(0.42, 0, y))
    addLight(ink, toRgb('#ff9a4a'), 0.42 / (1 + square((x - 0.68) / 0.35) + square((y - 0.5) / 0.2)))
  },
  dawn: (ink, _, y) => {
    toward(ink, toRgb('#f3b7b0'), 0.22)
    addLight(ink, toRgb('#ffdca8'), 0.3 * ramp(0.35, 0, Math.abs(y - 0.52)))
  },
  day: (ink) => {
    // Brightens the shadows without clipping the highlights.
    ink.r *= 1.9 - 0.9 * ink.r
    ink.g *= 1.9 - 0.9 * ink.g
    ink.b *= 1.8 - 0.8 * ink.b
  },
}

/** Applies the light of the weather. Rain, snow or fog is painted later. */
function applyWeatherLight(canvas: Canvas, kind: Weather): void {
  if (kind === 'clear') applyTone(canvas, 'vivid')
  const grey = { clear: 0, wind: 0, fog: 0.2, snow: 0.2, clouds: 0.35, rain: 0.4, storm: 0.6 }[kind]
  shade(canvas, wholeOf(canvas), (ink, _, y) => {
    const level = luma(ink)
    toward(ink, { r: level * 0.94, g: level, b: level * 1.05 }, grey)
    if (kind === 'storm') dim(ink, 0.6)
    if (kind === 'rain') dim(ink, 0.85)
    // Snow covers surfaces below the horizon that are bright enough to face the sky.
    if (kind === 'snow')
      toward(ink, { r: 0.95, g: 0.97, b: 1 }, 0.5 * ramp(0.45, 0.7, y) * ramp(0.1, 0.5, level))
  })
}
