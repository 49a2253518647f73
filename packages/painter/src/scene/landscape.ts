import { type Area, type Canvas, shade, wholeOf } from '../canvas.js'
import { addLight, dim, gradientAt, lit, mix, type Rgb, toRgb, toward } from '../color.js'
import type { Place } from '../prompt/request.js'
import { ramp, square, wave } from '../ramp.js'
import { between, scramble } from '../random.js'
import { paintCity } from './city.js'
import { paintForest, paintGreen, paintMeadow, paintTurf } from './meadow.js'
import { paintMountains, paintSnowfield } from './mountains.js'
import { paintRidge } from './ridge.js'
import type { Scene } from './scene.js'
import { paintUnderwater, paintWater } from './sea.js'
import { drawLamp, paintSky, paintStars } from './sky.js'

type Painter = (canvas: Canvas, scene: Scene) => void

/** Paints the background, without the things. */
export function paintLandscape(canvas: Canvas, scene: Scene): void {
  if (scene.light.flat) {
    paintFlat(canvas, scene)
    return
  }
  if (!skyless.includes(scene.place)) paintSky(canvas, scene)
  grounds[scene.place](canvas, scene)
}

/** Places that fill the entire canvas, so that no sky is painted. */
const skyless: readonly Place[] = ['space', 'moon', 'underwater', 'room', 'plain']

/** Paints the near bank, if there is one, in front of floating things. */
export function paintBank(canvas: Canvas, scene: Scene): void {
  const { bank, horizon, height, unit, place } = scene
  if (bank <= horizon || bank >= height || scene.light.flat) return
  if (place === 'beach') paintDune(canvas, scene, { level: bank, near: 0.8 })
  else {
    paintGreen(canvas, scene, bank)
    paintTurf(canvas, scene, bank + unit * 0.05)
  }
}

const grounds: Readonly<Record<Place, Painter>> = {
  meadow: paintMeadow,
  sea: (canvas, scene) => paintWater(canvas, scene),
  beach: (canvas, scene) => paintWater(canvas, scene),
  snow: paintSnowfield,
  desert: paintDesert,
  city: paintCity,
  forest: paintForest,
  mountains: paintMountains,
  space: paintSpace,
  moon: paintMoonscape,
  underwater: paintUnderwater,
  sky: () => {},
  room: paintRoom,
  plain: paintPlain,
}

/** Paints distant table mountains and sand dunes, each with a bright and a dark side. */
function paintDesert(canvas: Canvas, scene: Scene): void {
  const { horizon, height, unit, air } = scene
  const rock = mix(lit(toRgb('#b5714f'), air.light), air.haze, 0.55)
  paintRidge(canvas, scene, {
    level: horizon - unit * 0.03,
    rise: unit * 0.07,
    waves: 3,
    detail: 3,
    crest: rock,
    foot: mix(rock, air.haze, 0.5),
    fade: unit * 0.1,
  })
  for (const near of [0, 0.3, 0.62]) {
    paintDune(canvas, scene, { level: horizon + (height - horizon) * (near + 0.04), near })
  }
}

/** Paints sand from a row down to the bottom. `near` is 0 at the horizon and 1 at the viewer. */
function paintDune(canvas: Canvas, scene: Scene, { level, near }: { level: number; near: number }): void {
  const { height, unit, air } = scene
  const haze = 0.3 * (1 - near)
  paintRidge(canvas, scene, {
    level,
    rise: unit * (0.06 + 0.08 * near),
    waves: 1.8 - near * 0.6,
    detail: 2,
    crest: mix(lit(toRgb('#ecc788'), air.light), air.haze, haze),
    foot: mix(lit(toRgb('#c98f54'), air.light), air.haze, haze),
    fade: Math.max(unit * 0.2, (height - level) * 0.9),
    relief: 0.32,
  })
}

/** Paints a pale studio, in which the wall blends into the floor without an edge. */
function paintPlain(canvas: Canvas, { width, height, horizon, air }: Scene): void {
  const [wall, light, floor] = [toRgb('#e9e7e2'), toRgb('#fbfaf7'), toRgb('#dedbd4')]
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    const glow = 1 / (1 + 3 * (square((x / width - 0.5) / 0.6) + square((y / height - 0.4) / 0.6)))
    const back = mix(wall, light, glow)
    const color = mix(back, floor, 0.8 * ramp(horizon, height, y))
    toward(ink, mix(color, air.light, 0.08), 1)
  })
}

/** Paints stars, glowing clouds and, unless one was requested, a planet. */
function paintSpace(canvas: Canvas, scene: Scene): void {
  const { unit, noise, random } = scene
  const [deep, rose, teal] = [toRgb('#070a1c'), toRgb('#a03f9a'), toRgb('#2a7fb8')]
  const shift = random() * 50
  shade(canvas, wholeOf(scene), (ink, x, y) => {
    const u = (x / unit) * 1.6 + shift
    const v = (y / unit) * 1.6
    const bend = noise.at(u * 1.3, v * 1.3 + 7)
    const mist = noise.layered(u + bend, v + bend * 0.6, 5)
    toward(ink, deep, 1)
    addLight(
      ink,
      mix(rose, teal, ramp(0.3, 0.7, noise.at(u * 0.8 + 20, v * 0.8))),
      1.1 * ramp(0.4, 0.75, mist),
    )
  })
  paintStars(canvas, scene)
  drawLamp(canvas, scene)
}

/** Paints grey dust with craters below a sky of stars. */
function paintMoonscape(canvas: Canvas, scene: Scene): void {
  paintSpace(canvas, scene)
  const { width, height, horizon, unit, random } = scene
  const depth = height - horizon
  for (const near of [0, 0.5])
    paintRidge(canvas, scene, {
      level: horizon + depth * near * 0.5,
      rise: unit * (0.05 + 0.03 * near),
      waves: 2.4 - near,
      detail: 3,
      crest: toRgb('#bdbbb6'),
      foot: toRgb('#7d7c7c'),
      fade: depth,
      relief: 0.3,
    })
  for (let i = 0; i < 7; i++) {
    const near = 0.35 + i * 0.1
    const [x, y] = [width * between(random, 0.04, 0.96), horizon + depth * near]
    const reach = unit * (0.03 + 0.05 * near) * between(random, 0.7, 1.3)
    const area = { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach }
    // Paints a dark hollow whose far rim is bright.
    shade(canvas, area, (ink, px, py) => {
      const [dx, dy] = [(px - x) / reach, (py - y) / (reach * 0.3)]
      const away = dx * dx + dy * dy
      dim(ink, 1 - 0.3 * ramp(0.8, 0.6, away) + 0.22 * ramp(0.6, 0.8, away) * ramp(1, 0.85, away))
    })
  }
}

/** Paints a room with wallpaper, a window that shows the sky, and floorboards. */
function paintRoom(canvas: Canvas, scene: Scene): void {
  const walls = ['#e8dcc6', '#cfdcd8', '#e6cfc4', '#d6d9c4'] as const
  const wall = indoors(toRgb(walls[Math.floor(scene.random() * walls.length)] ?? walls[0]), scene)
  paintWall(canvas, scene, wall)
  paintWindow(canvas, scene)
  paintBoards(canvas, scene)
}

/** Returns a colour in the light of a room. At night, lamps keep a room brighter than the land outside. */
function indoors(color: Rgb, { air }: Scene): Rgb {
  return lit(color, mix(air.light, { r: 1, g: 0.96, b: 0.88 }, 0.6))
}

function paintWall(canvas: Canvas, { width, height, horizon, unit }: Scene, wall: Rgb): void {
  const stripe = unit * 0.09
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    toward(ink, wall, 1)
    dim(ink, 0.965 + 0.035 * ramp(0.46, 0.54, Math.abs(((x / stripe) % 2) - 1)))
    dim(ink, 1.04 - 0.16 * ramp(0.2, 0.75, Math.abs(x / width - 0.5)) - 0.1 * ramp(0.4, 0, y / height))
    if (y > horizon - unit * 0.045) toward(ink, mix(wall, { r: 1, g: 1, b: 1 }, 0.6), 1)
    if (y > horizon - unit * 0.006) dim(ink, 0.7)
  })
}

function paintWindow(canvas: Canvas, scene: Scene): void {
  const { width, horizon, unit, random, air } = scene
  const wide = Math.min(width * 0.3, unit * 0.34)
  const tall = Math.min(horizon * 0.6, unit * 0.42)
  const left = width * (random() < 0.5 ? 0.12 : 0.86) - (random() < 0.5 ? 0 : wide * 0.1)
  const x0 = Math.min(width - wide * 1.1, Math.max(wide * 0.1, left - wide / 2))
  const y0 = horizon * 0.14
  const pane: Area = { left: x0, top: y0, right: x0 + wide, bottom: y0 + tall }
  const frame = unit * 0.016
  const grown = { left: x0 - frame, top: y0 - frame, right: x0 + wide + frame, bottom: y0 + tall + frame * 2 }
  const wood = indoors(toRgb('#f6f2ea'), scene)
  shade(canvas, grown, (ink, x, y) => {
    const bar = Math.min(Math.abs(x - x0 - wide / 2), Math.abs(y - y0 - tall * 0.42)) < frame * 0.35
    const inside = x > pane.left && x < pane.right && y > pane.top && y < pane.bottom
    toward(ink, inside && !bar ? gradientAt(air.stops, (y - y0) / tall) : wood, 1)
    if (y > pane.bottom + frame * 1.4) dim(ink, 0.8)
  })
}

function paintBoards(canvas: Canvas, scene: Scene): void {
  const { width, height, horizon, unit, noise } = scene
  const floor = indoors(toRgb('#a9794b'), scene)
  const depth = Math.max(1, height - horizon)
  shade(canvas, { left: 0, top: horizon, right: width, bottom: height }, (ink, x, y) => {
    const near = (y - horizon) / depth
    // Floorboards run toward the viewer and become wider.
    const across = ((x - width / 2) / unit) * (7 / (0.45 + 0.8 * near)) + 100
    const board = Math.floor(across)
    const seam = Math.min(across - board, board + 1 - across)
    const grain = noise.layered(across * 3 + board * 7, near * 2.2, 2) - 0.5
    toward(ink, floor, 1)
    dim(ink, 0.86 + 0.12 * ((board * 0.37) % 1) + 0.16 * grain + 0.1 * near)
    dim(ink, 0.72 + 0.28 * ramp(0, 0.05, seam))
  })
}

/** Paints a landscape of a few plain areas: a sky, a round sun or moon, one distant shape and the ground. */
function paintFlat(canvas: Canvas, scene: Scene): void {
  const { width, height, horizon, unit, air, lamp, place, random } = scene
  const sky = mix(gradientAt(air.stops, 0.72), { r: 1, g: 0.98, b: 0.94 }, 0.25)
  const { far, near, shape } = looks[place]
  const seen = (color: Rgb): Rgb => lit(color, mix(air.light, { r: 1, g: 1, b: 1 }, 0.3))
  const [farColor, nearColor] = [
    mix(seen(toRgb(far)), sky, 0.3),
    seen(toRgb(isLake(scene) ? '#5b9cc4' : near)),
  ]
  const shift = random()
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    toward(ink, sky, 1)
    if (lamp) {
      const away = Math.sqrt((x - lamp.x) * (x - lamp.x) + (y - lamp.y) * (y - lamp.y)) - lamp.size * 0.5
      toward(ink, mix(lamp.color, { r: 1, g: 1, b: 1 }, 0.25), ramp(0.8, -0.8, away))
    }
    const crest = horizon - shapes[shape](x / unit + shift * 7) * unit
    toward(ink, farColor, ramp(-0.7, 0.7, y - crest))
    const ground =
      place === 'sea' ? horizon : horizon + wave(x / width / 2 + shift) * unit * 0.025 + height * 0.05
    toward(ink, nearColor, ramp(-0.7, 0.7, y - ground))
  })
}

/** Whether there is water in front of mountains or a city. False if things stand on the ground. */
function isLake({ place, bank, horizon }: Scene): boolean {
  return (place === 'mountains' || place === 'city') && bank > horizon
}

type Shape = 'hills' | 'peaks' | 'roofs' | 'none'

const shapes: Readonly<Record<Shape, (x: number) => number>> = {
  hills: (x) => 0.05 + 0.05 * wave(x * 0.9) + 0.03 * wave(x * 1.7),
  peaks: (x) => 0.06 + 0.3 * tooth(x * 1.3) + 0.06 * tooth(x * 3.1),
  roofs: (x) => 0.1 + 0.32 * block(Math.floor(x * 9)),
  none: () => -1,
}

function tooth(x: number): number {
  return 1 - Math.abs(2 * (x - Math.floor(x)) - 1)
}

function block(i: number): number {
  return scramble(i) / 4294967296
}

interface Look {
  readonly far: `#${string}`
  readonly near: `#${string}`
  readonly shape: Shape
}

const looks: Readonly<Record<Place, Look>> = {
  meadow: { far: '#8fb9a0', near: '#7fb56a', shape: 'hills' },
  sea: { far: '#4f8fb5', near: '#3f86b0', shape: 'none' },
  beach: { far: '#4f9cc0', near: '#ecd3a0', shape: 'none' },
  snow: { far: '#c3d3e2', near: '#f3f6fa', shape: 'hills' },
  desert: { far: '#d9a066', near: '#e8bf7a', shape: 'hills' },
  city: { far: '#7d88a3', near: '#9aa0ab', shape: 'roofs' },
  forest: { far: '#4f8a66', near: '#5f9a58', shape: 'peaks' },
  mountains: { far: '#7f8fb0', near: '#8fb58a', shape: 'peaks' },
  moon: { far: '#6f7076', near: '#a4a3a0', shape: 'hills' },
  space: { far: '#1a1c3a', near: '#1a1c3a', shape: 'none' },
  underwater: { far: '#2f7fa5', near: '#2f7fa5', shape: 'none' },
  sky: { far: '#bcd6ea', near: '#bcd6ea', shape: 'none' },
  room: { far: '#e6d8c2', near: '#c39a6b', shape: 'none' },
  plain: { far: '#f1eee7', near: '#e4e0d6', shape: 'none' },
}
