import { type Artifact, CapstanError, tool } from '@capstan/core'
import * as z from 'zod/v4'
import type { ImageLimits } from '../client/dialect.js'
import { toUpload } from '../client/request.js'
import { readImages } from '../client/responses.js'
import { toMediaService } from '../client/service.js'
import { type FittedImage, loadImage } from '../images/convert.js'
import { fitMask, type MaskOptions, maskFromRegion, type Region, region, storeMask } from '../images/mask.js'
import { sourcesOf } from '../inputs/allow.js'
import { withInputs } from '../inputs/program-input.js'
import type { LoadedArtifact } from '../inputs/resolve-input.js'
import type { MediaOptions } from '../options.js'
import { fieldParameters, toImageFields } from '../request-fields.js'
import { withReadable } from './direct-call.js'
import { mediaFunction, withFields } from './media-function.js'
import { imageId, sizeOf } from './parameters.js'

export interface EditResult {
  /** The edited images. Their `parents` are the ids of the original image and of the mask that was sent. */
  readonly images: Artifact<'image'>[]
  /** How the mask was converted. Absent if it was sent unchanged. */
  readonly note?: string
}

/**
 * The tool `edit_image`: edits an image as the prompt describes. If a mask or region is given, only that part changes.
 * Resolves to `{ images }`. If you pass `image`, the tool is called immediately.
 * @throws CapstanError `invalid_request` immediately if `client.baseURL` is not an http(s) URL
 */
export const editImage = mediaFunction(
  ['image', 'mask', 'prompt', 'size', 'region', ...Object.keys(fieldParameters.edit)],
  createTool,
)

function createTool(options: MediaOptions) {
  const { models, fields, send, storeOf, dialect } = toMediaService(options)
  const { allow, convert, sizes } = options
  const sources = sourcesOf(allow)
  const own = {
    image: imageId.describe(`${sources} of the image to edit`),
    mask: imageId
      .describe(`${sources} of a mask as large as the image. It marks the region to change`)
      .optional(),
    prompt: z.string().min(1).describe('What to change'),
    size: sizeOf(sizes?.[models.edit]).optional(),
    region: region.optional(),
  }
  const offered = options.parameters?.edit
  const spends = { images: 1, model: models.edit }
  const edit = withFields({ own, fields: fieldParameters.edit, offered }, (parameters) =>
    tool({
      name: 'edit_image',
      description: 'Edit an image by prompt: the masked region, or all of it.',
      parameters,
      effects: 'read',
      spends: () => spends,
      show: options.show ?? false,
      background: options.background ?? false,
      async execute({ image: given, mask: marks, prompt, size, region, ...more }, ctx): Promise<EditResult> {
        const { takes, mask: by } = dialect()
        const store = storeOf(ctx)
        const opening = { store, allow, convert, signal: ctx.signal }
        await using image = await loadImage(given, { ...opening, field: 'image', limits: takes })
        await using mask =
          marks === undefined
            ? undefined
            : await loadImage(marks, { ...opening, field: 'mask', limits: maskLimits })
        const { sent, note } = await prepareMask({ mask, region }, { image, by, store })
        const files = { image: toUpload(image), mask: sent && toUpload(sent) }
        const body = { model: models.edit, ...toImageFields(fields.edit, more), ...files, prompt, size }
        const parents = [image, ...(sent ? [sent] : [])].map(({ artifact }) => artifact.id)
        const images = await send(ctx, { endpoint: '/images/edits', body, spends, parents, read: readImages })
        // A mask that the tool made is not part of the result, because the model would mistake it for an edited image.
        return { images, ...(note === undefined ? {} : { note }) }
      },
    }),
  )
  const edits = withInputs(edit, { ...options, kinds: { image: 'image', mask: 'image' } })
  return withReadable(edits, options.artifacts)
}

/** Limits for masks. Masks must be PNGs, the only format with transparency that can be decoded here. */
const maskLimits: ImageLimits = { types: ['image/png'] }

interface PreparedMask extends Pick<EditResult, 'note'> {
  readonly sent?: LoadedArtifact
}

interface MaskInput {
  readonly mask: FittedImage | undefined
  readonly region: Region | undefined
}

/**
 * Returns the mask to send, and a note for the result. If a region is given, creates the mask from it.
 * @throws CapstanError `invalid_arguments` if the mask or region is unusable, or if both are given
 */
async function prepareMask({ mask, region }: MaskInput, covering: MaskOptions): Promise<PreparedMask> {
  const { image, by, store } = covering
  if (!region) return mask ? fitMask(mask, covering) : {}
  if (mask) throw new CapstanError('invalid_arguments', 'Pass a mask or a region, not both.')
  return { sent: await storeMask(maskFromRegion(region, image), { by, store, parents: [image.artifact.id] }) }
}
