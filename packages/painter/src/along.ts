type Point = readonly [x: number, y: number]

/** Part of the way from the second to the third point, on a curve bent by the outer two (Catmull and Rom). */
export function along(four: readonly [Point, Point, Point, Point], axis: 0 | 1, t: number): number {
  const [a, b, c, d] = [four[0][axis], four[1][axis], four[2][axis], four[3][axis]]
  const cubic = 3 * (b - c) + d - a
  const square = 2 * a - 5 * b + 4 * c - d
  return b + (t / 2) * (c - a + t * (square + t * cubic))
}
