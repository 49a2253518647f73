import { type Area, type Canvas, meanColor, shade, wholeOf } from '../canvas.js'
import { luma, mix, type Rgb, scaled, toRgb } from '../color.js'
import { drawParts, type Light } from '../nouns/draw-parts.js'
import type { Noun } from '../nouns/part.js'
import type { Side, Wanted } from '../prompt/request.js'
import { between, type Random } from '../random.js'
import { type Cluster, type Member, toClusters } from '../scene/cluster.js'
import { rippleBelow } from '../scene/sea.js'
import { type PlacedThing, toThings } from '../scene/thing.js'
import { castShadow } from '../scene/things.js'
import { shrink } from './patch-match.js'

/** Draws things where there is room. They cover what is behind them, and nothing else changes. */
export function drawFreely(canvas: Canvas, things: readonly Wanted[], random: Random): void {
  const unit = Math.min(canvas.width, canvas.height)
  const clusters = clustersOf(things, random)
  const scale = unit * Math.max(0.55, 0.95 - 0.1 * clusters.length)
  const taken: Area[] = []
  for (const cluster of clusters) {
    const [root] = cluster.members
    if (!root) continue
    const { noun, side } = root.thing
    const size = Math.min(scale, (canvas.width * 0.9) / cluster.wide, (canvas.height * 0.8) / cluster.tall)
    const guest = {
      wide: cluster.wide * size,
      tall: cluster.tall * size,
      home: noun.home,
      ...(side && { side }),
    }
    const area = findFreeArea(canvas, guest, { taken, random })
    taken.push(area)
    drawCluster(canvas, cluster, { area, size, grounded: true })
  }
}

interface Fitting {
  readonly things: readonly Wanted[]
  readonly random: Random
  /** The share of the area that things may use. */
  readonly fullness: number
}

/** Draws things in rows inside an area, as large as possible. */
export function drawFitted(canvas: Canvas, area: Area, { things, random, fullness }: Fitting): void {
  const clusters = clustersOf(things, random)
  const [wide, high] = [area.right - area.left, area.bottom - area.top]
  const across = Math.round(Math.sqrt((clusters.length * wide) / high))
  const columns = Math.min(clusters.length, Math.max(1, across))
  const cell = { wide: wide / columns, high: high / Math.ceil(clusters.length / columns) }
  for (const [i, cluster] of clusters.entries()) {
    const [root] = cluster.members
    // Keeps a small thing small, even if there is more room.
    const small = root ? Math.min(1, root.tall / root.thing.noun.height) : 1
    const size = Math.min(cell.high / cluster.tall, cell.wide / cluster.wide) * fullness * small
    const x = area.left + cell.wide * ((i % columns) + 0.5)
    const y = area.top + cell.high * (Math.floor(i / columns) + 0.5)
    const [half, tall] = [(cluster.wide * size) / 2, cluster.tall * size]
    const own = { left: x - half, right: x + half, top: y - tall / 2, bottom: y + tall / 2 }
    drawCluster(canvas, cluster, { area: own, size, grounded: false })
  }
}

function clustersOf(things: readonly Wanted[], random: Random): Cluster[] {
  return toClusters(
    toThings(things, { seed: Math.floor(random() * 4294967296), bandOf: ({ home }) => bands[home] }),
  )
}

const bands: Readonly<Record<Noun['home'], PlacedThing['on']>> = {
  sky: 'air',
  water: 'water',
  land: 'ground',
}

interface Drawing {
  readonly area: Area
  /** Converts a share to pixels. */
  readonly size: number
  /** Whether to draw a shadow or a reflection. */
  readonly grounded: boolean
}

function drawCluster(canvas: Canvas, cluster: Cluster, drawing: Drawing): void {
  const light = lightIn(canvas, drawing.area)
  const members = [...cluster.members].sort((a, b) => a.near - b.near || a.layer - b.layer)
  for (const member of members) drawMember(canvas, member, { ...drawing, light })
}

function drawMember(canvas: Canvas, member: Member, drawing: Drawing & { readonly light: Light }): void {
  const { area, size, grounded, light } = drawing
  const { noun, parts, color, mirrored } = member.thing
  const x = (area.left + area.right) / 2 + member.x * size
  const base = area.bottom + Math.min(0, member.near) * size
  const [y, height] = [base - member.lift * size, member.tall * size]
  const stance = { x, y, height, light, color: color ?? toRgb(noun.color), mirrored }
  if (grounded && noun.home === 'water') {
    const ripple = rippleBelow(base, Math.min(canvas.width, canvas.height))
    drawParts(canvas, parts, { ...stance, y: 2 * base - y, alpha: 0.28, ripple })
  }
  if (grounded && member.lift === 0 && noun.home === 'land' && !noun.shadowless) {
    castShadow(canvas, { x, y, reach: (height * noun.width) / 2, side: light.side })
  }
  drawParts(canvas, parts, stance)
}

/** Returns the light for a thing in an area, with the brightness of the area and some of its colour. */
function lightIn(canvas: Canvas, area: Area): Light {
  const around = meanColor(canvas, area)
  const level = luma(around)
  const cast = mix(white, scaled(around, 1 / Math.max(0.05, level)), 0.12)
  const tint = scaled(cast, Math.min(1, 0.62 + 0.8 * level) / Math.max(cast.r, cast.g, cast.b))
  return { tint, side: -1, night: level < 0.25 }
}

const white: Rgb = { r: 1, g: 1, b: 1 }

/** A thing that needs a position, with its size in pixels and its habitat. */
interface ThingToPlace {
  readonly wide: number
  readonly tall: number
  readonly home: Noun['home']
  readonly side?: Side
}

interface Room {
  /** The areas to avoid. */
  readonly taken: readonly Area[]
  readonly random: Random
}

/**
 * Finds the area with the least detail for a thing. Flying things are placed high, and standing or floating things low.
 */
export function findFreeArea(canvas: Canvas, guest: ThingToPlace, { taken, random }: Room): Area {
  const unrest = measureDetail(canvas)
  let best = someArea(canvas, guest, random)
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 80; attempt++) {
    const area = someArea(canvas, guest, random)
    const overlaps = taken.filter((other) => isOverlap(area, other)).length
    const cost = unrest(area) + overlaps + misfit(canvas, guest, area)
    if (cost < least) [best, least] = [area, cost]
  }
  return best
}

/** Returns a random area, with the size of the thing, in which the thing may be placed. */
function someArea({ width, height }: Canvas, { wide, tall, home, side }: ThingToPlace, random: Random): Area {
  const [from, to] = (side && columns[side]) ?? [0.03, 0.97]
  const [low, high] = (side && rows[side]) ?? (home === 'sky' ? [0.03, 0.3] : [0.68, 0.95])
  const x = from * width + Math.max(0, (to - from) * width - wide) * random()
  // A flying thing is below its row, and any other thing stands on it.
  const y = height * between(random, low, high) - (home === 'sky' ? 0 : tall)
  const left = Math.max(0, Math.min(width - wide, x))
  const top = Math.max(0, Math.min(height * 0.98 - tall, y))
  return { left, top, right: left + wide, bottom: top + tall }
}

const columns: Partial<Record<Side, readonly [number, number]>> = {
  left: [0.03, 0.3],
  middle: [0.4, 0.6],
  right: [0.7, 0.97],
}

const rows: Partial<Record<Side, readonly [number, number]>> = { top: [0.03, 0.06], bottom: [0.92, 0.97] }

/** Prefers blue ground for boats, and any other ground for other low things. */
function misfit(canvas: Canvas, { home, tall }: ThingToPlace, area: Area): number {
  if (home === 'sky') return 0
  let blue = 0
  let count = 0
  shade(canvas, { ...area, top: area.bottom - tall * 0.15 }, ({ r, b }) => {
    blue += b - r
    count++
  })
  return (home === 'water' ? -1 : 1) * 0.5 * (blue / Math.max(1, count))
}

function isOverlap(a: Area, b: Area): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/** Measures the detail in an area, as the mean difference in brightness between neighbouring cells. */
function measureDetail(canvas: Canvas): (area: Area) => number {
  const scale = Math.ceil(Math.max(canvas.width, canvas.height) / 96)
  const hole = new Uint8Array(canvas.width * canvas.height)
  const { width, height, image } = shrink({ ...canvas, image: canvas.data, hole }, wholeOf(canvas), scale)
  const levels = Float32Array.from({ length: width * height }, (_, i) =>
    luma({ r: image[i * 3] ?? 0, g: image[i * 3 + 1] ?? 0, b: image[i * 3 + 2] ?? 0 }),
  )
  const at = (x: number, y: number): number => levels[y * width + x] ?? 0
  return (area) => {
    const [left, top] = [Math.floor(area.left / scale), Math.floor(area.top / scale)]
    const [right, bottom] = [
      Math.min(width - 1, area.right / scale),
      Math.min(height - 1, area.bottom / scale),
    ]
    let sum = 0
    let count = 1
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        sum += Math.abs(at(x, y) - at(x + 1, y)) + Math.abs(at(x, y) - at(x, y + 1))
        count++
      }
    }
    return (sum / count) * 10
  }
}
