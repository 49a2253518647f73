import { along } from '../along.js'
import { clamp, square } from '../ramp.js'
import { type Box, boxOf, type Form, type Point } from './form.js'

/** A closed polygon; `round` grows it by that much, with round corners. */
export function poly(points: readonly Point[], round = 0): Form {
  const edges = points.map((from, i) => toEdge(from, points[(i + 1) % points.length] ?? from))
  return polygon({ edges, crossed: edges }, round, boxOf(points, round))
}

/** The edges whose distance counts, and those that a ray to the right may cross. */
interface Edges {
  readonly edges: readonly Edge[]
  readonly crossed: readonly Edge[]
}

function polygon({ edges, crossed }: Edges, round: number, box: Box): Form {
  return {
    at: (x, y) => Math.sqrt(nearest(edges, x, y)) * (isInside(crossed, x, y) ? -1 : 1) - round,
    box,
    near: (x, y, reach) => {
      const most = square(Math.sqrt(nearest(edges, x, y)) + 2 * reach)
      const close = edges.filter((edge) => nearest([edge], x, y) <= most)
      const level = crossed.filter(
        (edge) => Math.abs(edge.y + edge.dy / 2 - y) <= Math.abs(edge.dy / 2) + reach,
      )
      return polygon({ edges: close, crossed: level }, round, box)
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

function toEdge(from: Point, to: Point): Edge {
  const dx = to[0] - from[0]
  const dy = to[1] - from[1]
  return { x: from[0], y: from[1], dx, dy, perLength: 1 / Math.max(1e-12, dx * dx + dy * dy) }
}

/** The square of the distance to the nearest edge. */
function nearest(edges: readonly Edge[], x: number, y: number): number {
  let least = Number.POSITIVE_INFINITY
  for (const edge of edges) {
    const wx = x - edge.x
    const wy = y - edge.y
    const t = clamp((wx * edge.dx + wy * edge.dy) * edge.perLength)
    const bx = wx - edge.dx * t
    const by = wy - edge.dy * t
    least = Math.min(least, bx * bx + by * by)
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
