import { type Canvas, shade } from '../canvas.js'
import { lit, mix, type Rgb, toRgb, toward } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import { type Part, part } from '../nouns/part.js'
import { blob, type Form } from '../nouns/shapes.js'
import { clamp, ramp } from '../ramp.js'
import { between, shuffled } from '../random.js'
import { paintFarHills, paintGreen, paintTurf } from './meadow.js'
import { paintSnow } from './ridge.js'
import type { Scene } from './scene.js'
import { paintWater } from './sea.js'

/** Paints snowy peaks over a lake or, if things stand on the ground, over a meadow. */
export function paintMountains(canvas: Canvas, scene: Scene): void {
  const { horizon, unit } = scene
  paintRange(canvas, scene, { tall: Math.min(unit * 0.58, horizon * 0.82), haze: 0.55 })
  paintRange(canvas, scene, { tall: Math.min(unit * 0.42, horizon * 0.6), haze: 0.18 })
  if (scene.bank > horizon) {
    paintWater(canvas, scene)
  } else {
    paintGreen(canvas, scene, horizon - unit * 0.02)
    paintTurf(canvas, scene, horizon + (scene.height - horizon) * 0.35)
  }
}

function paintRange(canvas: Canvas, scene: Scene, { tall, haze }: { tall: number; haze: number }): void {
  const { random, unit, width } = scene
  const apart = tall * 0.85
  const peaks = Array.from({ length: Math.ceil(width / apart) + 2 }, (_, i) => ({
    x: (i - 0.5 + between(random, -0.25, 0.25)) * apart,
    tall: tall * between(random, 0.55, 1) + unit * 0.01,
    slopes: [between(random, 0.75, 1.15), between(random, 0.75, 1.15)] as const,
    haze,
  }))
  for (const peak of shuffled(random, peaks)) paintPeak(canvas, scene, peak)
}

interface Peak {
  readonly x: number
  readonly tall: number
  readonly slopes: readonly [left: number, right: number]
  readonly haze: number
}

/** Paints a peak with a bright and a dark side. Its top is white. */
function paintPeak(canvas: Canvas, scene: Scene, peak: Peak): void {
  const { horizon, unit, noise, air, light } = scene
  const seen = (color: Rgb): Rgb => mix(lit(color, air.light), air.haze, peak.haze)
  const rock = { bright: seen(toRgb('#8d8796')), dark: seen(toRgb('#4d5270')) }
  const snow = { bright: seen(toRgb('#fbfcff')), dark: seen(toRgb('#a9bcdd')) }
  const reach = peak.tall / 0.75
  const area = {
    left: peak.x - reach,
    right: peak.x + reach,
    top: horizon - peak.tall - unit * 0.03,
    bottom: horizon + 2,
  }
  const outlines = Float64Array.from({ length: canvas.width }, (_, x) => {
    const side = (x - peak.x) / unit
    const slope = peak.slopes[side < 0 ? 0 : 1]
    return Math.abs(side) * slope + 0.05 * (noise.layered((x / unit) * 9, peak.x, 4) - 0.5)
  })
  shade(canvas, area, (ink, x, y) => {
    const side = (x - peak.x) / unit
    const below = (y - horizon + peak.tall) / unit
    const outline = outlines[x] ?? 0
    if (below < outline - 2 / unit) return
    const rough = noise.layered((x / unit) * 14 + peak.x, (y / unit) * 14, 3) - 0.5
    // The edge between the two sides runs down from the top in a crooked line.
    const edge = side + (noise.at(below * 9, peak.x) - 0.5) * 0.16 * ramp(0, 0.1, below) + rough * 0.05
    const bright = ramp(-0.012, 0.012, edge * light.side) * 0.85 + 0.3 * rough
    const cap = ramp(0.025, -0.025, below - (peak.tall / unit) * 0.36 + rough * 0.16)
    const face = mix(mix(rock.dark, rock.bright, bright), mix(snow.dark, snow.bright, bright), cap)
    const foot = ramp(0.45, 1.05, (below * unit) / peak.tall)
    toward(ink, mix(face, air.haze, 0.5 * foot), clamp((below - outline) * unit + 0.5))
  })
}

/** Paints white hills with firs that are covered in snow. */
export function paintSnowfield(canvas: Canvas, scene: Scene): void {
  const { horizon, height } = scene
  paintFarHills(canvas, scene)
  paintSnow(canvas, scene, { from: horizon, to: horizon + (height - horizon) * 0.2 })
  plantFirs(canvas, scene)
  paintSnow(canvas, scene, { from: horizon + (height - horizon) * 0.22, to: height })
}

function plantFirs(canvas: Canvas, scene: Scene): void {
  const { width, height, horizon, unit, random, light, air } = scene
  const count = Math.min(40, Math.round((width / unit) * 11))
  for (let i = 0; i < count; i++) {
    const near = i / count
    drawParts(canvas, snowFir(), {
      x: width * random(),
      y: horizon + (height - horizon) * (0.1 + 0.16 * near),
      height: unit * between(random, 0.14, 0.22) * (0.7 + 0.5 * near),
      color: toRgb('#3c6a5c'),
      light: { ...light, haze: { color: air.haze, amount: 0.45 * (1 - near) + 0.1 } },
    })
  }
}

function snowFir(): Part[] {
  return [0, 1, 2].flatMap((tier) => {
    const base = 0.08 + tier * 0.27
    const half = 0.27 - tier * 0.06
    return [
      part('main', tierForm(base, half, 0), { bulge: 0.05 }),
      part('#f4f7fc', tierForm(base, half, 0.1), { bulge: 0.05, alpha: 0.9 }),
    ]
  })
}

function tierForm(base: number, half: number, lifted: number): Form {
  const foot = base + lifted
  const wide = half * (1 - lifted * 2.4)
  return blob([
    [0, base + 0.42],
    [wide, foot],
    [wide * 0.5, foot + lifted * 0.5],
    [0, foot - 0.02],
    [-wide * 0.5, foot + lifted * 0.5],
    [-wide, foot],
  ])
}
