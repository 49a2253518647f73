import { type Canvas, shade, wholeOf } from '../canvas.js'
import { addLight, dim, type Ink, luma, mix, type Rgb, saturate, toRgb, toward } from '../color.js'
import { clamp, ramp, wave } from '../ramp.js'
import type { Noise } from '../random.js'
import { blurred, edgesOf, smoothPatches } from './filters.js'

/** Draws ink lines on paper, and hatches dark parts. */
export function toLines(canvas: Canvas, unit: number): void {
  smoothPatches(canvas, unit / 170)
  const edges = edgesOf(canvas, unit / 420)
  const [paper, ink] = [toRgb('#fbf8f0'), toRgb('#23242b')]
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const hatch = stripes((x + y) / unit, 70) * ramp(0.34, 0.12, luma(pixel))
    toward(pixel, paper, 1)
    toward(pixel, ink, Math.max(ramp(0.16, 0.34, edges[y * canvas.width + x] ?? 0), 0.75 * hatch))
  })
}

/** Draws in soft graphite, with strokes in three directions and more of them in dark parts. */
export function toPencil(canvas: Canvas, unit: number, noise: Noise): void {
  const edges = edgesOf(canvas, unit / 380)
  const [paper, lead] = [toRgb('#f6f3ea'), toRgb('#3d3d42')]
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const [u, v] = [x / unit, y / unit]
    const dark = 1 - luma(pixel)
    const shake = 0.006 * noise.at(u * 40, v * 40)
    const strokes =
      0.4 * stripes(u + v + shake, 95) * ramp(0.25, 0.6, dark) +
      0.4 * stripes(u - v + shake, 90) * ramp(0.5, 0.8, dark) +
      0.3 * stripes(u * 0.4 + v + shake, 100) * ramp(0.68, 0.95, dark)
    const grain = 0.55 + 0.8 * noise.at(u * 300, v * 300)
    toward(pixel, paper, 1)
    const tone = 0.3 * dark + strokes + 0.75 * ramp(0.1, 0.42, edges[y * canvas.width + x] ?? 0)
    toward(pixel, lead, clamp(tone * grain))
  })
}

/** Draws plain areas in few tones, with dark outlines. */
export function toCartoon(canvas: Canvas, unit: number): void {
  smoothPatches(canvas, unit / 150)
  const edges = edgesOf(canvas, unit / 360)
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const level = luma(pixel)
    const steps = 5
    const tone =
      (Math.floor(level * steps) + ramp(0.4, 0.6, level * steps - Math.floor(level * steps))) / steps
    dim(pixel, (0.12 + tone * 0.95) / Math.max(0.05, level))
    saturate(pixel, 1.35)
    toward(pixel, { r: 0.08, g: 0.07, b: 0.12 }, ramp(0.2, 0.42, edges[y * canvas.width + x] ?? 0))
  })
}

/** Draws white and pale blue lines on blue paper with a grid. */
export function toBlueprint(canvas: Canvas, unit: number): void {
  smoothPatches(canvas, unit / 170)
  const edges = edgesOf(canvas, unit / 460)
  const [paper, pale, white] = [toRgb('#1c4f94'), toRgb('#6d9fd8'), toRgb('#f2f7ff')]
  const cell = unit / 24
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const line = Math.min(x % cell, y % cell) < Math.max(1, unit / 900)
    const bold = Math.min(x % (cell * 4), y % (cell * 4)) < Math.max(1, unit / 900)
    const tone = luma(pixel)
    toward(pixel, paper, 1)
    dim(pixel, 0.88 + 0.24 * tone)
    if (line) toward(pixel, pale, bold ? 0.45 : 0.2)
    toward(pixel, white, ramp(0.16, 0.36, edges[y * canvas.width + x] ?? 0))
  })
}

/** Draws glowing outlines in the dark. */
export function toNeon(canvas: Canvas, unit: number): void {
  const edges = edgesOf(canvas, unit / 420).map((edge) => ramp(0.14, 0.4, edge))
  const glow = blurred(edges, canvas, unit / 70)
  const night = toRgb('#0b0620')
  shade(canvas, wholeOf(canvas), (pixel, x, y) => {
    const i = y * canvas.width + x
    const tube = toTube(pixel, (x + y) / (canvas.width + canvas.height))
    toward(pixel, night, 0.86)
    addLight(pixel, tube, clamp(1.5 * (glow[i] ?? 0)))
    toward(pixel, mix(tube, { r: 1, g: 1, b: 1 }, 0.45), edges[i] ?? 0)
  })
}

/** Returns the fully saturated neon colour for a colour. The neon colour of a grey depends on its position. */
function toTube({ r, g, b }: Ink, place: number): Rgb {
  const [low, high] = [Math.min(r, g, b), Math.max(r, g, b)]
  const own = high - low
  const light = mix(toRgb('#ff3ea5'), toRgb('#2fd8ff'), place)
  if (own < 0.02) return light
  const full = { r: (r - low) / own, g: (g - low) / own, b: (b - low) / own }
  return mix(light, full, ramp(0.05, 0.3, own))
}

function stripes(turns: number, perUnit: number): number {
  return ramp(0.1, 0.9, wave(turns * perUnit))
}
