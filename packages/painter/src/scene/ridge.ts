import { type Canvas, shade } from '../canvas.js'
import { lit, mix, type Rgb, scaled, toRgb, toward } from '../color.js'
import { clamp } from '../ramp.js'
import type { Scene } from './scene.js'

/** A line of hills, filled down to `bottom` or the bottom of the canvas. */
interface Ridge {
  /** The row of the crest's mean height. */
  readonly level: number
  /** The amplitude in pixels. */
  readonly rise: number
  /** The number of hills across the image's shorter side. */
  readonly waves: number
  /** The number of octaves of detail: 1 is smooth, and 5 is rocky. Default 2. */
  readonly detail?: number
  /** The colour at the crest, and the colour `fade` pixels below it. */
  readonly crest: Rgb
  readonly foot: Rgb
  readonly fade: number
  readonly bottom?: number
  /** The contrast of light and shadow on the slopes, from 0 to 1. Default 0. */
  readonly relief?: number
}

/** Paints a line of hills. Returns the row of the crest in each column. */
export function paintRidge(canvas: Canvas, scene: Scene, ridge: Ridge): Float32Array {
  const { level, rise, waves, detail = 2, bottom = scene.height } = ridge
  const shift = scene.random() * 90
  const crests = Float32Array.from(
    { length: scene.width },
    (_, x) =>
      level - rise * (2 * scene.noise.layered((x / scene.unit) * waves + shift, shift * 0.7, detail) - 1),
  )
  const top = level - rise - 1
  const grain = 12 / scene.unit
  shade(canvas, { left: 0, top, right: scene.width, bottom }, (ink, x, y) => {
    const depth = y + 0.5 - (crests[x] ?? level)
    if (depth < -0.5) return
    const part = clamp(depth / ridge.fade)
    const rough = 0.97 + 0.06 * scene.noise.at(x * grain, y * grain * 2.2)
    const color = mix(ridge.crest, ridge.foot, part)
    const slope = ridge.relief ? ridge.relief * (1 - part) * slopeAt(crests, x, scene) : 0
    toward(ink, scaled(color, rough * (1 + slope)), clamp(depth + 0.5))
  })
  return crests
}

/** Returns how much a crest faces the light at a column, from 1 (toward the light) to -1 (away from it). */
function slopeAt(crests: Float32Array, x: number, { unit, light }: Scene): number {
  const reach = Math.max(1, Math.round(unit * 0.012))
  const before = crests[Math.max(0, x - reach)] ?? 0
  const after = crests[Math.min(crests.length - 1, x + reach)] ?? 0
  const slope = ((after - before) / (2 * reach)) * light.side * -4
  return Math.max(-1, Math.min(1, slope))
}

/** Paints snowdrifts from a row down to the bottom. Their crests are between two rows. */
export function paintSnow(canvas: Canvas, scene: Scene, rows: { from: number; to: number }): void {
  const { height, unit, air } = scene
  const white = lit(toRgb('#f7f9fd'), mix(air.light, { r: 1, g: 1, b: 1 }, 0.25))
  const blue = lit(toRgb('#9fb9de'), mix(air.light, { r: 1, g: 1, b: 1 }, 0.2))
  for (const part of [0, 0.4]) {
    const haze = 0.25 * (1 - part)
    paintRidge(canvas, scene, {
      level: rows.from + (rows.to - rows.from) * part + unit * 0.01,
      rise: unit * (0.05 + 0.03 * part),
      waves: 1.5,
      detail: 1,
      crest: mix(white, air.haze, haze),
      foot: mix(blue, air.haze, haze),
      fade: (height - rows.from) * 0.8,
      relief: 0.22,
    })
  }
}
