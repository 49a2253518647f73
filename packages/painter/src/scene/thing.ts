import type { Rgb } from '../color.js'
import type { Noun, Part } from '../nouns/part.js'
import { metresOf } from '../nouns/sizes.js'
import type { Relation, Side, Wanted } from '../prompt/request.js'
import { hashText, seededRandom } from '../random.js'

/** A single thing that needs a position. */
export interface Thing {
  readonly noun: Noun
  readonly parts: readonly Part[]
  readonly color?: Rgb
  readonly side?: Side
  /** The height and width in shares of the image's shorter side, before everything is scaled to fit. */
  readonly tall: number
  readonly wide: number
  readonly mirrored: boolean
  readonly on: PlacedThing['on']
  readonly link?: Link
  /** Whether the thing takes up room but is not drawn. */
  readonly hidden?: boolean
  /** Whether the thing is placed after the others. */
  readonly late?: boolean
}

/** A thing's relation to other things. */
export interface Link {
  readonly relation: Relation
  /** The indexes of the other things in the list. */
  readonly to: readonly number[]
}

interface Making {
  /**
   * The seed. Each requested thing has its own random numbers, so that adding or removing a thing does not change the
   * others.
   */
  readonly seed: number
  /** Returns the habitat of a thing in this scene. Undefined for parts of the landscape. */
  readonly bandOf: (noun: Noun) => PlacedThing['on'] | undefined
}

/** Returns the single things of a request, each related to other single things. */
export function toThings(wanted: readonly Wanted[], { seed, bandOf }: Making): Thing[] {
  const firsts = toFirsts(wanted, bandOf)
  const share = sharesOf(wanted)
  const things = wanted.flatMap(({ noun, count, color, side, size, placed, hidden = 0, late }, index) => {
    const on = bandOf(noun)
    if (!on) return []
    const random = seededRandom(hashText(`thing ${index}`, seed))
    return Array.from({ length: count }, (_, i): Thing => {
      const to =
        placed?.to.flatMap((target) =>
          targetsOf({ first: firsts[target], others: wanted[target]?.count ?? 0, i, count }),
        ) ?? []
      const needed = placed?.relation === 'between' ? 2 : 1
      return {
        noun,
        parts: noun.parts(random),
        tall: share(noun) * size,
        wide: share(noun) * size * noun.width,
        mirrored: random() < 0.5,
        on,
        ...(i >= count - hidden && { hidden: true }),
        ...(late && !placed && { late }),
        ...(color && { color: color.rgb }),
        ...(side && { side }),
        ...(placed && to.length >= needed && { link: { relation: placed.relation, to } }),
      }
    })
  })
  return anchored(things)
}

/**
 * Returns a function for the height of a noun as a share of the image. Next to a larger thing, a thing is drawn
 * smaller, but by less than in reality: a mouse next to an elephant is a fifth as high, not a fortieth.
 */
function sharesOf(wanted: readonly Wanted[]): (noun: Noun) => number {
  let largest: Noun | undefined
  for (const { noun, late } of wanted)
    if (!noun.scenery && !late && (metresOf(noun) ?? 0) > (largest ? (metresOf(largest) ?? 0) : 0))
      largest = noun
  const most = largest && metresOf(largest)
  return (noun) => {
    const metres = metresOf(noun)
    if (!largest || !most || metres === undefined || noun === largest) return noun.height
    const ratio = metres / most
    return Math.min(0.8, largest.height * Math.sqrt(Math.sqrt(ratio * Math.sqrt(ratio))))
  }
}

/** The inverse of each relation that has one. */
const reversed: Partial<Record<Relation, Relation>> = {
  under: 'above',
  left: 'right',
  right: 'left',
  behind: 'front',
  front: 'behind',
  beside: 'beside',
}

/**
 * Inverts relations so that floating things are placed relative to standing ones. In "a cat under a balloon", the cat
 * is on the ground. If one is behind the other and the nearer one swims, the standing one is in the water.
 */
function anchored(things: readonly Thing[]): Thing[] {
  const result = [...things]
  for (const [i, { link }] of things.entries()) {
    const [subject, target] = [result[i], result[link?.to[0] ?? -1]]
    if (!link || !subject || !target) continue
    const turned = reversed[link.relation]
    const floats = target.on === 'air' && subject.on !== 'air'
    if (floats && turned && !target.link) {
      const { link: _, ...free } = subject
      result[i] = free
      result[link.to[0] ?? 0] = { ...target, link: { relation: turned, to: [i] } }
    }
    if (link.relation === 'front' && subject.on === 'water' && target.on === 'ground')
      result[link.to[0] ?? 0] = { ...target, on: 'water' }
    if (link.relation === 'behind' && subject.on === 'ground' && target.on === 'water')
      result[i] = { ...subject, on: 'water' }
  }
  return result
}

/** Returns the index of the first single thing for each requested one. Undefined if there is none. */
function toFirsts(wanted: readonly Wanted[], bandOf: Making['bandOf']): (number | undefined)[] {
  let next = 0
  return wanted.map(({ noun, count }) => {
    if (!bandOf(noun)) return undefined
    next += count
    return next - count
  })
}

interface Choice {
  /** The index of the first of the other things, and how many there are. */
  readonly first: number | undefined
  readonly others: number
  /** The index of this thing among `count` single things. */
  readonly i: number
  readonly count: number
}

/**
 * Two cats on two houses sit on one house each. In other cases, the middle house carries all of them, or two houses are
 * the ends of "between".
 */
function targetsOf({ first, others, i, count }: Choice): number[] {
  if (first === undefined) return []
  if (others > 1 && others === count) return [first + i]
  const middle = first + Math.floor((others - 1) / 2)
  return others > 1 ? [middle, middle + 1] : [middle]
}

/** A thing and its place in the image. */
export interface PlacedThing {
  readonly noun: Noun
  readonly parts: readonly Part[]
  readonly color?: Rgb
  /** The position of the thing's feet, in pixels. */
  readonly x: number
  readonly y: number
  /** The height in pixels. */
  readonly height: number
  readonly mirrored: boolean
  readonly on: 'ground' | 'water' | 'air'
  /**
   * The row of the ground below the thing. This is its own `y`, unless something carries the thing. Lower rows are
   * nearer to the viewer.
   */
  readonly base: number
  /** If two things have the same base, the one with the higher value is nearer to the viewer. */
  readonly layer: number
  /** Whether the thing keeps its position but is not drawn. Default false. */
  readonly hidden?: boolean
  /** Things with the same number are in one cluster, and may cover each other. */
  readonly group: number
}
