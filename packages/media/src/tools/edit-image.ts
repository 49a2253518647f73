import { type Artifact, CapstanError, tool } from '@capstan/core'
import * as z from 'zod/v4'
import type { ImageLimits } from '../client/dialect.js'
import { toUpload } from '../client/request.js'
import { readImages } from '../client/responses.js'
import { toMediaService } from '../client/service.js'
import { type Fit, openImage } from '../images/convert.js'
import { fitMask, type Masking, type Region, region, regionMask, storeMask } from '../images/mask.js'
import { sourcesOf } from '../inputs/allow.js'
import { withInputs } from '../inputs/program-input.js'
import type { Loaded } from '../inputs/resolve-input.js'
import type { MediaOptions } from '../options.js'
import { imageId, sizeOf } from './parameters.js'

/** What an edit comes to. */
export interface EditResult {
  readonly images: Artifact<'image'>[]
  /** The mask that was made of a region, to be used again. */
  readonly mask?: Artifact<'image'>
  /** How a mask was understood that was not in the server's form. */
  readonly note?: string
}

/**
 * The tool `edit_image`: changes an image by words, inside the mask or region where one is given, resolves to
 * `{ images }`. @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function editImage(options: MediaOptions = {}) {
  const { models, ask, storeOf, dialect } = toMediaService(options)
  const { allow, convert, sizes } = options
  const sources = sourcesOf(allow)
  const edit = tool({
    name: 'edit_image',
    description: 'Edit an image: the masked region, or the whole, is changed according to the prompt.',
    parameters: z.object({
      image: imageId.describe(`${sources} of the image to edit`),
      mask: imageId
        .describe(`${sources} of a mask, as large as the image; it marks the region to change`)
        .optional(),
      prompt: z.string().min(1).describe('What to change'),
      size: sizeOf(sizes?.[models.edit]).optional(),
      region: region.optional(),
    }),
    effects: 'read',
    show: options.show ?? false,
    async execute(args, ctx): Promise<EditResult> {
      const { prompt, size, region } = args
      const { takes, mask: by } = dialect()
      const store = storeOf(ctx)
      const opening = { store, allow, convert, signal: ctx.signal }
      await using image = await openImage(args.image, { ...opening, field: 'image', limits: takes })
      await using mask =
        args.mask === undefined
          ? undefined
          : await openImage(args.mask, { ...opening, field: 'mask', limits: maskLimits })
      const { sent, ...told } = await toCover({ mask, region }, { image, by, store })
      const body = { model: models.edit, image: toUpload(image), mask: sent && toUpload(sent), prompt, size }
      const parents = [image, ...(sent ? [sent] : [])].map(({ artifact }) => artifact.id)
      const spends = { images: 1, model: models.edit }
      const images = await ask(ctx, { endpoint: '/images/edits', body, spends, parents, read: readImages })
      return { images, ...told }
    },
  })
  return withInputs(edit, { ...options, kinds: { image: 'image', mask: 'image' } })
}

/** Transparency needs a type that has it, and one that can be read here. */
const maskLimits: ImageLimits = { types: ['image/png'] }

interface Cover extends Omit<EditResult, 'images'> {
  readonly sent?: Loaded
}

interface Marks {
  readonly mask: Fit | undefined
  readonly region: Region | undefined
}

/** What marks the region to change, and what there is to tell of it. */
async function toCover({ mask, region }: Marks, covering: Masking): Promise<Cover> {
  const { image, by, store } = covering
  if (!region) return mask ? fitMask(mask, covering) : {}
  if (mask) throw new CapstanError('invalid_arguments', 'Give a mask or a region, not both.')
  const sent = await storeMask(regionMask(region, image), { by, store, parents: [image.artifact.id] })
  return { sent, mask: sent.artifact }
}
