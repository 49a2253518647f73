import type { Hex } from '../color.js'
import type { FillRule, Point } from '../nouns/shapes.js'
import { readPath, rounded } from './svg-path.js'

/** One filled shape of a drawing, in the units of the file. The y axis points down. */
export interface SvgShape {
  readonly contours: readonly (readonly Point[])[]
  readonly fill: Hex
  readonly rule: FillRule
  /** From 0 to 1. */
  readonly opacity: number
}

/** Returns the filled shapes in an SVG body, from back to front: paths, circles, ellipses, rectangles and uses. */
export function readSvgShapes(body: string): SvgShape[] {
  const defined = new Map<string, Attributes>()
  const shapes: SvgShape[] = []
  /** The fills of the groups that enclose the current shape. */
  const fills: (string | undefined)[] = []
  let hidden = 0
  for (const { name, attributes, opens, closes } of tagsOf(body)) {
    // Shapes in these elements only clip other shapes, or are drawn by a use.
    if (unpainted.has(name)) hidden += opens ? 1 : closes ? -1 : 0
    if (name === 'g' && opens) fills.push(attributes.fill ?? fills.at(-1))
    if (name === 'g' && closes) fills.pop()
    if (closes) continue
    if (attributes.id) defined.set(attributes.id, { ...attributes, name })
    const own = name === 'use' ? defined.get(attributes.href?.slice(1) ?? '') : { ...attributes, name }
    if (hidden > 0 || !own) continue
    const contours = contoursOf(own)
    const fill = toFill(attributes.fill ?? own.fill ?? fills.at(-1))
    if (!fill || contours.length === 0) continue
    shapes.push({
      contours: contours.map((contour) => turned(contour, own.transform)),
      fill,
      rule: own['fill-rule'] === 'evenodd' ? 'evenodd' : 'nonzero',
      opacity: Number(own.opacity ?? 1),
    })
  }
  return shapes
}

const unpainted = new Set(['defs', 'clipPath', 'filter', 'mask'])

type Attributes = Readonly<Record<string, string>>

interface Tag {
  readonly name: string
  readonly attributes: Attributes
  /** Whether the element can contain other elements. */
  readonly opens: boolean
  readonly closes: boolean
}

function tagsOf(body: string): Tag[] {
  return [...body.matchAll(/<(\/?)([\w-]+)([^>]*?)(\/?)>/g)].map(
    ([, close, name = '', rest = '', alone]) => ({
      name,
      attributes: Object.fromEntries(
        [...rest.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
      ),
      opens: close === '' && alone === '',
      closes: close !== '',
    }),
  )
}

function contoursOf(own: Attributes): Point[][] {
  const number = (key: string, other = 0): number => Number(own[key] ?? other)
  if (own.name === 'path') return readPath(own.d ?? '')
  if (own.name === 'circle') return [ellipse([number('cx'), number('cy')], number('r'), number('r'))]
  if (own.name === 'ellipse') return [ellipse([number('cx'), number('cy')], number('rx'), number('ry'))]
  if (own.name !== 'rect') return []
  const [x, y, wide, high] = [number('x'), number('y'), number('width'), number('height')]
  return readPath(`M${x} ${y}h${wide}v${high}h${-wide}z`)
}

function ellipse([x, y]: Point, rx: number, ry: number): Point[] {
  const arc = (to: number): string => `A${rx} ${ry} 0 0 1 ${to} ${y}`
  return readPath(`M${x - rx} ${y}${arc(x + rx)}${arc(x - rx)}z`)[0] ?? []
}

/** Rotates an outline by degrees around a point. Drawings use no other transformation. */
function turned(contour: Point[], transform: string | undefined): Point[] {
  const [, values] = /^rotate\(([^)]*)\)$/.exec(transform ?? '') ?? []
  if (!values) return contour
  const [degrees = 0, cx = 0, cy = 0] = values.split(/[\s,]+/).map(Number)
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  return contour.map(
    ([x, y]): Point => [
      rounded(cx + (x - cx) * cos - (y - cy) * sin),
      rounded(cy + (x - cx) * sin + (y - cy) * cos),
    ],
  )
}

function toFill(fill: string | undefined): Hex | undefined {
  const [, short] = /^#([0-9a-f]{3})$/i.exec(fill ?? '') ?? []
  if (short) return `#${[...short].map((digit) => digit + digit).join('')}`
  return /^#[0-9a-f]{6}$/i.test(fill ?? '') ? `#${fill?.slice(1).toLowerCase()}` : undefined
}
