import { square, wave } from '../ramp.js'
import type { Form, Point } from './form.js'

/** An ellipse, or a circle when one radius is given; `turn` is counter-clockwise in full turns. */
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

/** An upright rectangle, by its middle and half its sides, with rounded corners. */
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
