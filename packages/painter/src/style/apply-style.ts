import type { Canvas } from '../canvas.js'
import type { Style } from '../prompt/request.js'
import { type Noise, seededNoise } from '../random.js'
import { toBlueprint, toCartoon, toLines, toNeon, toPencil } from './drawn.js'
import { smoothPatches } from './filters.js'
import { toMosaic, toOil, toPixels, toPoster, toWatercolour } from './painted.js'

type Painter = (canvas: Canvas, unit: number, noise: Noise) => void

/** Changes the canvas to another style. Its content stays in the same place. */
export function applyStyle(canvas: Canvas, style: Style, seed: number): void {
  painters[style](canvas, Math.min(canvas.width, canvas.height), seededNoise(seed))
}

const painters: Readonly<Record<Style, Painter>> = {
  watercolour: toWatercolour,
  oil: toOil,
  pixels: toPixels,
  lines: toLines,
  pencil: toPencil,
  cartoon: toCartoon,
  minimal: toEvenAreas,
  poster: toPoster,
  mosaic: toMosaic,
  neon: toNeon,
  blueprint: toBlueprint,
}

/** Smooths the canvas into even areas. Scenes in this style have already been painted without shading. */
function toEvenAreas(canvas: Canvas, unit: number): void {
  for (const share of [40, 60, 90]) smoothPatches(canvas, unit / share)
}
