import type { Area } from '../canvas.js'
import type { Picture } from '../picture.js'

/** The pixels of an image to repaint. */
export interface Region {
  readonly width: number
  readonly height: number
  /** 1 for a pixel inside, 0 for a pixel outside. */
  readonly inside: Uint8Array
  /** The rectangle around the pixels inside. Empty if there are none. */
  readonly bounds: Area
  /** The number of pixels inside. */
  readonly count: number
}

/** Converts a mask to a region: its transparent pixels or, if there is no transparency, its white ones. */
export function toRegion(mask: Picture): Region {
  const transparent = toTransparent(mask)
  return transparent.count > 0
    ? transparent
    : regionOf(mask, (r, g, b) => 299 * r + 587 * g + 114 * b >= 128_000)
}

/** Returns the transparent pixels of an image: those with an alpha below one half. */
export function toTransparent(picture: Picture): Region {
  return regionOf(picture, (_r, _g, _b, alpha) => alpha < 128)
}

function regionOf(
  picture: Picture,
  isMarked: (r: number, g: number, b: number, alpha: number) => boolean,
): Region {
  const { width, height, pixels } = picture
  const inside = new Uint8Array(width * height)
  const bounds = { left: width, top: height, right: 0, bottom: 0 }
  let count = 0
  for (let i = 0; i < inside.length; i++) {
    const at = i * 4
    if (!isMarked(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, pixels[at + 3] ?? 0)) continue
    const x = i % width
    const y = (i - x) / width
    inside[i] = 1
    count++
    bounds.left = Math.min(bounds.left, x)
    bounds.right = Math.max(bounds.right, x + 1)
    bounds.top = Math.min(bounds.top, y)
    bounds.bottom = Math.max(bounds.bottom, y + 1)
  }
  return { width, height, inside, bounds, count }
}

/**
 * Returns the distance from each pixel inside to the nearest one outside, in pixels. The area beyond the edge of the
 * image does not count as outside.
 */
export function depthOf({ width, height, inside }: Region): Float32Array {
  const depth = Float32Array.from(inside, (marked) => (marked ? Number.POSITIVE_INFINITY : 0))
  const relax = (i: number, neighbours: readonly (readonly [number, number, number])[], x: number): void => {
    for (const [dx, offset, step] of neighbours) {
      if (x + dx < 0 || x + dx >= width) continue
      const through = (depth[i + offset] ?? Number.POSITIVE_INFINITY) + step
      if (through < (depth[i] ?? 0)) depth[i] = through
    }
  }
  const before = [
    [-1, -1, 1],
    [0, -width, 1],
    [-1, -width - 1, 1.41],
    [1, -width + 1, 1.41],
  ] as const
  const after = before.map(([dx, offset, step]) => [-dx, -offset, step] as const)
  for (let i = 0; i < width * height; i++) relax(i, before, i % width)
  for (let i = width * height - 1; i >= 0; i--) relax(i, after, i % width)
  return depth
}
