import { type Canvas, shade, wholeOf } from './canvas.js'
import { dim, type Ink, luma, mix, type Rgb, saturate, toRgb, toward } from './color.js'
import type { Tone } from './prompt/request.js'
import { clamp, ramp } from './ramp.js'

/** Changes the mood of the entire canvas. */
export function applyTone(canvas: Canvas, tone: Tone): void {
  const change = tones[tone]
  shade(canvas, wholeOf(canvas), (ink) => change(ink))
}

const tones: Readonly<Record<Tone, (ink: Ink) => void>> = {
  darker: (ink) => dim(ink, 0.62),
  lighter: (ink) => toward(ink, { r: 1, g: 1, b: 1 }, 0.28),
  warmer: (ink) => filter(ink, { r: 1.1, g: 1, b: 0.8 }),
  cooler: (ink) => filter(ink, { r: 0.82, g: 0.97, b: 1.12 }),
  monochrome: (ink) => toward(ink, gray(luma(ink)), 1),
  sepia: (ink) => toward(ink, sepiaAt(luma(ink)), 1),
  vivid: (ink) => saturate(ink, 1.45),
  pale: (ink) => {
    saturate(ink, 0.6)
    toward(ink, { r: 1, g: 0.98, b: 0.95 }, 0.25)
  },
  autumn: (ink) => {
    const green = clamp((ink.g - Math.max(ink.r, ink.b)) * 6)
    const level = luma(ink)
    toward(ink, { r: Math.min(1, level * 1.75), g: level * 0.92, b: level * 0.28 }, green * 0.85)
  },
}

function filter(ink: Ink, by: Rgb): void {
  ink.r = clamp(ink.r * by.r)
  ink.g = clamp(ink.g * by.g)
  ink.b = clamp(ink.b * by.b)
}

function gray(level: number): Rgb {
  return { r: level, g: level, b: level }
}

function sepiaAt(level: number): Rgb {
  const [dark, middle, bright] = [toRgb('#2b1a10'), toRgb('#a67c52'), toRgb('#f8ecd2')]
  return level < 0.5 ? mix(dark, middle, level * 2) : mix(middle, bright, level * 2 - 1)
}

/** Darkens the corners slightly, which draws the eye to the middle. */
export function vignette(canvas: Canvas): void {
  const { width, height } = canvas
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    const dx = (x / width - 0.5) * 2
    const dy = (y / height - 0.5) * 2
    dim(ink, 1 - 0.14 * ramp(0.7, 2, dx * dx + dy * dy))
  })
}
