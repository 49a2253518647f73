import type { Noun, Part } from '../nouns/part.js'
import { isFacewear } from '../nouns/wearing.js'
import type { Link, Thing } from './thing.js'

/** A thing with its position in its cluster, in shares of the image's shorter side. */
export interface Member {
  readonly thing: Thing
  /** The middle of the thing, and the height of its feet above the cluster's ground. */
  readonly x: number
  readonly lift: number
  readonly tall: number
  readonly wide: number
  /** The distance in front of the cluster's ground line. Negative values are behind it. */
  readonly near: number
  readonly layer: number
  /** The thing on which this one sits. */
  readonly carrier?: Member
}

/** Related things, which are placed as one block. */
export interface Cluster {
  readonly members: readonly Member[]
  readonly wide: number
  readonly tall: number
}

/** Groups things into clusters. Related things are in one cluster, and each other thing is alone. */
export function toClusters(things: readonly Thing[]): Cluster[] {
  const placed = new Map<Thing, Member>()
  const clusters: Member[][] = []
  for (const group of groupsOf(things)) {
    const members: Member[] = []
    const put = (thing: Thing): Member => {
      const found = placed.get(thing)
      if (found) return found
      const others = thing.link?.to.flatMap((to) => things[to] ?? []).map(put) ?? []
      const member = thing.link
        ? placedBy(thing, thing.link, { others, members, group })
        : asRoot(thing, group, members)
      placed.set(thing, member)
      members.push(member)
      return member
    }
    for (const thing of group) put(thing)
    clusters.push(members)
  }
  return clusters.map(toCluster)
}

function toCluster(members: readonly Member[]): Cluster {
  const left = Math.min(...members.map(({ x, wide }) => x - wide / 2))
  const right = Math.max(...members.map(({ x, wide }) => x + wide / 2))
  const lowest = Math.min(0, ...members.map(({ lift }) => lift))
  const moved = members.map((member) => ({
    ...member,
    x: member.x - (left + right) / 2,
    lift: member.lift - lowest,
  }))
  const tall = Math.max(...moved.map((member) => member.lift + member.tall - Math.min(0, member.near)))
  return { members: moved, wide: right - left, tall }
}

/** Returns groups of things that are directly or indirectly related. */
function groupsOf(things: readonly Thing[]): Thing[][] {
  const groups: Thing[][] = []
  for (const thing of things) {
    const tied = thing.link?.to.flatMap((to) => things[to] ?? []) ?? []
    const joined = groups.filter((group) =>
      group.some((other) => tied.includes(other) || tiesTo(other, thing, things)),
    )
    for (const group of joined) groups.splice(groups.indexOf(group), 1)
    groups.push([...joined.flat(), thing])
  }
  return groups
}

function tiesTo(other: Thing, thing: Thing, things: readonly Thing[]): boolean {
  return other.link?.to.some((to) => things[to] === thing) ?? false
}

/** Places a thing without a relation of its own beside the others, with room for things in between. */
function asRoot(thing: Thing, group: readonly Thing[], members: readonly Member[]): Member {
  const { tall, wide } = thing
  const between = group
    .filter(({ link }) => link?.relation === 'between')
    .reduce((sum, { wide }) => sum + wide, 0)
  const edge = Math.max(...members.map(({ x, wide }) => x + wide / 2))
  const x = members.length ? edge + between * 1.15 + 0.05 + wide / 2 : 0
  return { thing, x, lift: 0, tall, wide, near: 0, layer: 0 }
}

interface Company {
  /** The things to which the thing is related. */
  readonly others: readonly Member[]
  /** All things that have already been placed. */
  readonly members: readonly Member[]
  /** All things that will be placed. */
  readonly group: readonly Thing[]
}

const gap = 0.03

function placedBy(thing: Thing, { relation }: Link, company: Company): Member {
  const { others, members } = company
  const [other, second = other] = others
  if (!other || !second) return asRoot(thing, [], members)
  if (relation === 'on') return onTop(thing, other, company)
  if (relation === 'under') return under(thing, other, members)
  const { tall, wide, on } = thing
  // Flying things can also be beside standing ones.
  const lift =
    other.lift +
    (relation === 'above' ? other.tall + 0.05 : on === 'air' && other.thing.on !== 'air' ? 0.3 : 0)
  const at = { thing, lift, tall, wide, near: other.near, layer: other.layer }
  const away = (other.wide + wide) / 2 + gap
  if (relation === 'above') return { ...at, x: clear(members, other.x, at), layer: other.layer + 1 }
  if (relation === 'behind')
    return {
      ...at,
      x: other.x + halfHidden(thing, other, members),
      near: other.near - 0.05,
      layer: other.layer - 1,
    }
  if (relation === 'front')
    return {
      ...at,
      x: other.x + halfHiding(thing, other, members),
      near: other.near + 0.07,
      layer: other.layer + 1,
    }
  if (relation === 'between') {
    const [a, b] = other.x < second.x ? [other, second] : [second, other]
    const middle = (a.x + a.wide / 2 + b.x - b.wide / 2) / 2
    return { ...at, x: clear(members, middle, at), near: other.near + 0.02, layer: other.layer + 1 }
  }
  const to = relation === 'left' || (relation === 'beside' && thing.mirrored) ? -1 : 1
  return { ...at, x: outward(members, at, { from: other.x + to * away, to }) }
}

/** Places a thing with its feet on the upper side of another thing, small enough to fit there. */
function onTop(thing: Thing, other: Member, { members, group }: Company): Member {
  if (isFacewear(thing.noun)) return onFace(thing, other)
  const sitting = group.filter(({ link }) => link?.relation === 'on' && link.to[0] === thing.link?.to[0])
  const most = Math.max(
    other.wide * Math.min(0.62, 0.8 / sitting.length),
    (other.tall * 0.4) / sitting.length,
  )
  // All things on one thing shrink by the same factor, so that a cup stays smaller than the laptop beside it.
  const scale = Math.min(
    1,
    ...sitting.map(({ wide, tall }) => Math.min(most / wide, (other.tall * 0.95) / tall)),
  )
  const [wide, tall] = [thing.wide * scale, thing.tall * scale]
  const flip = other.thing.mirrored ? -1 : 1
  const taken = members
    .filter(({ carrier }) => carrier === other)
    .map(({ x }) => ((x - other.x) / other.tall) * flip)
  const surface = surfaceOf(other.thing.noun, other.thing.parts)
  const seat = seatOn(surface, { wide: (wide * 1.08) / other.tall, foot: (wide * 0.55) / other.tall, taken })
  return {
    thing,
    x: other.x + seat.x * flip * other.tall,
    lift: other.lift + (other.thing.noun.seat ?? seat.y) * other.tall - tall * 0.02,
    tall,
    wide,
    near: other.near,
    layer: other.layer + 1,
    carrier: other,
  }
}

/** Places a thing over the eyes. It is as wide as most heads. */
function onFace(thing: Thing, other: Member): Member {
  const wide = Math.min(other.wide * 0.62, other.tall * 0.34)
  const tall = (wide * thing.tall) / thing.wide
  const lift = other.lift + other.tall * 0.77 - tall / 2
  return { thing, x: other.x, lift, tall, wide, near: other.near, layer: other.layer + 1, carrier: other }
}

/** Places a thing at the foot of a standing thing, or below a floating thing. */
function under(thing: Thing, other: Member, members: readonly Member[]): Member {
  if (other.thing.on === 'air' || other.lift > 0) {
    const lift = other.lift - thing.tall - 0.05
    return {
      thing,
      x: other.x,
      lift,
      tall: thing.tall,
      wide: thing.wide,
      near: other.near,
      layer: other.layer,
    }
  }
  const scale = Math.min(1, (other.tall * 0.55) / thing.tall, (other.wide * 0.6) / thing.wide)
  const [wide, tall] = [thing.wide * scale, thing.tall * scale]
  const at = { lift: 0, wide, tall }
  const x = clear(
    members.filter((member) => member !== other),
    other.x + (thing.mirrored ? 1 : -1) * other.wide * 0.12,
    at,
  )
  return { thing, x, lift: other.lift, tall, wide, near: other.near + 0.02, layer: other.layer + 1 }
}

/**
 * Returns the minimum offset to the side at which a thing behind another is visible. The offset is small if that thing
 * is much taller.
 */
function halfHidden(thing: Thing, other: Member, members: readonly Member[]): number {
  const to = sideWithRoom(other, members, thing.mirrored)
  if (thing.tall > other.tall * 1.5) return to * 0.1 * other.wide
  return to * (other.wide / 2 + thing.wide * 0.14)
}

/** Returns the minimum offset to the side at which a thing in front of another leaves enough of it visible. */
function halfHiding(thing: Thing, other: Member, members: readonly Member[]): number {
  const to = sideWithRoom(other, members, thing.mirrored)
  if (thing.wide < other.wide * 0.6 && thing.tall < other.tall * 0.8) return to * other.wide * 0.16
  return to * ((other.wide + thing.wide) / 2 - 0.4 * Math.min(other.wide, thing.wide))
}

function sideWithRoom(other: Member, members: readonly Member[], mirrored: boolean): number {
  const right = members.filter(({ x }) => x > other.x + other.wide * 0.1).length
  const left = members.filter(({ x }) => x < other.x - other.wide * 0.1).length
  return right === left ? (mirrored ? 1 : -1) : right < left ? 1 : -1
}

interface Block {
  readonly lift: number
  readonly wide: number
  readonly tall: number
}

function overlaps(members: readonly Member[], x: number, { lift, wide, tall }: Block): boolean {
  return members.some(
    (other) =>
      Math.abs(other.x - x) < (other.wide + wide) / 2 &&
      other.lift < lift + tall &&
      lift < other.lift + other.tall,
  )
}

/** Returns the free position nearest to `from`, on either side. */
function clear(members: readonly Member[], from: number, block: Block): number {
  for (let step = 0; step < 40; step++) {
    const x = from + (step % 2 ? 1 : -1) * Math.ceil(step / 2) * block.wide * 0.3
    if (!overlaps(members, x, block)) return x
  }
  return from
}

/** Returns the first free position on one side of `from`. */
function outward(
  members: readonly Member[],
  block: Block,
  { from, to }: { from: number; to: number },
): number {
  let x = from
  for (let step = 0; step < 40 && overlaps(members, x, block); step++) x += to * block.wide * 0.25
  return x
}

/** The upper side of a noun: its highest points from left to right, in the noun's own units. */
interface Surface {
  /** The x of the first point, and the distance between neighbouring points. */
  readonly left: number
  readonly step: number
  readonly tops: readonly number[]
}

/** A part of a surface on which something can sit. */
interface Seat {
  /** The x of the seat's middle. */
  readonly x: number
  readonly y: number
}

const samples = 48

/** Returns the upper side of a noun as its parts are drawn, without glows, steam and beams. */
function surfaceOf({ width }: Noun, parts: readonly Part[]): Surface {
  const solid = parts.filter(({ alpha = 1, blur = 0, nocturnal }) => alpha > 0.7 && blur === 0 && !nocturnal)
  const step = width / samples
  const left = -width / 2 + step / 2
  const tops = Array.from({ length: samples }, (_, i) => topAt(solid, left + i * step))
  return { left, step, tops }
}

function topAt(parts: readonly Part[], x: number): number {
  let top = 0
  for (const { form, on } of parts) {
    const [left, bottom, right, highest] = form.box
    if (on || x < left || x > right) continue
    // Moves down by the distance to the form, which never goes too far.
    for (let y = highest; y > Math.max(top, bottom); ) {
      const distance = form.at(x, y)
      if (distance <= 0.002) top = Math.max(top, y)
      if (distance <= 0.002) break
      y -= Math.max(0.006, distance * 0.7)
    }
  }
  return top
}

interface SittingThing {
  /** The width of the thing, and the width of the part that touches the surface. */
  readonly wide: number
  readonly foot: number
  /** The middles of things that already sit there. */
  readonly taken: readonly number[]
}

/** Returns the best place to sit: high, level, near the middle, and beside others that sit there. */
function seatOn(surface: Surface, { wide, foot, taken }: SittingThing): Seat {
  const reach = Math.max(1, Math.round(foot / surface.step / 2))
  let best: Seat = { x: 0, y: Math.max(...surface.tops) }
  let most = Number.NEGATIVE_INFINITY
  for (let i = Math.min(reach, samples >> 1); i < samples - Math.min(reach, (samples >> 1) - 1); i++) {
    const under = surface.tops.slice(Math.max(0, i - reach), i + reach + 1)
    const [low, high] = [Math.min(...under), Math.max(...under)]
    const x = surface.left + i * surface.step
    const crowded = taken.reduce((sum, other) => sum + Math.max(0, 1 - Math.abs(other - x) / wide), 0)
    const worth = low - 1.3 * (high - low) - 0.35 * Math.abs(x) - 4 * crowded
    if (worth > most) [best, most] = [{ x, y: low + (high - low) * 0.4 }, worth]
  }
  return best
}
