import type { Canvas } from '../canvas.js'
import { type Hex, lit, mix, type Rgb, toRgb } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { nounOf } from '../nouns/nouns.js'
import { type Part, part } from '../nouns/part.js'
import { line, oval } from '../nouns/shapes.js'
import { between, type Random } from '../random.js'
import { paintRidge, paintSnow } from './ridge.js'
import type { Scene } from './scene.js'

/** Paints distant hazy hills, and a green meadow with grass and flowers in front. */
export function paintMeadow(canvas: Canvas, scene: Scene): void {
  paintFarHills(canvas, scene)
  paintGreen(canvas, scene, scene.horizon)
  paintTurf(canvas, scene, scene.horizon + (scene.height - scene.horizon) * 0.3)
}

/** Paints lines of blue hills at the horizon. */
export function paintFarHills(canvas: Canvas, scene: Scene): void {
  const { horizon, unit, air } = scene
  const blue = lit(toRgb('#6d8fb0'), air.light)
  for (const [i, far] of [0.72, 0.5].entries()) {
    const crest = mix(blue, air.haze, far)
    paintRidge(canvas, scene, {
      level: horizon - unit * (0.07 - 0.03 * i),
      rise: unit * (0.09 - 0.02 * i),
      waves: 2.2 + i,
      detail: 4,
      crest,
      foot: mix(crest, air.haze, 0.45),
      fade: unit * 0.12,
      bottom: horizon + unit * 0.1,
    })
  }
}

/** Paints rolling grassland from a row down to the bottom. In snow, it is white. */
export function paintGreen(canvas: Canvas, scene: Scene, from: number): void {
  if (scene.weather.has('snow')) paintSnow(canvas, scene, { from, to: scene.height })
  else paintGrass(canvas, scene, from)
}

function paintGrass(canvas: Canvas, scene: Scene, from: number): void {
  const { height, unit, air } = scene
  const depth = height - from
  const greens: readonly (readonly [Hex, Hex])[] = [
    ['#8fb56a', '#7fa85a'],
    ['#7fb050', '#5f9440'],
    ['#6fa53f', '#3f7530'],
  ]
  for (const [i, [crest, foot]] of greens.entries()) {
    const seen = (hex: Hex): Rgb => mix(lit(toRgb(hex), air.light), air.haze, 0.34 - i * 0.15)
    paintRidge(canvas, scene, {
      level: from + depth * (0.17 * i) - (i ? 0 : unit * 0.01),
      rise: Math.min(unit * 0.045, depth * 0.1) * (1 - 0.15 * i),
      waves: 1.7 - 0.3 * i,
      detail: 1,
      crest: seen(crest),
      foot: seen(foot),
      fade: depth * (0.3 + 0.35 * i),
    })
  }
}

/** Paints tufts of grass and small flowers below a row. They are larger toward the viewer. */
export function paintTurf(canvas: Canvas, scene: Scene, from: number): void {
  if (scene.weather.has('snow')) return
  const { width, height, unit, random, light, air } = scene
  const green = mix(toRgb('#5c9436'), toRgb('#a6c45c'), random() * 0.4)
  const petals =
    (['#fdf6e4', '#f6cf4d', '#e9748f', '#c79be6'] as const)[Math.floor(random() * 4)] ?? '#fdf6e4'
  const count = Math.round(150 * Math.min(3, (width * (height - from)) / (unit * unit * 0.35)))
  for (let i = 0; i < count; i++) {
    const near = (i + random()) / count
    const y = from + (height - from) * near + unit * 0.01
    const size = unit * (0.012 + 0.028 * near)
    const blooms = random() < 0.22
    drawParts(canvas, blooms ? bloom(petals) : tuft(random), {
      x: random() * width,
      y,
      height: size * between(random, 0.7, 1.2),
      color: green,
      light: { ...light, haze: { color: air.haze, amount: 0.12 * (1 - near) } },
    })
  }
}

function tuft(random: Random): Part[] {
  return [-0.35, -0.1, 0.15, 0.4].map((lean, i) =>
    part(
      i % 2 ? 'main' : 'deep',
      line([lean * 0.3, 0], [lean + between(random, -0.15, 0.15), between(random, 0.6, 1)], [0.09, 0.02]),
      { bulge: 0, alpha: 0.8 },
    ),
  )
}

function bloom(petals: Hex): Part[] {
  return [
    part('main', line([0, 0], [0, 0.8], 0.05), { bulge: 0 }),
    part(petals, oval([0, 0.9], [0.3, 0.22]), { bulge: 0.1 }),
    part('#e8a92e', oval([0, 0.92], [0.1, 0.08]), { bulge: 0 }),
  ]
}

/** Paints rows of trees in the haze around a clearing. */
export function paintForest(canvas: Canvas, scene: Scene): void {
  const { horizon, height, unit, air } = scene
  const far = mix(lit(toRgb('#5f8a6a'), air.light), air.haze, 0.6)
  paintRidge(canvas, scene, {
    level: horizon - unit * 0.1,
    rise: unit * 0.06,
    waves: 5,
    detail: 4,
    crest: far,
    foot: mix(far, air.haze, 0.4),
    fade: unit * 0.15,
  })
  plantRow(canvas, scene, { near: 0, clearing: 0 })
  paintGreen(canvas, scene, horizon)
  plantRow(canvas, scene, { near: 0.35, clearing: 0.42 })
  plantRow(canvas, scene, { near: 0.75, clearing: 0.78 })
  paintTurf(canvas, scene, horizon + (height - horizon) * 0.45)
}

/**
 * Paints a row of trees. `near` is 0 for the farthest row and 1 for the nearest; `clearing` is the share in the middle
 * without trees.
 */
function plantRow(
  canvas: Canvas,
  scene: Scene,
  { near, clearing }: { near: number; clearing: number },
): void {
  const { width, height, horizon, unit, random, light, air } = scene
  const size = unit * (0.2 + 0.3 * near)
  const count = Math.max(4, Math.round((width / size) * (near === 0 ? 2.6 : 2 * (1 - clearing) + 0.6)))
  for (let i = 0; i < count; i++) {
    const side = (i + 0.5 + between(random, -0.3, 0.3)) / count
    const x = side < 0.5 ? side * (1 - clearing) : 1 - (1 - side) * (1 - clearing)
    const noun = nounOf(random() < 0.62 ? 'pine' : 'tree')
    drawParts(canvas, noun.parts(random), {
      x: x * width,
      y: horizon + (height - horizon) * (0.06 + 0.5 * near + 0.05 * random()),
      height: size * between(random, 0.8, 1.15),
      color: mix(toRgb(noun.color), toRgb('#2f5d3a'), 0.3 * random()),
      light: { ...light, haze: { color: air.haze, amount: 0.6 * (1 - near) } },
    })
  }
}
