import { CapstanError, tool } from '@capstan/core'
import * as z from 'zod/v4'
import { imageId } from './artifact-ids.js'
import { type Loaded, load } from './load.js'
import type { MediaOptions } from './media-options.js'
import { toMediaService } from './media-service.js'
import { readImages } from './read-images.js'
import { recognizeImage } from './recognize-image.js'
import { size } from './size.js'
import { toUpload } from './to-upload.js'

/**
 * The tool `edit_image`: changes an image by words, inside the mask where one is given, resolves to `{ images }`.
 * @throws CapstanError `invalid_request` at once when `client.baseURL` is no http address
 */
export function editImage(options: MediaOptions = {}) {
  const { models, ask, storeOf } = toMediaService(options)
  return tool({
    name: 'edit_image',
    description: 'Edit an image: the masked region, or the whole, is changed according to the prompt.',
    parameters: z.object({
      image: imageId.describe('Artifact id of the image to edit'),
      mask: imageId
        .describe("Artifact id of a mask of the image's own width and height; it marks the region to change")
        .optional(),
      prompt: z.string().min(1).describe('What to change'),
      size: size.optional(),
    }),
    effects: 'read',
    async execute({ image, mask, prompt, size }, ctx) {
      const store = storeOf(ctx)
      const source = await load(image, { kind: 'image', field: 'image', store })
      const cover = mask === undefined ? undefined : await load(mask, { kind: 'image', field: 'mask', store })
      if (cover) checkMask(source, cover)
      const files = { image: toUpload(source), mask: cover && toUpload(cover) }
      const body = { model: models.edit, ...files, prompt, size }
      const spends = { images: 1, model: models.edit }
      return { images: await ask(ctx, { endpoint: '/images/edits', body, spends, read: readImages }) }
    },
  })
}

function checkMask(image: Loaded, mask: Loaded): void {
  const area = recognizeImage(image.bytes)
  const covered = recognizeImage(mask.bytes)
  if (area?.width === undefined || covered?.width === undefined) return
  if (area.width === covered.width && area.height === covered.height) return
  const message = `The mask is ${covered.width}x${covered.height} pixels, the image ${area.width}x${area.height}: give a mask of the image's own width and height.`
  const evidence = { image: image.artifact.id, mask: mask.artifact.id }
  throw new CapstanError('invalid_arguments', message, { evidence })
}
