import type { Noun, Part } from './part.js'

/** The upper side of a noun: its highest points from left to right, in the noun's own space. */
export interface Surface {
  /** The x of the first point, and the step from one to the next. */
  readonly left: number
  readonly step: number
  readonly tops: readonly number[]
}

/** A part of a surface to sit on. */
export interface Seat {
  /** Its middle. */
  readonly x: number
  readonly y: number
}

const samples = 48

/** The upper side of a noun as its parts draw it; glows, steam and beams do not count. */
export function surfaceOf({ width }: Noun, parts: readonly Part[]): Surface {
  const solid = parts.filter(({ alpha = 1, blur = 0, nocturnal }) => alpha > 0.7 && blur === 0 && !nocturnal)
  const step = width / samples
  const left = -width / 2 + step / 2
  const tops = Array.from({ length: samples }, (_, i) => topAt(solid, left + i * step))
  return { left, step, tops }
}

function topAt(parts: readonly Part[], x: number): number {
  let top = 0
  for (const { form, on } of parts) {
    const [left, bottom, right, highest] = form.box
    if (on || x < left || x > right) continue
    // Down in steps as long as the form is away: distances never say more than that.
    for (let y = highest; y > Math.max(top, bottom); ) {
      const distance = form.at(x, y)
      if (distance <= 0.002) top = Math.max(top, y)
      if (distance <= 0.002) break
      y -= Math.max(0.006, distance * 0.7)
    }
  }
  return top
}

interface Sitter {
  /** How wide it is, and how wide the part that it sits on. */
  readonly wide: number
  readonly foot: number
  /** The middles of those who sit there already. */
  readonly taken: readonly number[]
}

/** Where something sits best: high, level, near the middle, and beside those who sit there already. */
export function seatOn(surface: Surface, { wide, foot, taken }: Sitter): Seat {
  const reach = Math.max(1, Math.round(foot / surface.step / 2))
  let best: Seat = { x: 0, y: Math.max(...surface.tops) }
  let most = Number.NEGATIVE_INFINITY
  for (let i = Math.min(reach, samples >> 1); i < samples - Math.min(reach, (samples >> 1) - 1); i++) {
    const under = surface.tops.slice(Math.max(0, i - reach), i + reach + 1)
    const [low, high] = [Math.min(...under), Math.max(...under)]
    const x = surface.left + i * surface.step
    const crowded = taken.reduce((sum, other) => sum + Math.max(0, 1 - Math.abs(other - x) / wide), 0)
    const worth = low - 1.3 * (high - low) - 0.35 * Math.abs(x) - 4 * crowded
    if (worth > most) [best, most] = [{ x, y: low + (high - low) * 0.4 }, worth]
  }
  return best
}
