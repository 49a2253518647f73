/** A place in a noun's own space: its feet stand on y = 0, y grows upward, and 1 is its height. */
export type Point = readonly [x: number, y: number]

/** A rectangle: left, bottom, right, top. */
export type Box = readonly [number, number, number, number]

/** An outline, as the distance to its edge: negative inside. */
export interface Form {
  at(x: number, y: number): number
  /** Holds the whole form. */
  readonly box: Box
  /** A form that is the same within `reach` of a point, and quicker where only a piece matters. */
  near?(x: number, y: number, reach: number): Form
}

/** The piece of a form that matters within `reach` of a point. */
export function near(form: Form, [x, y]: Point, reach: number): Form {
  return form.near?.(x, y, reach) ?? form
}

/** The rectangle around some points, grown by a margin. */
export function boxOf(points: readonly Point[], margin = 0): Box {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  return [
    Math.min(...xs) - margin,
    Math.min(...ys) - margin,
    Math.max(...xs) + margin,
    Math.max(...ys) + margin,
  ]
}
