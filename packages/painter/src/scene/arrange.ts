import type { Area } from '../canvas.js'
import type { Noun } from '../nouns/part.js'
import type { Side, Wanted } from '../prompt/request.js'
import { between, shuffled } from '../random.js'
import { type Cluster, type Member, toClusters } from './cluster.js'
import type { Scene } from './scene.js'
import { type PlacedThing, toThings } from './thing.js'

/** Places each thing, farthest first. Tries many positions, and uses those that hide the least. */
export function arrange(scene: Scene, wanted: readonly Wanted[]): PlacedThing[] {
  const bandOf = (noun: Noun) => (noun.scenery ? undefined : bandIn(noun, scene))
  const things = toThings(wanted, { seed: scene.seed, bandOf })
  const clusters = toClusters(things).map((cluster, group): Numbered => ({ ...cluster, group }))
  const early = clusters.filter(({ members }) => !members[0]?.thing.late)
  const grounded = early.filter((cluster) => rootBand(cluster) !== 'air')
  const airborne = early.filter((cluster) => rootBand(cluster) === 'air')
  const stands = leastHidden(scene, { attempts: 12, others: [] }, () => row(scene, grounded))
  for (const cluster of airborne) {
    // Each failed attempt makes the things smaller.
    const scale = (tried: number): number => growth(airborne.length) * (1 - 0.0035 * tried)
    const others = [...stands]
    stands.push(
      ...leastHidden(scene, { attempts: 200, others }, (tried) => float(scene, cluster, scale(tried))),
    )
  }
  for (const cluster of clusters.filter((one) => !early.includes(one))) {
    const others = stands.filter(({ hidden }) => !hidden)
    const settle = rootBand(cluster) === 'air' ? float : stand
    stands.push(
      ...leastHidden(scene, { attempts: 200, others }, (tried) =>
        settle(scene, cluster, growth(clusters.length) * (1 - 0.0025 * tried)),
      ),
    )
  }
  return stands.filter(({ hidden }) => !hidden).sort((a, b) => a.base - b.base || a.layer - b.layer)
}

interface Numbered extends Cluster {
  readonly group: number
}

interface Search {
  readonly attempts: number
  /** Things that have already been placed. */
  readonly others: readonly PlacedThing[]
}

function leastHidden(scene: Scene, search: Search, attempt: (tried: number) => PlacedThing[]): PlacedThing[] {
  let best: PlacedThing[] = []
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < search.attempts && least > 0; i++) {
    const stands = attempt(i)
    const hidden = countHidden([...search.others, ...stands], scene)
    if (hidden < least) [best, least] = [stands, hidden]
  }
  return best
}

function bandIn(noun: Noun, { place, bank, horizon }: Scene): PlacedThing['on'] {
  if (noun.home === 'sky' || place === 'space' || place === 'sky' || place === 'underwater') return 'air'
  return noun.home === 'water' && bank > horizon ? 'water' : 'ground'
}

/** Returns the habitat of the first thing in a cluster. The other things are placed relative to that one. */
function rootBand({ members: [root] }: Cluster): PlacedThing['on'] {
  return root?.thing.on ?? 'ground'
}

function sideOf({ members }: Cluster): Side | undefined {
  return members.find(({ thing }) => thing.side)?.thing.side
}

/** Places clusters side by side, each in a slot of its own width. Shrinks all of them until they fit. */
function row(scene: Scene, clusters: readonly Numbered[]): PlacedThing[] {
  const { random, width, unit, height } = scene
  const ordered = inOrder(shuffled(random, clusters))
  const scale = unit * growth(clusters.length) * between(random, 0.86, 1.08)
  const widths = ordered.map(({ wide }) => scale * wide + unit * 0.03)
  const total = widths.reduce((sum, wide) => sum + wide, 0)
  const fit = Math.min(1, (width * 0.96) / Math.max(1, total))
  const gap = (width - total * fit) / (ordered.length + 1)
  let left = gap
  return ordered.flatMap((cluster, i) => {
    const wide = (widths[i] ?? 0) * fit
    const band = rootBand(cluster)
    const lowest = band === 'water' ? waterRows(scene)[1] : height * 0.97
    const size = Math.min(scale * fit, (height * 0.8) / cluster.tall, (lowest * 0.94) / cluster.tall)
    const x = left + wide / 2 + gap * between(random, -0.7, 0.7)
    left += wide + gap
    const y = footing(scene, band, cluster.tall * size)
    return toPlacedThings(scene, cluster, {
      x: toSide(sideOf(cluster), x, { width, wide }),
      // High clusters are nearer to the viewer, where there is more of the image above them.
      y: Math.min(lowest, Math.max(y, cluster.tall * size + height * 0.05)),
      size,
    })
  })
}

/** Places one cluster anywhere in the air. */
function float(scene: Scene, cluster: Numbered, scale: number): PlacedThing[] {
  const { random, width, height, unit, horizon, place } = scene
  const roomy = place === 'underwater' || place === 'space' ? 1.5 : 1
  const size = Math.min((height * 0.8) / cluster.tall, (width * 0.96) / cluster.wide, unit * scale * roomy)
  const [tall, wide] = [cluster.tall * size, cluster.wide * size]
  const side = sideOf(cluster)
  const x = toSide(side, between(random, wide * 0.55, width - wide * 0.55), { width, wide })
  const ceiling = height * 0.03 + tall
  const floor = Math.max(ceiling, horizon < height ? horizon * 0.92 : height * 0.9)
  const part = side === 'top' ? 0.05 : side === 'bottom' ? 1 : between(random, 0, 0.8)
  return toPlacedThings(scene, cluster, { x, y: ceiling + (floor - ceiling) * part, size })
}

/** Places one cluster anywhere on the ground or the water. */
function stand(scene: Scene, cluster: Numbered, scale: number): PlacedThing[] {
  const { random, width, height, unit } = scene
  const band = rootBand(cluster)
  const lowest = band === 'water' ? waterRows(scene)[1] : height * 0.97
  const size = Math.min((lowest * 0.94) / cluster.tall, (width * 0.96) / cluster.wide, unit * scale)
  const wide = cluster.wide * size
  const x = toSide(sideOf(cluster), between(random, wide * 0.55, width - wide * 0.55), { width, wide })
  const y = footing(scene, band, cluster.tall * size)
  return toPlacedThings(scene, cluster, { x, y: Math.min(lowest, y), size })
}

/** Draws a single thing larger, and many things smaller. */
function growth(count: number): number {
  return count < 4 ? 1.32 - 0.1 * count : Math.max(0.5, 1.25 / Math.sqrt(count * 0.4))
}

interface Spot {
  readonly x: number
  readonly y: number
  /** The number of pixels for a share of 1. */
  readonly size: number
}

function toPlacedThings(scene: Scene, cluster: Numbered, spot: Spot): PlacedThing[] {
  const band = rootBand(cluster)
  return cluster.members.map((member) => {
    const { noun, parts, color, mirrored, on, hidden } = member.thing
    const own = member.lift === 0 && on !== 'air' ? on : band
    const base = baseOf(scene, member, { band, own, spot })
    return {
      noun,
      parts,
      mirrored,
      x: spot.x + member.x * spot.size,
      y: base - member.lift * spot.size,
      height: member.tall * spot.size,
      on: own,
      base,
      layer: member.layer,
      group: cluster.group,
      ...(color && { color }),
      ...(hidden && { hidden }),
    }
  })
}

interface Bands {
  readonly band: PlacedThing['on']
  readonly own: PlacedThing['on']
  readonly spot: Spot
}

/** Returns the row below a member. Boats beside a house float on the water behind the house. */
function baseOf(scene: Scene, { near, tall }: Member, { band, own, spot }: Bands): number {
  if (own !== band) return footing(scene, own, tall * spot.size)
  if (own !== 'water') return Math.min(scene.height * 0.985, spot.y + near * spot.size)
  const [top, bottom] = waterRows(scene)
  return Math.min(bottom, Math.max(top, spot.y + near * 1.6 * spot.size))
}

/** Returns the possible rows for the waterline of a floating thing. */
function waterRows({ horizon, bank, unit }: Scene): [top: number, bottom: number] {
  return [horizon + unit * 0.02, bank - unit * 0.01]
}

/** Sorts clusters, with those on the left first and those on the right last. */
function inOrder<T extends Cluster>(clusters: readonly T[]): T[] {
  const rank = (cluster: T): number => ({ left: 0, right: 2 })[sideOf(cluster) as 'left' | 'right'] ?? 1
  return [...clusters].sort((a, b) => rank(a) - rank(b))
}

function toSide(side: Side | undefined, x: number, { width, wide }: { width: number; wide: number }): number {
  if (side === 'left') return Math.max(wide / 2, Math.min(x, width * 0.27))
  if (side === 'right') return Math.min(width - wide / 2, Math.max(x, width * 0.73))
  if (side === 'middle') return width / 2
  return Math.min(width - wide / 2, Math.max(wide / 2, x))
}

/** Returns the row of the ground of a cluster. */
function footing(scene: Scene, on: PlacedThing['on'], tall: number): number {
  const { horizon, height, random, bank } = scene
  const [top, bottom] = on === 'water' ? [horizon, bank] : [Math.min(bank, height * 0.9), height]
  // Large things are farther back than small ones, so that nothing is hidden behind a house.
  const small = Math.max(0, 1 - tall / (scene.unit * 0.55))
  const part = 0.36 + 0.34 * small + between(random, -0.06, 0.12)
  return top + (bottom - top) * part
}

/** Returns how many pixels of things, sun or moon are covered, or cut off by the edge. */
function countHidden(stands: readonly PlacedThing[], { lamp, width }: Scene): number {
  const areas = stands.map((stand) => ({ ...areaOf(stand), group: stand.group }))
  if (lamp) areas.push({ ...square(lamp.x, lamp.y, lamp.size / 2), group: -1 })
  let hidden = 0
  for (const [i, a] of areas.entries()) {
    hidden += Math.max(0, -a.left) + Math.max(0, a.right - width) + Math.max(0, -a.top)
    for (const b of areas.slice(i + 1)) {
      if (a.group === b.group) continue
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      if (wide > 0 && high > 0) hidden += wide * high
    }
  }
  return hidden
}

function areaOf({ noun, x, y, height }: PlacedThing): Area {
  // Adds a small margin around each thing, so that things do not touch.
  const half = height * noun.width * 0.52
  return { left: x - half, right: x + half, top: y - height, bottom: y }
}

function square(x: number, y: number, half: number): Area {
  return { left: x - half, right: x + half, top: y - half, bottom: y + half }
}
