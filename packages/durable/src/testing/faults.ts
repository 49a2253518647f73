import type { FaultPoint } from './host-under-test.js'

/** A point, and which one it is of those that are called the same: steps of runs within a run may have one key. */
export interface Place extends FaultPoint {
  readonly nth: number
}

/** Which workers of one run die where. */
export class Faults {
  /** Where workers came by, in their order. */
  readonly passed: Place[] = []
  deaths = 0
  readonly #planned: { readonly place: Place; left: number }[]
  readonly #seen = new Map<string, number>()
  readonly #watch: (point: FaultPoint) => void

  /** At each of the places a worker dies so many times. */
  constructor(places: readonly Place[], times: number, watch: (point: FaultPoint) => void) {
    this.#planned = places.map((place) => ({ place, left: times }))
    this.#watch = watch
  }

  /** Places at which not as many workers died as were to. */
  get missed(): readonly Place[] {
    return this.#planned.filter(({ left }) => left > 0).map(({ place }) => place)
  }

  readonly dies = ({ key, when }: FaultPoint): boolean => {
    const name = `${when} ${key}`
    const nth = this.#seen.get(name) ?? 0
    this.#seen.set(name, nth + 1)
    this.passed.push({ key, when, nth })
    this.#watch({ key, when })
    const due = this.#planned.find(
      ({ place, left }) => left > 0 && place.key === key && place.when === when && nth >= place.nth,
    )
    if (!due) return false
    due.left--
    this.deaths++
    return true
  }
}

export function toText({ key, when, nth }: Place): string {
  return `${when} ${key}${nth === 0 ? '' : ` (#${nth + 1})`}`
}
