import { type Area, type Canvas, meanColor } from '../canvas.js'
import { luma, mix, type Rgb, scaled, toRgb } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import type { Noun } from '../nouns/part.js'
import type { Light } from '../nouns/stance.js'
import type { Wanted } from '../prompt/request.js'
import type { Random } from '../random.js'
import { type Cluster, type Member, toClusters } from '../scene/cluster.js'
import { rippleBelow } from '../scene/sea.js'
import { castShadow } from '../scene/shadow.js'
import type { Stand } from '../scene/stand.js'
import { toThings } from '../scene/thing.js'
import { freePlace } from './free-place.js'

/** Draws things where there is room for them; what lies under them is covered, the rest stays. */
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
    const area = freePlace(canvas, guest, { taken, random })
    taken.push(area)
    drawCluster(canvas, cluster, { area, size, grounded: true })
  }
}

interface Fitting {
  readonly things: readonly Wanted[]
  readonly random: Random
  /** The share of the area that the things may use. */
  readonly fullness: number
}

/** Draws things in an area, side by side in rows, as large as they fit. */
export function drawFitted(canvas: Canvas, area: Area, { things, random, fullness }: Fitting): void {
  const clusters = clustersOf(things, random)
  const [wide, high] = [area.right - area.left, area.bottom - area.top]
  const across = Math.round(Math.sqrt((clusters.length * wide) / high))
  const columns = Math.min(clusters.length, Math.max(1, across))
  const cell = { wide: wide / columns, high: high / Math.ceil(clusters.length / columns) }
  for (const [i, cluster] of clusters.entries()) {
    const [root] = cluster.members
    // A small one stays small, also where there is room.
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
  return toClusters(toThings(things, { random, bandOf: ({ home }) => bands[home] }))
}

const bands: Readonly<Record<Noun['home'], Stand['on']>> = { sky: 'air', water: 'water', land: 'ground' }

interface Drawing {
  readonly area: Area
  /** Pixels for a share of one. */
  readonly size: number
  /** Throws a shadow or a reflection. */
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

/** The light a thing should stand in to look at home in an area: as bright, with a touch of its colour. */
function lightIn(canvas: Canvas, area: Area): Light {
  const around = meanColor(canvas, area)
  const level = luma(around)
  const cast = mix(white, scaled(around, 1 / Math.max(0.05, level)), 0.12)
  const tint = scaled(cast, Math.min(1, 0.62 + 0.8 * level) / Math.max(cast.r, cast.g, cast.b))
  return { tint, side: -1, night: level < 0.25 }
}

const white: Rgb = { r: 1, g: 1, b: 1 }
