import type { Endpoint, Reply, ServiceRequest, UploadedFile } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { checkModel, engineHeader, type ModelEntry } from '../models.js'
import type { PaintedFile } from '../work/paint-task.js'
import type { Work } from '../work/start-work.js'
import { parseCount, parseDelivery, parsePromptField, parseSize } from './image-fields.js'
import type { ImageLinks } from './image-links.js'
import { parseOutput, type WantedOutput } from './image-output.js'
import { toWordList } from './word-list.js'

/** The three image endpoints. */
export interface ImageEndpoints {
  /** Paints a prompt, 1024x1024 when no size is given. */
  readonly generate: Endpoint
  /** Edits an uploaded picture where its mask says, in its own size when none is given. */
  readonly edit: Endpoint
  /** Gives variations of an uploaded picture, in its own size when none is given. */
  readonly vary: Endpoint
}

interface Studio {
  /** Holds what is asked for with `response_format: 'url'`. */
  readonly links: ImageLinks
  /** Does the painting. */
  readonly work: Pick<Work, 'run'>
}

/** Makes the image endpoints. Bad fields are answered with 400, naming the field, before painting starts. */
export function imageEndpoints({ links, work }: Studio): ImageEndpoints {
  return {
    generate: async (request) => {
      const order = toOrder(request)
      const { cutOut, ...output } = order.output
      const prompt = parsePromptField(request.fields)
      const size = parseSize(request.fields) ?? { width: 1024, height: 1024 }
      const painted = await shared(request, order.count, (indexes, call) =>
        work.run('paint', { prompt, ...size, cutOut, indexes, output }, call),
      )
      return answer(painted, order, links)
    },
    edit: async (request) => {
      const { output, ...order } = toOrder(request)
      checkKept(output)
      const prompt = parsePromptField(request.fields)
      const size = parseSize(request.fields)
      const image = parseFile(request, 'image').bytes
      const mask = request.files.mask?.bytes
      const painted = await shared(request, order.count, (indexes, call) =>
        work.run('edit', { image, mask, prompt, size, indexes, output }, call),
      )
      return answer(painted, { ...order, output }, links)
    },
    vary: async (request) => {
      const { output, ...order } = toOrder(request)
      checkKept(output)
      const size = parseSize(request.fields)
      const image = parseFile(request, 'image').bytes
      const painted = await shared(request, order.count, (indexes, call) =>
        work.run('vary', { image, size, indexes, output }, call),
      )
      return answer(painted, { ...order, output }, links)
    },
  }
}

interface Order {
  readonly entry: ModelEntry
  readonly count: number
  readonly delivery: 'b64_json' | 'url'
  readonly output: WantedOutput
  readonly origin: string
}

function toOrder({ fields, origin }: ServiceRequest): Order {
  return {
    entry: checkModel(fields.model, 'images'),
    count: parseCount(fields),
    delivery: parseDelivery(fields),
    output: parseOutput(fields),
    origin,
  }
}

/** An uploaded picture keeps what is behind its things. */
function checkKept({ cutOut }: WantedOutput): void {
  if (!cutOut) return
  const message = '"background" can be "transparent" for generations only: an uploaded picture keeps its own.'
  throw new ServiceError(400, 'invalid_background', message, 'background')
}

function parseFile({ files }: ServiceRequest, field: string): UploadedFile {
  const file = files[field]
  if (file) return file
  const message = `Send the picture as the file "${field}" of a multipart/form-data request.`
  throw new ServiceError(400, 'missing_file', message, field)
}

type Run = (indexes: readonly number[], call: { readonly signal: AbortSignal }) => Promise<PaintedFile[]>

/** Two workers share the pictures of a request; more would leave other requests none. If one fails, the other ends. */
async function shared({ signal }: ServiceRequest, count: number, run: Run): Promise<PaintedFile[]> {
  const half = Math.ceil(count / 2)
  const indexes = Array.from({ length: count }, (_, index) => index)
  const shares = [indexes.slice(0, half), indexes.slice(half)].filter((share) => share.length > 0)
  const failed = new AbortController()
  const call = { signal: AbortSignal.any([signal, failed.signal]) }
  try {
    return (await Promise.all(shares.map((share) => run(share, call)))).flat()
  } catch (error) {
    failed.abort()
    throw error
  }
}

function answer(painted: readonly PaintedFile[], order: Order, links: ImageLinks): Reply {
  const { entry, delivery, output, origin } = order
  const data = painted.map(({ bytes, caption }) => ({
    ...(delivery === 'url'
      ? { url: origin + links.put(bytes, output.kind) }
      : { b64_json: Buffer.from(bytes).toString('base64') }),
    ...(caption && { revised_prompt: caption }),
  }))
  const { understood, unknown } = painted[0] ?? {}
  return {
    json: { created: Math.floor(Date.now() / 1000), data },
    headers: {
      ...engineHeader(entry),
      ...(understood && { 'x-capstan-understood': toWordList(understood) }),
      ...(unknown && { 'x-capstan-not-understood': toWordList(unknown) }),
    },
  }
}
