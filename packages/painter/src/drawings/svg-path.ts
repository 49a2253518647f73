import type { Point } from '../nouns/shapes.js'
import { square } from '../ramp.js'

/** Parses the path data of an SVG. Returns closed outlines that consist of short straight lines. */
export function readPath(data: string): Point[][] {
  const pen = new Pen()
  for (const [, command = '', rest = ''] of data.matchAll(/([a-z])([^a-z]*)/gi)) {
    const size = sizes[command.toLowerCase()] ?? 0
    const numbers = numbersOf(rest, command.toLowerCase() === 'a')
    if (size === 0) pen.close()
    for (let at = 0; size > 0 && at + size <= numbers.length; at += size) {
      // After a move, further pairs are lines.
      const next = at > 0 && command === 'M' ? 'L' : at > 0 && command === 'm' ? 'l' : command
      pen.draw(next, numbers.slice(at, at + size))
    }
  }
  return pen.contours.filter(({ length }) => length > 2)
}

/** How many numbers each command takes. */
const sizes: Readonly<Record<string, number>> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }

/** Parses the numbers of a command. The flags of an arc may be followed by a number without a space. */
function numbersOf(text: string, arc: boolean): number[] {
  const numbers: number[] = []
  const number = /\s*,?\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/iy
  const flag = /\s*,?\s*([01])/y
  for (let at = 0; at < text.length; ) {
    const isFlag = arc && (numbers.length % 7 === 3 || numbers.length % 7 === 4)
    const form = isFlag ? flag : number
    form.lastIndex = at
    const found = form.exec(text)
    if (!found) break
    numbers.push(Number(found[1]))
    at = form.lastIndex
  }
  return numbers
}

class Pen {
  readonly contours: Point[][] = []
  private at: Point = [0, 0]
  private start: Point = [0, 0]
  /** The last control point. Smooth curves use it. */
  private control: Point | undefined

  close(): void {
    this.at = this.start
    this.control = undefined
  }

  draw(command: string, numbers: readonly number[]): void {
    const kind = command.toLowerCase()
    const [fromX, fromY] = command === kind ? this.at : [0, 0]
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = numbers
    const point = (x: number, y: number): Point => [fromX + x, fromY + y]
    const mirrored: Point = this.control
      ? [2 * this.at[0] - this.control[0], 2 * this.at[1] - this.control[1]]
      : this.at
    if (kind === 'm') this.move(point(a, b))
    else if (kind === 'l') this.line(point(a, b))
    else if (kind === 'h') this.line([fromX + a, this.at[1]])
    else if (kind === 'v') this.line([this.at[0], fromY + a])
    else if (kind === 'c') this.cubic(point(a, b), point(c, d), point(e, f))
    else if (kind === 's') this.cubic(mirrored, point(a, b), point(c, d))
    else if (kind === 'q') this.quadratic(point(a, b), point(c, d))
    else if (kind === 't') this.quadratic(mirrored, point(a, b))
    else this.arc({ rx: Math.abs(a), ry: Math.abs(b), turn: c, large: d === 1, sweep: e === 1 }, point(f, g))
  }

  private move(to: Point): void {
    this.contours.push([to])
    this.at = to
    this.start = to
    this.control = undefined
  }

  private line(to: Point): void {
    // After a closed outline, the next outline may start without a move.
    if (this.at === this.start && this.contours.at(-1)?.length !== 1) this.contours.push([this.at])
    this.contours.at(-1)?.push(to)
    this.at = to
    this.control = undefined
  }

  private cubic(first: Point, second: Point, to: Point): void {
    const from = this.at
    const steps = stepsFor(from, first, second, to)
    for (let step = 1; step <= steps; step++) {
      const t = step / steps
      const s = 1 - t
      const along = (axis: 0 | 1): number =>
        s * s * s * from[axis] +
        3 * s * s * t * first[axis] +
        3 * s * t * t * second[axis] +
        t * t * t * to[axis]
      this.line([along(0), along(1)])
    }
    this.control = second
  }

  private quadratic(middle: Point, to: Point): void {
    const toward = (end: Point): Point => [
      end[0] + ((middle[0] - end[0]) * 2) / 3,
      end[1] + ((middle[1] - end[1]) * 2) / 3,
    ]
    this.cubic(toward(this.at), toward(to), to)
    this.control = middle
  }

  /** Converts an arc from end points to a centre, as in the appendix of the SVG specification. */
  private arc(form: Arc, to: Point): void {
    const from = this.at
    const { turn, large, sweep } = form
    const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)]
    const [dx, dy] = [(from[0] - to[0]) / 2, (from[1] - to[1]) / 2]
    const [x, y] = [cos * dx + sin * dy, cos * dy - sin * dx]
    if (form.rx === 0 || form.ry === 0 || (dx === 0 && dy === 0)) {
      this.line(to)
      return
    }
    const grow = Math.sqrt(Math.max(1, square(x / form.rx) + square(y / form.ry)))
    const [rx, ry] = [form.rx * grow, form.ry * grow]
    const [xx, yy] = [rx * rx * y * y, ry * ry * x * x]
    const root = Math.sqrt(Math.max(0, (rx * rx * ry * ry - xx - yy) / (xx + yy)))
    const side = large === sweep ? -root : root
    const [cx, cy] = [(side * rx * y) / ry, (-side * ry * x) / rx]
    const start = Math.atan2((y - cy) / ry, (x - cx) / rx)
    let sweepBy = Math.atan2((-y - cy) / ry, (-x - cx) / rx) - start
    if (sweep && sweepBy < 0) sweepBy += 2 * Math.PI
    if (!sweep && sweepBy > 0) sweepBy -= 2 * Math.PI
    const steps = Math.max(
      2,
      Math.ceil((Math.abs(sweepBy) / Math.PI) * (6 + 4 * Math.sqrt(Math.max(rx, ry)))),
    )
    for (let step = 1; step < steps; step++) {
      const angle = start + (sweepBy * step) / steps
      const [u, v] = [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)]
      const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2] as const
      this.line([rounded(cos * u - sin * v + middle[0]), rounded(sin * u + cos * v + middle[1])])
    }
    this.line(to)
  }
}

interface Arc {
  readonly rx: number
  readonly ry: number
  /** The rotation in degrees. */
  readonly turn: number
  readonly large: boolean
  readonly sweep: boolean
}

/** Rounds a number, because the last digits of sines differ between JavaScript engines. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** Returns the number of steps for a curve: 3 to 16 in a drawing of 32 units, and more for longer curves. */
function stepsFor(...points: readonly Point[]): number {
  let length = 0
  for (const [i, [x, y]] of points.entries()) {
    const [px, py] = points[i - 1] ?? [x, y]
    length += Math.sqrt(square(x - px) + square(y - py))
  }
  return Math.min(16, Math.max(3, Math.ceil(Math.sqrt(length) * 4)))
}
