import type { Area } from '../canvas.js'
import type { Scene } from './scene.js'
import type { Stand } from './stand.js'

/** How many pixels of things, sun or moon are covered by others, or how far they are cut off by the edge. */
export function hiddenIn(stands: readonly Stand[], { lamp, width }: Scene): number {
  const areas = stands.map((stand) => ({ ...areaOf(stand), group: stand.group }))
  if (lamp) areas.push({ ...square(lamp.x, lamp.y, lamp.size / 2), group: -1 })
  let hidden = 0
  for (const [i, a] of areas.entries()) {
    hidden += Math.max(0, -a.left) + Math.max(0, a.right - width) + Math.max(0, -a.top)
    for (const b of areas.slice(i + 1)) {
      if (a.group === b.group) continue
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      if (wide > 0 && high > 0) hidden += wide * high
    }
  }
  return hidden
}

function areaOf({ noun, x, y, height }: Stand): Area {
  // A little air around each, so that no two touch.
  const half = height * noun.width * 0.52
  return { left: x - half, right: x + half, top: y - height, bottom: y }
}

function square(x: number, y: number, half: number): Area {
  return { left: x - half, right: x + half, top: y - half, bottom: y + half }
}
