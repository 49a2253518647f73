import { tool } from '@capstan/core'
import * as z from 'zod/v4'
import { readImages } from '../client/responses.js'
import { toMediaService } from '../client/service.js'
import type { MediaOptions } from '../options.js'
import { withReadable } from './direct-call.js'
import { sizeOf } from './parameters.js'

/**
 * The tool `generate_image`: generates images from a prompt. Resolves to `{ images }`.
 * @throws CapstanError `invalid_request` at once if `client.baseURL` is not an http address
 */
export function generateImage(options: MediaOptions = {}) {
  const { models, send } = toMediaService(options)
  const generate = tool({
    name: 'generate_image',
    description: 'Generate images from a description in words.',
    parameters: z.object({
      prompt: z.string().min(1).describe('What the image shows'),
      size: sizeOf(options.sizes?.[models.image]).optional(),
      n: z.int().min(1).describe('How many images. Default 1').optional(),
    }),
    effects: 'read',
    show: options.show ?? false,
    async execute({ prompt, size, n }, ctx) {
      const body = { model: models.image, prompt, size, n }
      const spends = { images: n ?? 1, model: models.image }
      return { images: await send(ctx, { endpoint: '/images/generations', body, spends, read: readImages }) }
    },
  })
  return withReadable(generate, options.artifacts)
}
