import type { Area } from '../canvas.js'
import type { Raster } from './level.js'

/** An area of a raster at 1/scale of its size: pixels are means of known ones, missing where most are. */
export function shrink(raster: Raster, area: Area, scale: number): Raster {
  const width = Math.ceil((area.right - area.left) / scale)
  const height = Math.ceil((area.bottom - area.top) / scale)
  const image = new Float32Array(width * height * 3)
  const known = new Float32Array(width * height)
  const total = new Float32Array(width * height)
  for (let y = area.top; y < area.bottom; y++) {
    for (let x = area.left; x < area.right; x++) {
      const to = Math.floor((y - area.top) / scale) * width + Math.floor((x - area.left) / scale)
      const from = y * raster.width + x
      total[to] = (total[to] ?? 0) + 1
      if (raster.hole[from]) continue
      known[to] = (known[to] ?? 0) + 1
      for (let c = 0; c < 3; c++)
        image[to * 3 + c] = (image[to * 3 + c] ?? 0) + (raster.image[from * 3 + c] ?? 0)
    }
  }
  for (let i = 0; i < image.length; i++)
    image[i] = (image[i] ?? 0) / Math.max(1, known[Math.floor(i / 3)] ?? 1)
  const hole = Uint8Array.from(known, (count, i) => (count * 2 < (total[i] ?? 0) ? 1 : 0))
  return { width, height, image, hole }
}
