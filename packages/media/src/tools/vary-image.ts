import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { toUpload } from '../client/request.js'
import { readImages } from '../client/responses.js'
import { toMediaService } from '../client/service.js'
import { loadImage } from '../images/convert.js'
import { sourcesOf } from '../inputs/allow.js'
import { withInputs } from '../inputs/program-input.js'
import type { MediaOptions } from '../options.js'
import { toWireFields } from '../request-fields.js'
import { withReadable } from './direct-call.js'
import { mediaFunction } from './media-function.js'
import { imageId, sizeOf } from './parameters.js'

/**
 * The tool `vary_image`: creates new images in the style and content of an image. Resolves to `{ images }`. If you pass
 * `image`, the tool is called immediately.
 * @throws CapstanError `invalid_request` immediately if `client.baseURL` is not an http(s) URL
 */
export const varyImage = mediaFunction(['image', 'n', 'size'], createTool)

function createTool(options: MediaOptions) {
  const { models, fields, send, storeOf, dialect } = toMediaService(options)
  const { allow, convert, sizes } = options
  const spends = ({ n }: { readonly n?: number | undefined }) => ({ images: n ?? 1, model: models.variation })
  const vary = tool({
    name: 'vary_image',
    description: 'Make variations of an image.',
    parameters: z.object({
      image: imageId.describe(`${sourcesOf(allow)} of the image to vary`),
      n: z.int().min(1).describe('How many variations. Default 1').optional(),
      size: sizeOf(sizes?.[models.variation]).optional(),
    }),
    effects: 'read',
    spends,
    show: options.show ?? false,
    background: options.background ?? false,
    async execute({ image: given, n, size }, ctx) {
      const opening = { store: storeOf(ctx), allow, convert, signal: ctx.signal }
      await using image = await loadImage(given, { ...opening, field: 'image', limits: dialect().takes })
      const other = toWireFields(fields.variation)
      const body = { model: models.variation, ...other, image: toUpload(image), n, size }
      const request = {
        endpoint: '/images/variations',
        body,
        spends: spends({ n }),
        read: readImages,
      } as const
      return { images: await send(ctx, { ...request, parents: [image.artifact.id] }) }
    },
  })
  return withReadable(withInputs(vary, { ...options, kinds: { image: 'image' } }), options.artifacts)
}
