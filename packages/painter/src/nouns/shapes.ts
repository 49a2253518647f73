import { along, clamp, square, wave } from '../ramp.js'

/** A point in the space of a noun. The feet are at y = 0, y grows upward, and the noun's height is 1. */
export type Point = readonly [x: number, y: number]

/** A rectangle: left, bottom, right, top. */
type Box = readonly [number, number, number, number]

/** A form, described by the distance to its edge. The distance is negative inside. */
export interface Form {
  at(x: number, y: number): number
  /** Contains the entire form. */
  readonly box: Box
  /**
   * Returns a form that is the same within `reach` of a point. If only a piece matters there, the returned form is
   * faster.
   */
  near?(x: number, y: number, reach: number): Form
}

/** Returns the piece of a form that matters within `reach` of a point. */
export function near(form: Form, [x, y]: Point, reach: number): Form {
  return form.near?.(x, y, reach) ?? form
}

/** Returns the rectangle around some points, extended by a margin. */
function boxOf(points: readonly Point[], margin = 0): Box {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  return [
    Math.min(...xs) - margin,
    Math.min(...ys) - margin,
    Math.max(...xs) + margin,
    Math.max(...ys) + margin,
  ]
}

/** Joins several forms. `soft` is the width over which they blend. */
export function join(forms: readonly Form[], soft = 0): Form {
  const at = (x: number, y: number): number => {
    let distance = Number.POSITIVE_INFINITY
    for (const form of forms) {
      const next = form.at(x, y)
      const overlap = soft - Math.abs(distance - next)
      distance = Math.min(distance, next) - (overlap > 0 ? (overlap * overlap) / (4 * soft) : 0)
    }
    return distance
  }
  const corners = forms.flatMap(({ box: [l, b, r, t] }): Point[] => [
    [l, b],
    [r, t],
  ])
  return {
    at,
    box: boxOf(corners, soft / 4),
    near: (x, y, reach) => {
      const distances = forms.map((form) => form.at(x, y))
      const most = Math.min(...distances) + 2 * reach + soft
      return join(
        forms.filter((_, i) => (distances[i] ?? 0) <= most).map((form) => near(form, [x, y], reach)),
        soft,
      )
    },
  }
}

/** Subtracts one form from another. */
export function cut(form: Form, hole: Form): Form {
  return {
    at: (x, y) => Math.max(form.at(x, y), -hole.at(x, y)),
    box: form.box,
    near: (x, y, reach) => cut(near(form, [x, y], reach), near(hole, [x, y], reach)),
  }
}

/** Intersects two forms. */
export function within(form: Form, outer: Form): Form {
  return {
    at: (x, y) => Math.max(form.at(x, y), outer.at(x, y)),
    box: form.box,
    near: (x, y, reach) => within(near(form, [x, y], reach), near(outer, [x, y], reach)),
  }
}

/** Moves a form from [0, 0] to `to`, and turns it counter-clockwise by a number of full turns. */
export function placed(form: Form, to: Point, turn: number): Form {
  const cos = wave(turn + 0.25)
  const sin = wave(turn)
  const at = (x: number, y: number): number => {
    const dx = x - to[0]
    const dy = y - to[1]
    return form.at(dx * cos + dy * sin, dy * cos - dx * sin)
  }
  const [l, b, r, t] = form.box
  const turned = (x: number, y: number): Point => [to[0] + x * cos - y * sin, to[1] + x * sin + y * cos]
  return { at, box: boxOf([turned(l, b), turned(r, b), turned(l, t), turned(r, t)]) }
}

/** Scales a form around [0, 0] and moves it to `to`. */
export function scaledTo(form: Form, to: Point, scale: number): Form {
  const [l, b, r, t] = form.box
  return {
    at: (x, y) => form.at((x - to[0]) / scale, (y - to[1]) / scale) * scale,
    box: [to[0] + l * scale, to[1] + b * scale, to[0] + r * scale, to[1] + t * scale],
    near: (x, y, reach) =>
      scaledTo(near(form, [(x - to[0]) / scale, (y - to[1]) / scale], reach / scale), to, scale),
  }
}

/** An ellipse, or a circle if there is one radius. `turn` is counter-clockwise, in full turns. */
export function oval(center: Point, radii: Point | number, turn = 0): Form {
  const [cx, cy] = center
  const [rx, ry] = typeof radii === 'number' ? [radii, radii] : radii
  const cos = wave(turn + 0.25)
  const sin = wave(turn)
  const at = (x: number, y: number): number => {
    const dx = x - cx
    const dy = y - cy
    const u = (dx * cos + dy * sin) / rx
    const v = (dy * cos - dx * sin) / ry
    const reach = Math.sqrt(u * u + v * v)
    const slope = Math.sqrt((u * u) / (rx * rx) + (v * v) / (ry * ry))
    return slope < 1e-9 ? -Math.min(rx, ry) : (reach * (reach - 1)) / slope
  }
  const wide = Math.sqrt(square(rx * cos) + square(ry * sin))
  const high = Math.sqrt(square(rx * sin) + square(ry * cos))
  return { at, box: [cx - wide, cy - high, cx + wide, cy + high] }
}

/** An upright rectangle with rounded corners, given by its middle and half the lengths of its sides. */
export function box(center: Point, half: Point, round = 0): Form {
  const at = (x: number, y: number): number => {
    const dx = Math.abs(x - center[0]) - half[0] + round
    const dy = Math.abs(y - center[1]) - half[1] + round
    const ox = Math.max(dx, 0)
    const oy = Math.max(dy, 0)
    return Math.sqrt(ox * ox + oy * oy) + Math.min(Math.max(dx, dy), 0) - round
  }
  return { at, box: [center[0] - half[0], center[1] - half[1], center[0] + half[0], center[1] + half[1]] }
}

/** A closed polygon. `round` extends it by a distance, which rounds its corners. */
export function poly(points: readonly Point[], round = 0): Form {
  const edges = toEdges(points)
  return polygon({ edges, crossed: edges, inside: isInside }, round, boxOf(points, round))
}

/** How overlapping closed outlines are filled, as in SVG. */
export type FillRule = 'nonzero' | 'evenodd'

/** Combines closed outlines into one form. The rule decides whether an outline inside another one is a hole. */
export function outlines(contours: readonly (readonly Point[])[], rule: FillRule): Form {
  const edges = contours.flatMap(toEdges)
  const inside = rule === 'nonzero' ? isWound : isInside
  return polygon({ edges, crossed: edges, inside }, 0, boxOf(contours.flat()))
}

/** The edges for measuring distances, and the edges that a ray to the right may cross. */
interface Edges {
  readonly edges: readonly Edge[]
  readonly crossed: readonly Edge[]
  readonly inside: (edges: readonly Edge[], x: number, y: number) => boolean
}

function polygon({ edges, crossed, inside }: Edges, round: number, box: Box): Form {
  return {
    at: (x, y) => Math.sqrt(nearest(edges, x, y)) * (inside(crossed, x, y) ? -1 : 1) - round,
    box,
    near: (x, y, reach) => {
      const most = square(Math.sqrt(nearest(edges, x, y)) + 2 * reach)
      const close = edges.filter((edge) => nearest([edge], x, y) <= most)
      const level = crossed.filter(
        (edge) => Math.abs(edge.y + edge.dy / 2 - y) <= Math.abs(edge.dy / 2) + reach,
      )
      return polygon({ edges: close, crossed: level, inside }, round, box)
    },
  }
}

/** A smooth closed outline through the points. */
export function blob(points: readonly Point[]): Form {
  const steps = 6
  const point = (i: number): Point => points[(i + points.length) % points.length] ?? [0, 0]
  return poly(
    Array.from({ length: points.length * steps }, (_, step): Point => {
      const i = Math.floor(step / steps)
      const t = (step % steps) / steps
      const four = [point(i - 1), point(i), point(i + 1), point(i + 2)] as const
      return [along(four, 0, t), along(four, 1, t)]
    }),
  )
}

interface Edge {
  readonly x: number
  readonly y: number
  readonly dx: number
  readonly dy: number
  readonly perLength: number
}

function toEdges(points: readonly Point[]): Edge[] {
  return points.map((from, i) => toEdge(from, points[(i + 1) % points.length] ?? from))
}

function toEdge(from: Point, to: Point): Edge {
  const dx = to[0] - from[0]
  const dy = to[1] - from[1]
  return { x: from[0], y: from[1], dx, dy, perLength: 1 / Math.max(1e-12, dx * dx + dy * dy) }
}

/** Returns the square of the distance to the nearest edge. */
function nearest(edges: readonly Edge[], x: number, y: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < edges.length; i++) {
    const edge = edges[i] as Edge
    const wx = x - edge.x
    const wy = y - edge.y
    const t = (wx * edge.dx + wy * edge.dy) * edge.perLength
    const part = clamp(t)
    const bx = wx - edge.dx * part
    const by = wy - edge.dy * part
    const next = bx * bx + by * by
    if (next < least) least = next
  }
  return least
}

/** Whether a ray to the right crosses an odd number of edges. */
function isInside(edges: readonly Edge[], x: number, y: number): boolean {
  let inside = false
  for (const edge of edges) {
    const wy = y - edge.y
    const starts = wy >= 0
    if (starts === wy < edge.dy && edge.dx * wy > edge.dy * (x - edge.x) === starts) inside = !inside
  }
  return inside
}

/** Whether the edges that a ray to the right crosses do not go up and down equally often. */
function isWound(edges: readonly Edge[], x: number, y: number): boolean {
  let turns = 0
  for (const edge of edges) {
    const wy = y - edge.y
    const starts = wy >= 0
    if (starts === wy < edge.dy && edge.dx * wy > edge.dy * (x - edge.x) === starts) turns += starts ? 1 : -1
  }
  return turns !== 0
}

/** A stroke with round ends. Its half width changes from the first number to the second. */
export function line(from: Point, to: Point, widths: Point | number): Form {
  const [start, end] = typeof widths === 'number' ? [widths, widths] : widths
  const dx = to[0] - from[0]
  const dy = to[1] - from[1]
  const perLength = 1 / Math.max(1e-12, dx * dx + dy * dy)
  const at = (x: number, y: number): number => {
    const wx = x - from[0]
    const wy = y - from[1]
    const t = clamp((wx * dx + wy * dy) * perLength)
    const bx = wx - dx * t
    const by = wy - dy * t
    return Math.sqrt(bx * bx + by * by) - start - (end - start) * t
  }
  return { at, box: boxOf([from, to], Math.max(start, end)) }
}

/** A curved stroke from the first to the last of three points, pulled toward the middle one. */
export function curve(points: readonly [Point, Point, Point], widths: Point | number): Form {
  const [start, end] = typeof widths === 'number' ? [widths, widths] : widths
  const [a, b, c] = points
  const steps = 8
  const along = (t: number): Point => {
    const s = 1 - t
    return [s * s * a[0] + 2 * s * t * b[0] + t * t * c[0], s * s * a[1] + 2 * s * t * b[1] + t * t * c[1]]
  }
  const wide = (t: number): number => start + (end - start) * t
  return join(
    Array.from({ length: steps }, (_, i) => {
      const [t, next] = [i / steps, (i + 1) / steps]
      return line(along(t), along(next), [wide(t), wide(next)])
    }),
  )
}

/** The outline of a circle. `width` is half its thickness. */
export function ring(center: Point, radius: number, width: number): Form {
  const circle = oval(center, radius)
  return { at: (x, y) => Math.abs(circle.at(x, y)) - width, box: oval(center, radius + width).box }
}
