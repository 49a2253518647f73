import { type Canvas, shade } from '../canvas.js'
import { type Hex, lit, mix, type Rgb, scaled, toRgb, toward } from '../color.js'
import { between, hashText, scramble } from '../random.js'
import type { Scene } from './scene.js'
import { paintWater } from './sea.js'

/** Paints a skyline behind a river or, if things stand on the ground, behind a street. */
export function paintCity(canvas: Canvas, scene: Scene): void {
  const { unit } = scene
  paintBlocks(canvas, scene, { tall: unit * 0.42, wide: unit * 0.075, haze: 0.62 })
  paintBlocks(canvas, scene, { tall: unit * 0.34, wide: unit * 0.1, haze: 0.32 })
  paintBlocks(canvas, scene, { tall: unit * 0.2, wide: unit * 0.12, haze: 0.08 })
  if (scene.bank > scene.horizon) paintWater(canvas, scene)
  else paintStreet(canvas, scene)
}

const walls: readonly Hex[] = ['#7d8796', '#a08f83', '#8c7a78', '#6f7d8d', '#b29c86', '#5f6a7c', '#94756a']

interface Row {
  readonly tall: number
  readonly wide: number
  readonly haze: number
}

function paintBlocks(canvas: Canvas, scene: Scene, row: Row): void {
  const { width, horizon, random, air } = scene
  for (let x = -row.wide * random(); x < width; ) {
    const wide = row.wide * between(random, 0.7, 1.5)
    const tall = Math.min(horizon * 0.85, row.tall * between(random, 0.35, 1))
    const wall = walls[Math.floor(random() * walls.length)] ?? '#7d8796'
    const block = { left: x, top: horizon - tall, right: x + wide, bottom: horizon + 1 }
    paintBlock(canvas, scene, {
      ...block,
      color: mix(lit(toRgb(wall), air.light), air.haze, row.haze),
      haze: row.haze,
      seed: hashText('block', Math.floor(random() * 1e9)),
    })
    x += wide + (random() < 0.2 ? wide * 0.15 : 0)
  }
}

interface Block {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly color: Rgb
  readonly haze: number
  readonly seed: number
}

function paintBlock(canvas: Canvas, scene: Scene, block: Block): void {
  const { unit, time, light, air, horizon } = scene
  const cell = Math.max(3, unit * 0.017)
  const lamps = time === 'night' ? 0.5 : time === 'sunset' ? 0.3 : 0
  const glass = mix(scaled(block.color, time === 'day' ? 1.22 : 0.72), air.haze, 0.2)
  const lampColors = [toRgb('#ffd57a'), toRgb('#ffe9b5'), toRgb('#ffbf66')] as const
  const wide = block.right - block.left
  shade(canvas, block, (ink, x, y) => {
    const across = (x - block.left) / wide
    const side = light.side > 0 ? across : 1 - across
    toward(ink, scaled(block.color, 0.82 + 0.26 * side), 1)
    const column = Math.floor((x - block.left) / cell)
    const floor = Math.floor((y - block.top) / (cell * 1.35))
    const u = (x - block.left) / cell - column
    const v = (y - block.top) / (cell * 1.35) - floor
    if (floor > 0 && u > 0.28 && u < 0.78 && v > 0.25 && v < 0.8 && x < block.right - cell * 0.3) {
      const chance = scramble(block.seed + column * 7919 + floor * 104729)
      const burns = (chance & 1023) / 1023 < lamps
      toward(
        ink,
        burns ? (lampColors[chance % 3] ?? lampColors[0]) : glass,
        burns ? 0.92 - block.haze * 0.6 : 0.8 - block.haze * 0.7,
      )
    }
    toward(ink, air.haze, 0.25 * Math.max(0, 1 - (horizon - y) / (unit * 0.12)))
  })
}

function paintStreet(canvas: Canvas, scene: Scene): void {
  const { width, height, horizon, unit, air, noise } = scene
  const depth = height - horizon
  const [pavement, kerb, asphalt, paint] = (['#b4aca3', '#d5cec4', '#5b5f69', '#efe7d2'] as const).map(
    (hex) => lit(toRgb(hex), air.light),
  )
  if (!pavement || !kerb || !asphalt || !paint) return
  shade(canvas, { left: 0, top: horizon, right: width, bottom: height }, (ink, x, y) => {
    const near = (y - horizon) / depth
    const rough = 0.94 + 0.12 * noise.at((x / unit) * 60, (y / unit) * 90)
    const road = near > 0.22 && near < 0.86
    const edge = Math.abs(near - 0.22) < 0.02 || Math.abs(near - 0.86) < 0.025
    const dash = Math.abs(near - 0.48) < 0.016 && (x / unit + near) % 0.22 < 0.12
    toward(
      ink,
      scaled(dash ? paint : edge ? kerb : road ? asphalt : pavement, rough * (0.9 + 0.15 * near)),
      1,
    )
  })
}
