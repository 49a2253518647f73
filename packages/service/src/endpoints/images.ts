import { setImmediate } from 'node:timers/promises'
import type { Endpoint, Reply, ServiceRequest } from '../http/endpoint.js'
import { checkModel, engineHeader, type ModelEntry } from '../models.js'
import { editPicture } from '../paint/edit-picture.js'
import { type Painting, paintPrompt } from '../paint/paint-prompt.js'
import { encodePng } from '../paint/png.js'
import { resizePicture } from '../paint/resize-picture.js'
import { varyPicture } from '../paint/vary-picture.js'
import {
  parseCount,
  parseDelivery,
  parseImage,
  parseOptionalImage,
  parsePromptField,
  parseSize,
} from './image-fields.js'
import type { ImageLinks } from './image-links.js'

/** The three image endpoints; `links` holds what is asked for with `response_format: 'url'`. */
export interface ImageEndpoints {
  /** Paints a prompt, 1024x1024 when no size is given. */
  readonly generate: Endpoint
  /** Edits an uploaded picture where its mask says, in its own size when none is given. */
  readonly edit: Endpoint
  /** Gives variations of an uploaded picture, in its own size when none is given. */
  readonly vary: Endpoint
}

/** Makes the image endpoints. Bad fields are answered with 400, naming the field, before painting starts. */
export function imageEndpoints(links: ImageLinks): ImageEndpoints {
  return {
    generate: async (request) => {
      const entry = checkModel(request.fields.model, 'images')
      const prompt = parsePromptField(request.fields)
      const size = parseSize(request.fields) ?? { width: 1024, height: 1024 }
      return answer(request, { links, entry, paint: (index) => paintPrompt({ prompt, ...size, index }) })
    },
    edit: async (request) => {
      const entry = checkModel(request.fields.model, 'images')
      const prompt = parsePromptField(request.fields)
      const size = parseSize(request.fields)
      const picture = parseImage(request, 'image')
      const mask = parseOptionalImage(request, 'mask')
      const paint = (index: number): Painting => {
        const painting = editPicture({ picture, prompt, index, ...(mask && { mask }) })
        return { ...painting, picture: resizePicture(painting.picture, size ?? picture) }
      }
      return answer(request, { links, entry, paint })
    },
    vary: async (request) => {
      const entry = checkModel(request.fields.model, 'images')
      const size = parseSize(request.fields)
      const picture = parseImage(request, 'image')
      const paint = (index: number): Varied => ({
        picture: resizePicture(varyPicture({ picture, index }), size ?? picture),
      })
      return answer(request, { links, entry, paint })
    },
  }
}

/** A variation has no prompt, so nothing was understood. */
type Varied = Pick<Painting, 'picture'> & Partial<Painting>

interface Order {
  readonly links: ImageLinks
  readonly entry: ModelEntry
  readonly paint: (index: number) => Varied
}

async function answer(request: ServiceRequest, { links, entry, paint }: Order): Promise<Reply> {
  const count = parseCount(request.fields)
  const delivery = parseDelivery(request.fields)
  const data: Record<string, string>[] = []
  let understood: readonly string[] | undefined
  for (let index = 0; index < count; index++) {
    // Painting blocks the process, so other requests get their turn between two pictures.
    await setImmediate()
    request.signal.throwIfAborted()
    const painting = paint(index)
    const png = encodePng(painting.picture)
    const image =
      delivery === 'url'
        ? { url: request.origin + links.put(png) }
        : { b64_json: Buffer.from(png).toString('base64') }
    data.push({ ...image, ...(painting.caption && { revised_prompt: painting.caption }) })
    understood = painting.understood
  }
  return {
    json: { created: Math.floor(Date.now() / 1000), data },
    headers: {
      ...engineHeader(entry),
      ...(understood && { 'x-capstan-understood': understood.join(', ') || 'nothing' }),
    },
  }
}
