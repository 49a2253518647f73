import { type Canvas, colorAt, shade, wholeOf } from '../canvas.js'
import { addLight, dim, gradientAt, lit, mix, type Rgb, toRgb, toward } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { type Part, part } from '../nouns/part.js'
import { curve, oval, ring } from '../nouns/shapes.js'
import { clamp, ramp, square, wave } from '../ramp.js'
import { between, type Random } from '../random.js'
import { paintRidge } from './ridge.js'
import type { Scene } from './scene.js'

/** Paints water from the horizon to the bottom. It reflects the sky and the background. */
export function paintWater(canvas: Canvas, scene: Scene): void {
  const { width, height, horizon, unit, air, noise, lamp, weather } = scene
  const depth = Math.max(1, height - horizon)
  const water = mix(lit(toRgb('#1f6f9c'), air.light), air.haze, 0.12)
  const rough = weather.has('storm') ? 2.4 : weather.has('wind') ? 1.6 : 1
  shade(canvas, { left: 0, top: horizon, right: width, bottom: height }, (ink, x, y) => {
    const near = (y - horizon) / depth
    // Rows are closer together toward the horizon, like ground that is seen at a low angle.
    const far = 1 / (0.07 + near)
    const u = ((x - width / 2) / unit) * far
    const ripple = noise.layered(u * 2.6, far * 7, 2) - 0.5
    const mirrored = colorAt(
      canvas,
      x + ripple * unit * 0.06 * (0.3 + near) * rough,
      horizon - (y - horizon) * 0.85 - 1,
    )
    toward(ink, mirrored, 1)
    toward(ink, water, 0.26 + 0.34 * near)
    const crest = noise.at(u * 3.1 + 40, far * 16) * 0.6 + noise.at(u * 9, far * 34) * 0.4
    dim(ink, 1 + (crest - 0.5) * 0.3 * rough * ramp(0, 0.12, near))
    if (rough > 1.5) addLight(ink, { r: 1, g: 1, b: 1 }, 0.5 * ramp(0.72, 0.8, crest))
    if (lamp) addLight(ink, air.glow, glitter({ x: x - lamp.x, near, crest, unit }))
  })
  paintHorizonLine(canvas, scene)
}

/** Returns the strength of the light in the broken path of light under the sun or moon. */
function glitter(at: { x: number; near: number; crest: number; unit: number }): number {
  const spread = at.unit * (0.05 + 0.17 * at.near)
  const side = at.x / spread
  return (0.9 * ramp(0.5, 0.72, at.crest + 0.1 / (1 + side * side))) / (1 + side * side)
}

function paintHorizonLine(canvas: Canvas, { width, horizon, unit, air }: Scene): void {
  const soft = unit * 0.012
  shade(canvas, { left: 0, top: horizon - soft, right: width, bottom: horizon + soft }, (ink, _, y) => {
    toward(ink, air.haze, 0.5 * clamp(1 - Math.abs(y - horizon) / soft))
  })
}

/**
 * Returns how far the waves shift each row of a reflection, in pixels. The shift grows with the distance from the
 * waterline.
 */
export function rippleBelow(waterline: number, unit: number): (row: number) => number {
  return (row) => {
    const below = Math.max(0, row - waterline) / unit
    const turns = Math.sqrt(below + 0.002) * 22
    return unit * (0.003 + 0.02 * below) * (wave(turns) + 0.5 * wave(turns * 2.3 + 0.4))
  }
}

/** Paints light from above, sand, seaweed and bubbles. */
export function paintUnderwater(canvas: Canvas, scene: Scene): void {
  const { width, height, unit, air, noise } = scene
  const stops = (
    [
      [0, '#7fd6e4'],
      [0.35, '#2f9cc4'],
      [0.75, '#156a9c'],
      [1, '#0e4a78'],
    ] as const
  ).map(([at, hex]) => [at, lit(toRgb(hex), air.light)] as const)
  const rows = Array.from({ length: height }, (_, y) => gradientAt(stops, y / height))
  const white: Rgb = { r: 1, g: 1, b: 0.9 }
  shade(canvas, wholeOf(scene), (ink, x, y) => {
    toward(ink, rows[y] ?? white, 1)
    const down = y / height
    const ray = noise.layered(((x - width * 0.4) / unit) * (3.4 - 1.9 * down) + 40, 5 + down * 0.3, 2)
    addLight(ink, white, 0.42 * ramp(0.5, 0.8, ray) * square(1 - down))
  })
  const sand = lit(mix(toRgb('#d9c59a'), toRgb('#2f7fa8'), 0.42), air.light)
  paintRidge(canvas, scene, {
    level: height * 0.87,
    rise: unit * 0.06,
    waves: 1.6,
    detail: 2,
    crest: sand,
    foot: mix(sand, toRgb('#0e4a78'), 0.45),
    fade: height * 0.2,
    relief: 0.4,
  })
  plantWeeds(canvas, scene)
  blowBubbles(canvas, scene)
}

function plantWeeds(canvas: Canvas, { width, height, unit, random, light, air }: Scene): void {
  for (let i = 0; i < Math.min(36, 12 * (width / unit)); i++) {
    const side = Math.sqrt(random()) * random() * 0.5
    drawParts(canvas, weed(random), {
      x: width * (i % 2 ? side : 1 - side),
      y: height * between(random, 0.93, 1.01),
      height: unit * between(random, 0.16, 0.36),
      color: mix(toRgb('#2f8f5f'), toRgb('#8f9a3a'), random() * 0.7),
      light: {
        ...light,
        haze: { color: lit(toRgb('#1f7faf'), air.light), amount: between(random, 0.1, 0.5) },
      },
    })
  }
}

function weed(random: Random): Part[] {
  return [-0.1, 0.02, 0.12].map((x, i) => {
    const bend = between(random, -0.18, 0.18)
    return part(
      i % 2 ? 'main' : 'deep',
      curve(
        [
          [x, -0.05],
          [x + bend, 0.4],
          [x - bend * 0.6, between(random, 0.65, 1)],
        ],
        [0.035, 0.008],
      ),
      { bulge: 0.03 },
    )
  })
}

function blowBubbles(canvas: Canvas, { width, height, unit, random, light }: Scene): void {
  const bubble = [
    part('#ffffff', oval([0, 0.5], 0.46), { alpha: 0.14, bulge: 0 }),
    part('#ffffff', ring([0, 0.5], 0.46, 0.035), { alpha: 0.6, bulge: 0 }),
    part('#ffffff', oval([-0.16, 0.66], [0.1, 0.07], 0.1), { alpha: 0.8, bulge: 0 }),
  ]
  for (let i = 0; i < 26; i++) {
    const size = unit * (0.008 + 0.03 * random() * square(random()))
    drawParts(canvas, bubble, {
      x: random() * width,
      y: height * between(random, 0.05, 0.9),
      height: size,
      color: { r: 1, g: 1, b: 1 },
      light,
    })
  }
}
