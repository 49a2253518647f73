import { type Hex, toRgb } from '../color.js'
import { type Part, part } from '../nouns/part.js'
import { outlines, type Point } from '../nouns/shapes.js'
import { drawingOf } from './library.js'
import { readSvgShapes, type SvgShape } from './svg-shapes.js'

/** A drawing in the library, scaled to a noun: the feet are at y = 0, the middle is at x = 0, and the height is 1. */
export interface Drawn {
  readonly parts: readonly Part[]
  /** The drawing's width as a multiple of its height. */
  readonly width: number
  /** The drawing's main colour. A requested colour replaces it. */
  readonly color: Hex
}

/** Selects a drawing and its shapes. */
export interface DrawingChoice {
  readonly name: string
  /** The indexes of the shapes to use. Default: all. */
  readonly only?: readonly number[]
  /** The indexes of the shapes to omit. Default: none. */
  readonly without?: readonly number[]
}

/** Returns the parts of a drawing. Undefined if the library is not installed. */
export function drawnParts({ name, only, without }: DrawingChoice): Drawn | undefined {
  const body = drawingOf(name)
  if (!body) return undefined
  const shapes = readSvgShapes(body).filter(
    (_, i) => (only?.includes(i) ?? true) && !(without?.includes(i) ?? false),
  )
  if (shapes.length === 0) return undefined
  const points = shapes.flatMap(({ contours }) => contours.flat())
  const [left, right] = [Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x))]
  const [top, bottom] = [Math.min(...points.map(([, y]) => y)), Math.max(...points.map(([, y]) => y))]
  const high = bottom - top
  const move = ([x, y]: Point): Point => [(x - (left + right) / 2) / high, (bottom - y) / high]
  const color = leadingColor(shapes)
  return {
    parts: shapes.map((shape) => toPart(shape, color, move)),
    width: (right - left) / high,
    color,
  }
}

function toPart(
  { contours, fill, rule, opacity }: SvgShape,
  color: Hex,
  move: (point: Point) => Point,
): Part {
  const form = outlines(
    contours.map((contour) => contour.map(move)),
    rule,
  )
  const [left, bottom, right, top] = form.box
  // Fine lines are not shaded.
  const bulge = Math.min(0.08, 0.22 * Math.min(right - left, top - bottom))
  return part(fill, form, {
    bulge,
    ...(opacity < 1 && { alpha: opacity }),
    ...(isShadeOf(fill, color) && { shadeOf: color }),
  })
}

/** Returns the fill colour with the largest area. Ignores white, black and grey. */
function leadingColor(shapes: readonly SvgShape[]): Hex {
  const areas = new Map<Hex, number>()
  for (const { fill, contours } of shapes) {
    const area = contours.reduce((sum, contour) => sum + Math.abs(areaOf(contour)), 0)
    areas.set(fill, (areas.get(fill) ?? 0) + area * (saturation(fill) > 0.12 ? 1 : 0.35))
  }
  const [[color] = ['#808080' as Hex]] = [...areas].sort((a, b) => b[1] - a[1])
  return color
}

function areaOf(contour: readonly Point[]): number {
  return contour.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = contour[(i + 1) % contour.length] ?? [x, y]
    return sum + (x * nextY - nextX * y) / 2
  }, 0)
}

/** Whether two colours have the same hue, or both have none. */
function isShadeOf(fill: Hex, color: Hex): boolean {
  if (fill === color) return true
  const [a, b] = [saturation(fill), saturation(color)]
  if (a < 0.12 || b < 0.12) return a < 0.12 && b < 0.12
  const turn = Math.abs(hue(fill) - hue(color))
  return Math.min(turn, 1 - turn) < 0.06
}

function saturation(fill: Hex): number {
  const { r, g, b } = toRgb(fill)
  return Math.max(r, g, b) - Math.min(r, g, b)
}

/** Returns the hue in full turns. */
function hue(fill: Hex): number {
  const { r, g, b } = toRgb(fill)
  const most = Math.max(r, g, b)
  const spread = Math.max(1e-6, most - Math.min(r, g, b))
  const turn = most === r ? (g - b) / spread : most === g ? 2 + (b - r) / spread : 4 + (r - g) / spread
  return (turn / 6 + 1) % 1
}
