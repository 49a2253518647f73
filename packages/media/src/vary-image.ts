import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { imageId } from './artifact-ids.js'
import { load } from './load.js'
import type { MediaOptions } from './media-options.js'
import { toMediaService } from './media-service.js'
import { readImages } from './read-images.js'
import { size } from './size.js'
import { toUpload } from './to-upload.js'

/**
 * The tool `vary_image`: makes new images in the style and content of one, resolves to `{ images }`.
 * @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function varyImage(options: MediaOptions = {}) {
  const { models, ask, storeOf } = toMediaService(options)
  return tool({
    name: 'vary_image',
    description: 'Make variations of an image.',
    parameters: z.object({
      image: imageId.describe('Artifact id of the image to vary'),
      n: z.int().min(1).describe('How many variations. Default 1').optional(),
      size: size.optional(),
    }),
    effects: 'read',
    async execute({ image, n, size }, ctx) {
      const source = await load(image, { kind: 'image', field: 'image', store: storeOf(ctx) })
      const body = { model: models.variation, image: toUpload(source), n, size }
      const spends = { images: n ?? 1, model: models.variation }
      return { images: await ask(ctx, { endpoint: '/images/variations', body, spends, read: readImages }) }
    },
  })
}
