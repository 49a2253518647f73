import type { ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import type { ImageFile } from '../work/paint-tasks.js'

type Fields = ServiceRequest['fields']

/** Settings for an image response that is sent as server-sent events. */
export interface ImageStream {
  /** The number of partial images before each image. */
  readonly partials: number
}

const mostPartials = 3

/**
 * Parses `stream` and `partial_images`. Returns undefined if no stream is requested. Accepts strings too, because forms
 * send every value as a string.
 */
export function parseImageStream({ stream, partial_images: partials }: Fields): ImageStream | undefined {
  const isStreamed = parseFlag(stream)
  const count = partials === undefined || partials === null || partials === '' ? 0 : Number(partials)
  if (!Number.isInteger(count) || count < 0 || count > mostPartials) {
    const message = `"partial_images" must be a whole number from 0 to ${mostPartials}.`
    throw new ServiceError(400, 'invalid_partial_images', message, 'partial_images')
  }
  return isStreamed ? { partials: count } : undefined
}

function parseFlag(stream: unknown): boolean {
  if (stream === undefined || stream === null || stream === '' || `${stream}` === 'false') return false
  if (`${stream}` === 'true') return true
  throw new ServiceError(400, 'invalid_stream', '"stream" must be true or false.', 'stream')
}

/** Throws a 400 if a stream is requested. Call it in endpoints that cannot stream. */
export function refuseImageStream(fields: Fields): void {
  if (!parseImageStream(fields)) return
  const message = '"stream" is not supported for variations. Omit it.'
  throw new ServiceError(400, 'unsupported_stream', message, 'stream')
}

/** Images to paint one after another. */
interface StreamedImages extends ImageStream {
  readonly kind: 'image_generation' | 'image_edit'
  readonly count: number
  /** Paints one image. `detail` is a share of the full detail, and less than 1 for a partial image. */
  paint(index: number, detail: number): Promise<ImageFile>
  /** Returns the fields that an event has for an image. */
  describe(image: ImageFile): Readonly<Record<string, unknown>>
}

/**
 * Yields the events of the stream: for each image, its partial images with increasing detail, then the complete image.
 */
export async function* toImageEvents(images: StreamedImages): AsyncGenerator<string> {
  const { kind, count, partials, paint, describe } = images
  const toEvent = (type: string, image: ImageFile, more: object) => {
    const b64_json = Buffer.from(image.bytes).toString('base64')
    const created_at = Math.floor(Date.now() / 1000)
    return JSON.stringify({ type: `${kind}.${type}`, b64_json, created_at, ...more })
  }
  for (let index = 0; index < count; index++) {
    for (let partial = 0; partial < partials; partial++) {
      const image = await paint(index, (partial + 1) / (partials + 1))
      const { usage: _, ...facts } = describe(image)
      yield toEvent('partial_image', image, { partial_image_index: partial, ...facts })
    }
    const image = await paint(index, 1)
    const { caption } = image
    yield toEvent('completed', image, { ...describe(image), ...(caption && { revised_prompt: caption }) })
  }
}
