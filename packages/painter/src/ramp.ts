/** Clamps `value` between 0 and 1. */
export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/** Returns 0 at `from`, 1 at `to`, and an eased value in between. If `from` is above `to`, the ramp falls. */
export function ramp(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from))
  return t * t * (3 - 2 * t)
}

/** The square of a number. Libraries may round `**` differently. */
export function square(value: number): number {
  return value * value
}

/** The sine of a number of full turns, to 0.1 percent. */
export function wave(turns: number): number {
  // Plain arithmetic: the last bit of Math.sin may differ between machines, and so would the images.
  const x = turns - Math.floor(turns + 0.5)
  const y = 8 * x - 16 * x * Math.abs(x)
  return 0.225 * (y * Math.abs(y) - y) + y
}

type Point = readonly [x: number, y: number]

/** Interpolates between the second and the third point on a curve through all four (Catmull and Rom). */
export function along(four: readonly [Point, Point, Point, Point], axis: 0 | 1, t: number): number {
  const [a, b, c, d] = [four[0][axis], four[1][axis], four[2][axis], four[3][axis]]
  const cubic = 3 * (b - c) + d - a
  const square = 2 * a - 5 * b + 4 * c - d
  return b + (t / 2) * (c - a + t * (square + t * cubic))
}
