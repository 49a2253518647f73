import type { Area, Canvas } from '../canvas.js'
import { seededRandom } from '../random.js'
import { copyBack } from './copy-back.js'
import { type Level, type Raster, toLevel } from './level.js'
import { improveMatches, repaintHole } from './patch-match.js'
import type { Region } from './region.js'
import { shrink } from './shrink.js'
import { startLevel } from './start-level.js'

/** The longest side, in pixels, at which a hole is worked out; larger surroundings are shrunk first. */
const workingSide = 224

/**
 * Fills a region with pieces of what lies around it, and gives back whether it could: there must be enough
 * around it to take pieces from. Pixels outside the region stay as they were.
 */
export function fillRegion(canvas: Canvas, region: Region, seed: number): boolean {
  const crop = around(region)
  const scale = Math.max(1, Math.ceil(Math.max(crop.right - crop.left, crop.bottom - crop.top) / workingSide))
  const levels = toLevels(shrink({ ...canvas, image: canvas.data, hole: region.inside }, crop, scale))
  const random = seededRandom(seed)
  let done: Level | undefined
  for (const level of levels) {
    startLevel(level, done, random)
    // The smallest level begins with a guess of the background, which more passes would lose.
    for (let pass = 0; pass < (done ? 3 : 1); pass++) {
      improveMatches(level, random)
      repaintHole(level)
    }
    done = level
  }
  if (done) copyBack(canvas, region, { level: done, crop, scale })
  return done !== undefined
}

/** The region's rectangle with some of its surroundings. */
function around({ bounds, width, height }: Region): Area {
  const margin = Math.max(48, 0.75 * Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top))
  return {
    left: Math.max(0, Math.floor(bounds.left - margin)),
    top: Math.max(0, Math.floor(bounds.top - margin)),
    right: Math.min(width, Math.ceil(bounds.right + margin)),
    bottom: Math.min(height, Math.ceil(bounds.bottom + margin)),
  }
}

/** The raster at ever half the size while there is enough to take pieces from, smallest first. */
function toLevels(finest: Raster): Level[] {
  const levels: Level[] = []
  for (let raster = finest; Math.min(raster.width, raster.height) >= 14; ) {
    const level = toLevel(raster)
    if (level.sources.length < 20) break
    levels.unshift(level)
    raster = shrink(raster, { left: 0, top: 0, right: raster.width, bottom: raster.height }, 2)
  }
  return levels
}
