import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import * as z from 'zod/v4'
import type { Loaded } from '../inputs/resolve-input.js'
import { bytesOf, holdBytes } from '../inputs/stored-bytes.js'
import type { Fit } from './convert.js'
import { type Pixels, readPng } from './png.js'

/** The most pixels of a mask that is read or made: each takes several bytes on the way. */
const mostMaskPixels = 50_000_000

/** How much of each pixel is marked: 0 for kept, 255 for changed. */
interface Mask {
  readonly width: number
  readonly height: number
  readonly marked: Uint8Array
}

/** What a mask marks, and by what: its transparent pixels, or where it has none its light ones. */
type MaskReading =
  | { readonly by: 'alpha' | 'white'; readonly mask: Mask }
  | { readonly by: 'nothing'; readonly why: string }

/** Reads a mask as servers and people make them; a coloured picture is none. */
export function toMask({ width, height, rgba }: Pixels): MaskReading {
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
  if (colored > marked.length / 50)
    return { by: 'nothing', why: 'is a coloured picture without transparency' }
  if (lightest < 128) return { by: 'nothing', why: 'is black all over, without transparency' }
  return { by: 'white', mask: { width, height, marked } }
}

/** A mask as a PNG: its marked pixels transparent in a black one, or white in a black one. */
export async function toMaskPng({ width, height, marked }: Mask, by: 'alpha' | 'white'): Promise<Uint8Array> {
  const { encode } = await import('fast-png')
  if (by === 'white') return encode({ width, height, depth: 8, channels: 1, data: marked })
  const data = new Uint8Array(width * height * 4)
  for (let i = 0; i < marked.length; i++) data[i * 4 + 3] = 255 - (marked[i] ?? 0)
  return encode({ width, height, depth: 8, channels: 4, data })
}

/** The mask for an image that was scaled: each pixel as the nearest one was. */
export function scaleMask(mask: Mask, { width, height }: Omit<Mask, 'marked'>): Mask {
  const marked = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const row = Math.floor(((y + 0.5) * mask.height) / height) * mask.width
    for (let x = 0; x < width; x++)
      marked[y * width + x] = mask.marked[row + Math.floor(((x + 0.5) * mask.width) / width)] ?? 0
  }
  return { width, height, marked }
}

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

export interface Masking {
  /** The image as the server gets it. */
  readonly image: Fit
  /** How the server wants its masks. */
  readonly by: 'alpha' | 'white'
  readonly store: ArtifactStore
}

interface FitMask {
  readonly sent: Loaded
  /** What was made of the mask, for whoever gave it. */
  readonly note?: string
}

/**
 * A mask as the server takes it: as it is, or made anew from its white pixels.
 * @throws CapstanError `invalid_arguments` for one of another size, a damaged one, or one that marks nothing
 */
export async function fitMask(mask: Fit, { image, by, store }: Masking): Promise<FitMask> {
  const { artifact, width, height } = mask
  const { given } = image
  if (width !== given.width || height !== given.height)
    throw invalid(
      mask,
      `is ${width}x${height} pixels, the image ${given.width}x${given.height}: give a mask of the image's own width and height`,
    )
  if (width * height > mostMaskPixels) throw invalid(mask, `has more than ${mostMaskPixels / 1e6} megapixels`)
  const pixels = await readPng(await bytesOf(mask), { width, height })
  if (!pixels) throw invalid(mask, 'cannot be unpacked: it is damaged, or larger than its header says')
  const read = toMask(pixels)
  if (read.by === 'nothing')
    throw invalid(mask, `${read.why}: make what is to change transparent, or white in a black picture`)
  const isScaled = width !== image.width || height !== image.height
  if (read.by === by && !isScaled) return { sent: mask }
  const fit = isScaled ? scaleMask(read.mask, image) : read.mask
  const sent = await storeMask(fit, { by, store, parents: [artifact.id] })
  const marks = { alpha: 'transparent', white: 'white' }
  return { sent, note: `The ${marks[read.by]} part of the mask ${artifact.id} was taken as what to change.` }
}

/** A mask as an artifact. */
export async function storeMask(
  mask: Mask,
  { by, store, parents }: Pick<Masking, 'by' | 'store'> & { readonly parents: readonly string[] },
): Promise<Loaded & { readonly artifact: Artifact<'image'> }> {
  const bytes = await toMaskPng(mask, by)
  const { width, height } = mask
  const artifact = await store.put(bytes, { kind: 'image', mediaType: 'image/png', width, height, parents })
  return { artifact, ...holdBytes(bytes) }
}

function invalid({ artifact: { id } }: Loaded, why: string): CapstanError {
  return new CapstanError('invalid_arguments', `The mask ${id} ${why}.`, { evidence: { field: 'mask', id } })
}
