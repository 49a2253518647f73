import { type Area, type Canvas, meanColor } from '../canvas.js'
import { luma, mix, type Rgb, scaled, toRgb } from '../color.js'
import { drawParts } from '../nouns/draw-parts.js'
import type { Light } from '../nouns/stance.js'
import type { Wanted } from '../prompt/request.js'
import type { Random } from '../random.js'
import { rippleBelow } from '../scene/sea.js'
import { castShadow } from '../scene/shadow.js'
import { freePlace } from './free-place.js'

/** Draws things where there is room for them; what lies under them is covered, the rest stays. */
export function drawFreely(canvas: Canvas, things: readonly Wanted[], random: Random): void {
  const unit = Math.min(canvas.width, canvas.height)
  const singles = toSingles(things)
  const scale = unit * Math.max(0.55, 0.95 - 0.1 * singles.length)
  const taken: Area[] = []
  for (const wanted of singles) {
    const { noun, size, side } = wanted
    const most = Math.min((canvas.width * 0.9) / noun.width, canvas.height * 0.8)
    const tall = Math.min(scale * noun.height * size, most)
    const guest = { wide: tall * noun.width, tall, home: noun.home, ...(side && { side }) }
    const area = freePlace(canvas, guest, { taken, random })
    taken.push(area)
    drawIn(canvas, area, { wanted, random, grounded: true })
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
  const singles = toSingles(things)
  const [wide, high] = [area.right - area.left, area.bottom - area.top]
  const across = Math.round(Math.sqrt((singles.length * wide) / high))
  const columns = Math.min(singles.length, Math.max(1, across))
  const cell = { wide: wide / columns, high: high / Math.ceil(singles.length / columns) }
  for (const [i, wanted] of singles.entries()) {
    const tall = Math.min(cell.high, cell.wide / wanted.noun.width) * fullness * Math.min(1, wanted.size)
    const half = (tall * wanted.noun.width) / 2
    const x = area.left + cell.wide * ((i % columns) + 0.5)
    const y = area.top + cell.high * (Math.floor(i / columns) + 0.5)
    const own = { left: x - half, right: x + half, top: y - tall / 2, bottom: y + tall / 2 }
    drawIn(canvas, own, { wanted, random, grounded: false })
  }
}

function toSingles(things: readonly Wanted[]): Wanted[] {
  return things.flatMap((wanted) => Array<Wanted>(wanted.count).fill(wanted))
}

interface Drawn {
  readonly wanted: Wanted
  readonly random: Random
  /** Throws a shadow or a reflection. */
  readonly grounded: boolean
}

function drawIn(canvas: Canvas, area: Area, { wanted: { noun, color }, random, grounded }: Drawn): void {
  const [x, y, height] = [(area.left + area.right) / 2, area.bottom, area.bottom - area.top]
  const light = lightIn(canvas, area)
  const stance = { x, y, height, light, color: color?.rgb ?? toRgb(noun.color), mirrored: random() < 0.5 }
  const parts = noun.parts(random)
  if (grounded && noun.home === 'water') {
    const ripple = rippleBelow(y, Math.min(canvas.width, canvas.height))
    drawParts(canvas, parts, { ...stance, alpha: 0.28, ripple })
  }
  if (grounded && noun.home === 'land' && !noun.shadowless) {
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
