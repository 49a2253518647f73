import { CapstanError } from '@capstan/core'
import * as z from 'zod/v4'
import { type Mask, mostMaskPixels } from './mask.js'

const area = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })

/** A region in numbers, for models that cannot draw a mask. */
export const region = z
  .object({
    boxes: z.array(area).max(50, 'at most 50 boxes'),
    ellipse: z.boolean().describe('Ellipses in place of boxes').optional(),
  })
  .describe('What to change, when there is no mask: in pixels, or in parts of width and height from 0 to 1')

export type Region = z.infer<typeof region>
type Area = z.infer<typeof area>

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * The mask that a region of an image means: boxes, or the ellipses that fill them.
 * @throws CapstanError `invalid_arguments` when it marks nothing of the image, or the image is too large for a mask
 */
export function regionMask({ boxes, ellipse }: Region, size: Size): Mask {
  if (size.width * size.height > mostMaskPixels) {
    const message = `"region" needs an image of at most ${mostMaskPixels / 1e6} megapixels: give a smaller one.`
    throw new CapstanError('invalid_arguments', message, { evidence: { field: 'region' } })
  }
  const marked = new Uint8Array(size.width * size.height)
  for (const box of boxes) mark(marked, toPixels(box, size), { size, isRound: ellipse ?? false })
  if (marked.includes(255)) return { ...size, marked }
  const message = `"region" marks nothing of the image, which is ${size.width}x${size.height} pixels: give a box that lies in it.`
  throw new CapstanError('invalid_arguments', message, { evidence: { field: 'region' } })
}

/** Numbers up to 1 are parts of the image: nobody means a single pixel. */
function toPixels({ x, y, width, height }: Area, size: Size): Area {
  if (Math.max(x, y, width, height) > 1) return { x, y, width, height }
  return { x: x * size.width, y: y * size.height, width: width * size.width, height: height * size.height }
}

interface Marking {
  readonly size: Size
  /** Whether the corners of the area are left out. */
  readonly isRound: boolean
}

/** Marks the pixels whose middles lie in an area, as far as it is in the image. */
function mark(marked: Uint8Array, area: Area, { size, isRound }: Marking): void {
  const [left, right] = [
    Math.max(0, Math.round(area.x)),
    Math.min(size.width, Math.round(area.x + area.width)),
  ]
  const [top, bottom] = [
    Math.max(0, Math.round(area.y)),
    Math.min(size.height, Math.round(area.y + area.height)),
  ]
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++)
      if (!isRound || isInEllipse(x, y, area)) marked[y * size.width + x] = 255
}

function isInEllipse(x: number, y: number, area: Area): boolean {
  const [across, down] = [(x + 0.5 - area.x) / area.width - 0.5, (y + 0.5 - area.y) / area.height - 0.5]
  return across ** 2 + down ** 2 <= 0.25
}
