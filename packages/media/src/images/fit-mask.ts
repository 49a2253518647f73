import { type Artifact, type ArtifactStore, CapstanError } from '@capstan/core'
import { bytesOf, holdBytes } from '../inputs/held.js'
import type { Loaded } from '../load.js'
import type { Fit } from './fit-image.js'
import { type Mask, mostMaskPixels, scaleMask, toMask, toMaskPng } from './mask.js'
import { readPng } from './read-png.js'

export interface Masking {
  /** The image as the server gets it. */
  readonly image: Fit
  /** How the server wants its masks. */
  readonly by: 'alpha' | 'white'
  readonly store: ArtifactStore
}

export interface FitMask {
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
