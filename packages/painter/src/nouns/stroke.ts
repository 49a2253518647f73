import { clamp } from '../ramp.js'
import { join } from './combine.js'
import { boxOf, type Form, type Point } from './form.js'
import { oval } from './outline.js'

/** A stroke with round ends, its width (half, from the middle) going from the first to the second. */
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

/** A bent stroke from the first to the last of three points, pulled toward the middle one. */
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

/** A circle's outline, of a width (half, from the middle). */
export function ring(center: Point, radius: number, width: number): Form {
  const circle = oval(center, radius)
  return { at: (x, y) => Math.abs(circle.at(x, y)) - width, box: oval(center, radius + width).box }
}
