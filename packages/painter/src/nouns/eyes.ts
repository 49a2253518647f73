import { oval } from './outline.js'
import { type Part, part } from './part.js'

export const ink = '#2b2530'

/** Dark eyes with a light in each. */
export function eyes(xs: readonly number[], y: number, size: number): Part[] {
  return xs.flatMap((x) => [
    part(ink, oval([x, y], [size, size * 1.15]), { bulge: 0 }),
    part('#ffffff', oval([x - size * 0.3, y + size * 0.45], size * 0.36), { bulge: 0 }),
  ])
}
