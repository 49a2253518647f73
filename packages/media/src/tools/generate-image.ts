import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { readImages } from '../client/responses.js'
import { toMediaService } from '../client/service.js'
import type { MediaOptions } from '../options.js'
import { fieldParameters, toImageFields } from '../request-fields.js'
import { withReadable } from './direct-call.js'
import { mediaFunction, withFields } from './media-function.js'
import { sizeOf } from './parameters.js'

/**
 * The tool `generate_image`: generates images from a prompt. Resolves to `{ images }`. If you pass `prompt`, the tool
 * is called immediately: `generateImage({ prompt: 'a cat', quality: 'low' })`.
 * @throws CapstanError `invalid_request` immediately if `client.baseURL` is not an http(s) URL
 */
export const generateImage = mediaFunction(
  ['prompt', 'size', 'n', ...Object.keys(fieldParameters.image)],
  createTool,
)

function createTool(options: MediaOptions) {
  const { models, fields, send } = toMediaService(options)
  const own = {
    prompt: z.string().min(1).describe('What the image shows'),
    size: sizeOf(options.sizes?.[models.image]).optional(),
    n: z.int().min(1).describe('How many images. Default 1').optional(),
  }
  const offered = options.parameters?.image
  const spends = ({ n }: { readonly n?: number | undefined }) => ({ images: n ?? 1, model: models.image })
  const generate = withFields({ own, fields: fieldParameters.image, offered }, (parameters) =>
    tool({
      name: 'generate_image',
      description: 'Generate images from a text prompt.',
      parameters,
      effects: 'read',
      spends,
      show: options.show ?? false,
      background: options.background ?? false,
      async execute({ prompt, size, n, ...given }, ctx) {
        const body = { model: models.image, ...toImageFields(fields.image, given), prompt, size, n }
        const request = {
          endpoint: '/images/generations',
          body,
          spends: spends({ n }),
          read: readImages,
        } as const
        return { images: await send(ctx, request) }
      },
    }),
  )
  return withReadable(generate, options.artifacts)
}
