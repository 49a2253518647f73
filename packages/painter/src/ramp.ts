/** Clamps `value` between 0 and 1. */
export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/**
 * Returns 0 at `from`, 1 at `to`, and a smoothly increasing value in between. If `from` is above `to`, the ramp falls.
 */
export function ramp(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from))
  return t * t * (3 - 2 * t)
}

/** Returns the square of a number. `**` may be rounded differently on different machines. */
export function square(value: number): number {
  return value * value
}

/** Returns the sine of a number of full turns, with an error below 0.1 percent. */
export function wave(turns: number): number {
  // Uses plain arithmetic. The last bit of `Math.sin` may differ between machines, and so would the images.
  const x = turns - Math.floor(turns + 0.5)
  const y = 8 * x - 16 * x * Math.abs(x)
  return 0.225 * (y * Math.abs(y) - y) + y
}

type Point = readonly [x: number, y: number]

/** Interpolates between the second and the third point on a curve through all four points (Catmull and Rom). */
export function along(four: readonly [Point, Point, Point, Point], axis: 0 | 1, t: number): number {
  const [a, b, c, d] = [four[0][axis], four[1][axis], four[2][axis], four[3][axis]]
  const cubic = 3 * (b - c) + d - a
  const square = 2 * a - 5 * b + 4 * c - d
  return b + (t / 2) * (c - a + t * (square + t * cubic))
}
