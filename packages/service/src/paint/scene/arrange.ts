import type { Noun } from '../nouns/part.js'
import type { Side, Wanted } from '../prompt/request.js'
import { between, shuffled } from '../random.js'
import { hiddenIn } from './hidden.js'
import type { Scene } from './scene.js'
import type { Stand } from './stand.js'

type Thing = Omit<Wanted, 'count'> & { readonly on: Stand['on'] }

/** Gives each thing a place of its own, farthest first; of many places tried, the ones that hide least. */
export function arrange(scene: Scene, things: readonly Wanted[]): Stand[] {
  const singles = things.filter(({ noun }) => !noun.scenery).flatMap((wanted) => toThings(wanted, scene))
  const grounded = singles.filter(({ on }) => on !== 'air')
  const airborne = singles.filter(({ on }) => on === 'air')
  const stands = leastHidden(scene, { attempts: 12, others: [] }, () => row(scene, grounded))
  for (const thing of airborne) {
    // The more often a place was taken, the smaller the thing gets.
    const scale = (tried: number): number => growth(airborne.length) * (1 - 0.005 * tried)
    const others = [...stands]
    stands.push(
      ...leastHidden(scene, { attempts: 120, others }, (tried) => [float(scene, thing, scale(tried))]),
    )
  }
  return stands.sort((a, b) => a.y - b.y)
}

interface Search {
  readonly attempts: number
  /** Things that have their place already. */
  readonly others: readonly Stand[]
}

function leastHidden(scene: Scene, search: Search, attempt: (tried: number) => Stand[]): Stand[] {
  let best: Stand[] = []
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < search.attempts && least > 0; i++) {
    const stands = attempt(i)
    const hidden = hiddenIn([...search.others, ...stands], scene)
    if (hidden < least) [best, least] = [stands, hidden]
  }
  return best
}

function toThings({ count, ...wanted }: Wanted, scene: Scene): Thing[] {
  return Array.from({ length: count }, () => ({ ...wanted, on: bandOf(wanted.noun, scene) }))
}

function bandOf(noun: Noun, { place, bank, horizon }: Scene): Stand['on'] {
  if (noun.home === 'sky' || place === 'space' || place === 'sky' || place === 'underwater') return 'air'
  return noun.home === 'water' && bank > horizon ? 'water' : 'ground'
}

/** Things side by side, each in a slot as wide as itself; all shrink until they fit. */
function row(scene: Scene, things: readonly Thing[]): Stand[] {
  const { random, width, unit } = scene
  const ordered = inOrder(shuffled(random, things))
  const scale = unit * growth(things.length) * between(random, 0.86, 1.08)
  const heights = ordered.map((thing) => scale * thing.noun.height * thing.size)
  const widths = ordered.map(({ noun }, i) => (heights[i] ?? 0) * noun.width + unit * 0.03)
  const total = widths.reduce((sum, wide) => sum + wide, 0)
  const fit = Math.min(1, (width * 0.96) / Math.max(1, total))
  const gap = (width - total * fit) / (ordered.length + 1)
  let left = gap
  return ordered.map((thing, i) => {
    const wide = (widths[i] ?? 0) * fit
    const height = Math.min((heights[i] ?? 0) * fit, scene.height * 0.8)
    const x = left + wide / 2 + gap * between(random, -0.7, 0.7)
    left += wide + gap
    return toStand(scene, thing, {
      x: toSide(thing.side, x, { width, wide }),
      y: footing(scene, thing, height),
      height,
    })
  })
}

/** One thing anywhere in the air. */
function float(scene: Scene, thing: Thing, scale: number): Stand {
  const { random, width, height, unit, horizon, place } = scene
  const roomy = place === 'underwater' || place === 'space' ? 1.5 : 1
  const tall = Math.min(height * 0.8, unit * thing.noun.height * thing.size * scale * roomy)
  const wide = tall * thing.noun.width
  const x = toSide(thing.side, between(random, wide * 0.55, width - wide * 0.55), { width, wide })
  const ceiling = height * 0.03 + tall
  const floor = Math.max(ceiling, horizon < height ? horizon * 0.92 : height * 0.9)
  const part = thing.side === 'top' ? 0.05 : thing.side === 'bottom' ? 1 : between(random, 0, 0.8)
  return toStand(scene, thing, { x, y: ceiling + (floor - ceiling) * part, height: tall })
}

/** A thing alone is drawn bigger, one of many smaller. */
function growth(count: number): number {
  return count < 4 ? 1.32 - 0.1 * count : Math.max(0.5, 1.25 / Math.sqrt(count * 0.4))
}

function toStand(
  { random }: Scene,
  { noun, color, on }: Thing,
  at: { x: number; y: number; height: number },
): Stand {
  return { noun, on, ...at, mirrored: random() < 0.5, ...(color && { color: color.rgb }) }
}

/** Left ones first, right ones last. */
function inOrder(things: readonly Thing[]): Thing[] {
  const rank = ({ side }: Thing): number => (side === 'left' ? 0 : side === 'right' ? 2 : 1)
  return [...things].sort((a, b) => rank(a) - rank(b))
}

function toSide(side: Side | undefined, x: number, { width, wide }: { width: number; wide: number }): number {
  if (side === 'left') return Math.min(x, width * 0.27)
  if (side === 'right') return Math.max(x, width * 0.73)
  if (side === 'middle') return width / 2
  return Math.min(width - wide / 2, Math.max(wide / 2, x))
}

/** The row a thing's feet stand on. */
function footing(scene: Scene, { on }: Thing, tall: number): number {
  const { horizon, height, random, bank } = scene
  const [top, bottom] = on === 'water' ? [horizon, bank] : [Math.min(bank, height * 0.9), height]
  // Big things stand further back than small ones, so that nothing hides behind a house.
  const small = Math.max(0, 1 - tall / (scene.unit * 0.55))
  const part = 0.36 + 0.34 * small + between(random, -0.06, 0.12)
  return top + (bottom - top) * part
}
