import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import * as z from 'zod/v4'
import type { LoadedArtifact } from '../inputs/resolve-input.js'
import { fromBytes, readBytes } from '../inputs/stored-bytes.js'
import type { FittedImage } from './convert.js'
import { type Pixels, readPng } from './png.js'

/** The maximum number of pixels in a mask. Each pixel takes several bytes of memory while the mask is processed. */
const maxMaskPixels = 50_000_000

/** A mask with a value for each pixel: 0 to keep, 255 to change. */
interface Mask {
  readonly width: number
  readonly height: number
  readonly marked: Uint8Array
}

/** A mask, and whether transparent or light pixels mark its region. If no pixels do, `why` contains the reason. */
type MaskReading =
  | { readonly by: 'alpha' | 'white'; readonly mask: Mask }
  | { readonly by: 'nothing'; readonly why: string }

/** Reads a mask whose region is transparent, or light on dark. A colour image without transparency is not a mask. */
export function readMask({ width, height, rgba }: Pixels): MaskReading {
  const marked = new Uint8Array(width * height)
  let [seen, colored, lightest] = [255, 0, 0]
  for (let i = 0, at = 0; i < marked.length; i++, at += 4) {
    const [r, g, b] = [rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0]
    seen = Math.min(seen, rgba[at + 3] ?? 255)
    if (Math.max(r, g, b) - Math.min(r, g, b) > 48) colored++
    lightest = Math.max(lightest, g)
    marked[i] = g
  }
  if (seen < 255) {
    for (let i = 0; i < marked.length; i++) marked[i] = 255 - (rgba[i * 4 + 3] ?? 255)
    return { by: 'alpha', mask: { width, height, marked } }
  }
  if (colored > marked.length / 50) return { by: 'nothing', why: 'is a colour image without transparency' }
  if (lightest < 128) return { by: 'nothing', why: 'is all black, without transparency' }
  return { by: 'white', mask: { width, height, marked } }
}

/** Encodes a mask as a PNG. Marked pixels are transparent or white, and all others are black. */
export async function toMaskPng({ width, height, marked }: Mask, by: 'alpha' | 'white'): Promise<Uint8Array> {
  const { encode } = await import('fast-png')
  if (by === 'white') return encode({ width, height, depth: 8, channels: 1, data: marked })
  const data = new Uint8Array(width * height * 4)
  for (let i = 0; i < marked.length; i++) data[i * 4 + 3] = 255 - (marked[i] ?? 0)
  return encode({ width, height, depth: 8, channels: 4, data })
}

/** Scales a mask to the size of a scaled image, by nearest neighbour. */
export function scaleMask(mask: Mask, { width, height }: Omit<Mask, 'marked'>): Mask {
  const marked = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const row = Math.floor(((y + 0.5) * mask.height) / height) * mask.width
    for (let x = 0; x < width; x++)
      marked[y * width + x] = mask.marked[row + Math.floor(((x + 0.5) * mask.width) / width)] ?? 0
  }
  return { width, height, marked }
}

/**
 * A number from the model. `z.number()` would reject NaN and Infinity with its own error, but the error of
 * `maskFromRegion` also states the image's size.
 */
const coordinate = z.any().meta({ type: 'number' }) as unknown as z.ZodType<number, number>

const area = z.object({ x: coordinate, y: coordinate, width: coordinate, height: coordinate })

/** The parameter for a region that is given as numbers, for models that cannot draw a mask. */
export const region = z
  .object({
    boxes: z.array(area).max(50, 'at most 50 boxes'),
    ellipse: z.boolean().describe('Use ellipses instead of boxes').optional(),
  })
  .refine(
    ({ boxes }) => boxes.flatMap(numbersOf).every((value) => typeof value === 'number'),
    'x, y, width and height must be numbers, in pixels or as fractions from 0 to 1',
  )
  .describe('Region to edit without a mask, in pixels or as fractions from 0 to 1')

export type Region = z.infer<typeof region>
type Area = z.infer<typeof area>

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * Creates the mask for a region of boxes, or of ellipses that fill them.
 * @throws CapstanError `invalid_arguments` if there is no box, if a box is not in the image or covers no pixel, or if
 * the image is too large for a mask. The message states the image's size
 */
export function maskFromRegion({ boxes, ellipse }: Region, { width, height }: Size): Mask {
  const size = { width, height }
  if (width * height > maxMaskPixels) {
    const message = `"region" needs an image of at most ${maxMaskPixels / 1e6} megapixels. Use a smaller image.`
    throw new CapstanError('invalid_arguments', message, { evidence: { field: 'region', ...size } })
  }
  if (boxes.length === 0) throw invalidRegion('marks nothing', size)
  const marked = new Uint8Array(width * height)
  for (const [at, box] of boxes.entries()) {
    const problem = problemOf(box, size) ?? markArea(marked, toPixels(box, size), { size, isRound: ellipse })
    if (problem !== undefined) throw invalidRegion(`box ${at + 1} ${problem}`, size)
  }
  return { ...size, marked }
}

function invalidRegion(why: string, { width, height }: Size): CapstanError {
  const message = `"region" ${why}. The image is ${width}x${height} pixels. Use boxes inside it.`
  return new CapstanError('invalid_arguments', message, { evidence: { field: 'region', width, height } })
}

/**
 * Returns the problem with a box. Undefined if there is none. Boxes are not clipped, because the model would not know
 * which part was changed.
 */
function problemOf(box: Area, size: Size): string | undefined {
  if (!numbersOf(box).every(Number.isFinite)) return 'has a number that is not finite'
  if (box.x < 0 || box.y < 0) return 'starts at a negative position'
  if (box.width < 0 || box.height < 0) return 'has a negative width or height'
  if (box.width === 0 || box.height === 0) return 'is empty'
  const { x, y, width, height } = toPixels(box, size)
  if (x >= size.width || y >= size.height) return 'is outside the image'
  // A sum of rounded numbers may exceed the side by a fraction of a pixel.
  return x + width >= size.width + 1 || y + height >= size.height + 1
    ? 'reaches outside the image'
    : undefined
}

function numbersOf({ x, y, width, height }: Area): readonly number[] {
  return [x, y, width, height]
}

/**
 * Converts an area to pixels. If no number is above 1, the numbers are fractions of the image, because a region of a
 * single pixel would be useless.
 */
function toPixels({ x, y, width, height }: Area, size: Size): Area {
  if (Math.max(x, y, width, height) > 1) return { x, y, width, height }
  return { x: x * size.width, y: y * size.height, width: width * size.width, height: height * size.height }
}

interface MarkOptions {
  readonly size: Size
  /** Whether to mark an ellipse instead of a box. */
  readonly isRound: boolean | undefined
}

/** Marks the pixels whose centres are in an area. If there are none, returns the problem. */
function markArea(marked: Uint8Array, area: Area, { size, isRound }: MarkOptions): string | undefined {
  const [left, right] = [Math.round(area.x), Math.min(size.width, Math.round(area.x + area.width))]
  const [top, bottom] = [Math.round(area.y), Math.min(size.height, Math.round(area.y + area.height))]
  let count = 0
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      if (isRound && !isInEllipse(x, y, area)) continue
      marked[y * size.width + x] = 255
      count += 1
    }
  }
  return count === 0 ? 'covers no pixel' : undefined
}

function isInEllipse(x: number, y: number, area: Area): boolean {
  const [across, down] = [(x + 0.5 - area.x) / area.width - 0.5, (y + 0.5 - area.y) / area.height - 0.5]
  return across ** 2 + down ** 2 <= 0.25
}

export interface MaskOptions {
  /** The image that the mask is for. */
  readonly image: FittedImage
  /** How the server expects the region to be marked. */
  readonly by: 'alpha' | 'white'
  readonly store: ArtifactStore
}

interface FittedMask {
  readonly sent: LoadedArtifact
  /** A description of the conversion, for the caller. */
  readonly note?: string
}

/**
 * Returns a mask that the server accepts: the given mask, or one that was converted between transparent and white
 * marks.
 * @throws CapstanError `invalid_arguments` if the mask and the image differ in size, or if the mask is damaged, is too
 * large or marks nothing
 */
export async function fitMask(mask: FittedImage, { image, by, store }: MaskOptions): Promise<FittedMask> {
  const { artifact, width, height } = mask
  const { originalSize } = image
  if (width !== originalSize.width || height !== originalSize.height)
    throw invalidMask(
      mask,
      `is ${width}x${height} pixels, but the image is ${originalSize.width}x${originalSize.height}. Use a mask of the same size`,
    )
  if (width * height > maxMaskPixels)
    throw invalidMask(mask, `has more than ${maxMaskPixels / 1e6} megapixels. Use a smaller one`)
  const pixels = await readPng(await readBytes(mask), { width, height })
  if (!pixels)
    throw invalidMask(mask, 'cannot be unpacked. It is damaged, or larger than its header declares')
  const read = readMask(pixels)
  if (read.by === 'nothing')
    throw invalidMask(
      mask,
      `${read.why}. Make the region to change transparent, or white in a black image of ${width}x${height} pixels`,
    )
  const isScaled = width !== image.width || height !== image.height
  if (read.by === by && !isScaled) return { sent: mask }
  const fit = isScaled ? scaleMask(read.mask, image) : read.mask
  const sent = await storeMask(fit, { by, store, parents: [artifact.id] })
  const marks = { alpha: 'transparent', white: 'white' }
  return {
    sent,
    note: `The ${marks[read.by]} part of the mask ${artifact.id} was used as the region to change.`,
  }
}

/** Stores a mask as a PNG artifact. */
export async function storeMask(
  mask: Mask,
  { by, store, parents }: Pick<MaskOptions, 'by' | 'store'> & { readonly parents: readonly string[] },
): Promise<LoadedArtifact & { readonly artifact: Artifact<'image'> }> {
  const bytes = await toMaskPng(mask, by)
  const { width, height } = mask
  const artifact = await store.put(bytes, { kind: 'image', mediaType: 'image/png', width, height, parents })
  return { artifact, ...fromBytes(bytes) }
}

function invalidMask({ artifact: { id } }: LoadedArtifact, why: string): CapstanError {
  return new CapstanError('invalid_arguments', `The mask ${id} ${why}.`, { evidence: { field: 'mask', id } })
}
