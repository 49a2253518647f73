import { wave } from '../ramp.js'
import { boxOf, type Form, near, type Point } from './form.js'

/** Several forms as one; `soft` is how far they flow into each other. */
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

/** A form without what lies in another. */
export function cut(form: Form, hole: Form): Form {
  return {
    at: (x, y) => Math.max(form.at(x, y), -hole.at(x, y)),
    box: form.box,
    near: (x, y, reach) => cut(near(form, [x, y], reach), near(hole, [x, y], reach)),
  }
}

/** Only what lies in both forms. */
export function within(form: Form, outer: Form): Form {
  return {
    at: (x, y) => Math.max(form.at(x, y), outer.at(x, y)),
    box: form.box,
    near: (x, y, reach) => within(near(form, [x, y], reach), near(outer, [x, y], reach)),
  }
}

/** A form moved so that what was at [0, 0] is at `to`, and turned there counter-clockwise (in full turns). */
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
