import type { Output, PictureKind } from '@capstan/painter'
import type { Endpoint, Reply, ServiceRequest, UploadedFile } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import type { ImageFile } from '../work/paint-tasks.js'
import type { Work } from '../work/start-work.js'
import { countTokens } from './draft.js'
import type { ImageLinks } from './image-links.js'
import { type ImageStream, parseImageStream, refuseImageStream, toImageEvents } from './image-stream.js'
import { checkModel, engineHeader, type ModelNames } from './models.js'

/** The endpoints for image generations, edits and variations. */
interface ImageEndpoints {
  /** Paints an image for a prompt. Default size: 1024x1024. */
  readonly generate: Endpoint
  /** Edits an uploaded image inside the mask. Default size: the image's size. */
  readonly edit: Endpoint
  /** Varies an uploaded image. Default size: the image's size. */
  readonly vary: Endpoint
}

interface ImageDependencies {
  /** Stores the images for `response_format: 'url'`. */
  readonly links: ImageLinks
  /** Runs painting tasks in worker threads. */
  readonly work: Pick<Work, 'run'>
  /** The model names that requests may use. Default: any. */
  readonly models?: ModelNames
}

/** Creates the image endpoints. They throw a 400 that names the invalid field before they start painting. */
export function imageEndpoints({ links, work, models = 'any' }: ImageDependencies): ImageEndpoints {
  return {
    generate: async (request) => {
      const wanted = toImageRequest(request, models)
      const { cutOut, ...output } = wanted.output
      const prompt = parsePromptField(request.fields)
      const size = parseSize(request.fields) ?? { width: 1024, height: 1024 }
      const run = (detail: number): Run => {
        const input = { prompt, ...size, cutOut, output, detail: detail * detailOf(wanted.quality) }
        return (indexes, call) => work.run('paint', { ...input, indexes }, call)
      }
      if (wanted.stream) return streamed('image_generation', request, wanted, run)
      return answer(await shared(request, wanted.count, run(1)), wanted, links)
    },
    edit: async (request) => {
      const { output, ...wanted } = toImageRequest(request, models)
      checkKept(output)
      const prompt = parsePromptField(request.fields)
      const size = parseSize(request.fields)
      const image = parseFile(request, 'image').bytes
      const mask = request.files.mask?.bytes
      const run: Run = (indexes, call) =>
        work.run('edit', { image, mask, prompt, size, indexes, output }, call)
      const edits = { ...wanted, output, quality: 'high' } as const
      // An edit has no partial images, because pixels outside the mask must not change.
      if (edits.stream)
        return streamed('image_edit', request, { ...edits, stream: { partials: 0 } }, () => run)
      return answer(await shared(request, wanted.count, run), edits, links)
    },
    vary: async (request) => {
      const { output, ...wanted } = toImageRequest(request, models)
      checkKept(output)
      refuseImageStream(request.fields)
      const size = parseSize(request.fields)
      const image = parseFile(request, 'image').bytes
      const painted = await shared(request, wanted.count, (indexes, call) =>
        work.run('vary', { image, size, indexes, output }, call),
      )
      return answer(painted, { ...wanted, output, quality: 'high' }, links)
    },
  }
}

interface ImageRequest {
  readonly count: number
  readonly delivery: 'b64_json' | 'url'
  readonly output: ImageOutput
  readonly quality: Quality
  /** The settings of the stream. Undefined if the response is not streamed. */
  readonly stream: ImageStream | undefined
  readonly origin: string
  readonly asked: Asked
}

type Quality = 'low' | 'medium' | 'high'

function parseQuality({ quality }: ServiceRequest['fields']): Quality {
  return (['low', 'medium'] as const).find((one) => one === quality) ?? 'high'
}

/**
 * Returns the share of full detail for a quality. At a lower quality, images are painted smaller and scaled up, which
 * is faster but softer.
 */
function detailOf(quality: Quality): number {
  return { low: 1 / 2, medium: 3 / 4, high: 1 }[quality]
}

type Asked = Pick<ServiceRequest, 'fields' | 'files'>

function toImageRequest({ fields, files, origin }: ServiceRequest, models: ModelNames): ImageRequest {
  const model = checkModel(fields.model, 'images', models)
  return {
    count: parseCount(fields),
    delivery: parseDelivery(fields) ?? (isLinkModel(model) ? 'url' : 'b64_json'),
    output: parseOutput(fields),
    quality: parseQuality(fields),
    stream: parseImageStream(fields),
    origin,
    asked: { fields, files },
  }
}

/** Rejects a transparent background for an edit, which keeps the background of the uploaded image. */
function checkKept({ cutOut }: ImageOutput): void {
  if (!cutOut) return
  const message =
    '"background" can be "transparent" only for generations. An edited image keeps its background.'
  throw new ServiceError(400, 'invalid_background', message, 'background')
}

function parseFile({ files }: ServiceRequest, field: string): UploadedFile {
  const file = files[field]
  if (file) return file
  const message = `Send the image as the file "${field}" of a multipart/form-data request.`
  throw new ServiceError(400, 'missing_file', message, field)
}

type Run = (indexes: readonly number[], call: { readonly signal: AbortSignal }) => Promise<ImageFile[]>

/**
 * Paints a request's images in two workers, because more would delay other requests. If one worker fails, the other
 * stops.
 */
async function shared({ signal }: ServiceRequest, count: number, run: Run): Promise<ImageFile[]> {
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

/** Paints images one after another, so that each can be sent as soon as it is ready. */
function streamed(
  kind: 'image_generation' | 'image_edit',
  { signal }: ServiceRequest,
  { count, stream, ...wanted }: ImageRequest,
  run: (detail: number) => Run,
): Reply {
  const paint = async (index: number, detail: number): Promise<ImageFile> => {
    const [image] = await run(detail)([index], { signal })
    if (!image) throw new Error('No image was painted.')
    return image
  }
  const describe = (image: ImageFile) => describeImages([image], wanted)
  const images = { kind, count, partials: stream?.partials ?? 0, paint, describe }
  return { headers: engineHeader('images'), events: toImageEvents(images) }
}

function answer(painted: readonly ImageFile[], wanted: ImageRequest, links: ImageLinks): Reply {
  const { delivery, output, origin } = wanted
  const data = painted.map(({ bytes, caption }) => ({
    ...(delivery === 'url'
      ? { url: origin + links.put(bytes, output.kind) }
      : { b64_json: Buffer.from(bytes).toString('base64') }),
    ...(caption && { revised_prompt: caption }),
  }))
  const { understood, unknown } = painted[0] ?? {}
  return {
    json: { created: Math.floor(Date.now() / 1000), data, ...describeImages(painted, wanted) },
    headers: {
      ...engineHeader('images'),
      ...(understood && { 'x-capstan-understood': toWordList(understood) }),
      ...(unknown && { 'x-capstan-not-understood': toWordList(unknown) }),
    },
  }
}

type DescribedRequest = Pick<ImageRequest, 'output' | 'quality' | 'asked'>

/** Returns the fields of an image response, without `data`. Tokens are estimated: one per 32 x 32 pixels. */
function describeImages(
  painted: readonly ImageFile[],
  { output: { kind, cutOut }, quality, asked: { fields, files } }: DescribedRequest,
) {
  const { width = 0, height = 0 } = painted[0] ?? {}
  const eachTokens = Math.ceil((width * height) / 1024)
  const text_tokens = countTokens(typeof fields.prompt === 'string' ? fields.prompt : '')
  const image_tokens = files.image ? eachTokens : 0
  const [input_tokens, output_tokens] = [text_tokens + image_tokens, painted.length * eachTokens]
  return {
    background: cutOut ? 'transparent' : 'opaque',
    output_format: kind,
    quality,
    size: `${width}x${height}`,
    usage: {
      input_tokens,
      output_tokens,
      total_tokens: input_tokens + output_tokens,
      input_tokens_details: { text_tokens, image_tokens },
      output_tokens_details: { text_tokens: 0, image_tokens: output_tokens },
    },
  }
}

/** The width and height in pixels. */
interface Size {
  readonly width: number
  readonly height: number
}

type Fields = ServiceRequest['fields']

const [shortestSide, longestSide] = [16, 2048]
const longestPrompt = 4000
const mostImages = 10

/** Parses `prompt`, which is required and has at most 4000 characters. */
function parsePromptField({ prompt }: Fields): string {
  if (prompt === undefined || prompt === null || prompt === '') {
    throw new ServiceError(
      400,
      'missing_prompt',
      '"prompt" is missing. Describe the image to paint.',
      'prompt',
    )
  }
  if (typeof prompt !== 'string') {
    throw new ServiceError(
      400,
      'invalid_prompt',
      `"prompt" must be a string, not ${kindOf(prompt)}.`,
      'prompt',
    )
  }
  if (prompt.trim() === '')
    throw new ServiceError(
      400,
      'missing_prompt',
      '"prompt" is missing. Describe the image to paint.',
      'prompt',
    )
  if (prompt.length <= longestPrompt) return prompt
  const message = `"prompt" has ${prompt.length} characters; the limit is ${longestPrompt}. Shorten it.`
  throw new ServiceError(400, 'prompt_too_long', message, 'prompt')
}

/** Parses `size`. Returns undefined if the field is absent or `auto`. */
function parseSize({ size }: Fields): Size | undefined {
  if (size === undefined || size === null || size === '' || size === 'auto') return undefined
  const [, width, height] = (typeof size === 'string' && /^(\d{1,9})x(\d{1,9})$/.exec(size)) || []
  const sides = [Number(width), Number(height)] as const
  if (sides.every((side) => side >= shortestSide && side <= longestSide))
    return { width: sides[0], height: sides[1] }
  const form = `"<width>x<height>", each from ${shortestSide} to ${longestSide}, such as "1024x1024"`
  throw new ServiceError(400, 'invalid_size', `"size" must be ${form}; it is ${shown(size)}.`, 'size')
}

/**
 * Parses the number of images, from 1 to 10. Default: 1. Accepts a string too, because forms send every value as a
 * string.
 */
function parseCount({ n }: Fields): number {
  if (n === undefined || n === null || n === '') return 1
  const count = typeof n === 'string' && /^\d+$/.test(n.trim()) ? Number(n) : n
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= mostImages) return count
  throw new ServiceError(
    400,
    'invalid_n',
    `"n" must be a whole number from 1 to ${mostImages}; it is ${shown(n)}.`,
    'n',
  )
}

// Programs for these models expect links by default.
function isLinkModel(model: string): boolean {
  return /^dall-e-[23]$/.test(model)
}

/** Parses `response_format`, which is `b64_json` or `url`. Undefined if the field is absent. */
function parseDelivery({ response_format: format }: Fields): 'b64_json' | 'url' | undefined {
  if (format === undefined || format === null || format === '') return undefined
  if (format === 'b64_json' || format === 'url') return format
  const message = `"response_format" must be "b64_json" or "url"; it is ${shown(format)}.`
  throw new ServiceError(400, 'invalid_response_format', message, 'response_format')
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}

type OutputFields = ServiceRequest['fields']

/** The file format of the images. */
interface ImageOutput extends Output {
  /** Whether to draw only the objects in the prompt, without a background. */
  readonly cutOut: boolean
}

/** Parses `output_format`, `output_compression` and `background`. By default, images are opaque PNGs. */
function parseOutput(fields: OutputFields): ImageOutput {
  const kind = parseChoice(fields, 'output_format', ['png', 'jpeg', 'webp'] satisfies PictureKind[]) ?? 'png'
  const background = parseChoice(fields, 'background', ['auto', 'opaque', 'transparent'])
  const quality = parseCompression(fields, kind)
  if (background === 'transparent' && kind === 'jpeg') {
    const message = '"background" cannot be "transparent" for a JPEG. Set "output_format" to "png" or "webp".'
    throw new ServiceError(400, 'invalid_background', message, 'background')
  }
  checkTexts(fields)
  return { kind, quality, cutOut: background === 'transparent' }
}

function parseChoice<T extends string>(
  fields: OutputFields,
  field: string,
  choices: readonly T[],
): T | undefined {
  const value = fields[field]
  if (value === undefined || value === null || value === '') return undefined
  const found = choices.find((choice) => choice === value)
  if (found) return found
  const message = `"${field}" must be one of ${choices.join(', ')}.`
  throw new ServiceError(400, `invalid_${field}`, message, field)
}

/** Parses `output_compression`. Accepts a string too, because forms send every value as a string. */
function parseCompression(
  { output_compression: given }: OutputFields,
  kind: PictureKind,
): number | undefined {
  if (given === undefined || given === null || given === '') return undefined
  const value = typeof given === 'string' && /^\d{1,3}$/.test(given) ? Number(given) : given
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100
  if (fits && kind !== 'png') return value
  // Some clients send 100 with every format.
  if (value === 100) return undefined
  const message = fits
    ? '"output_compression" is only for jpeg and webp: png is lossless. Omit it.'
    : '"output_compression" must be a whole number from 0 to 100.'
  throw new ServiceError(400, 'invalid_output_compression', message, 'output_compression')
}

/** Fields that accept any string. The painter uses only `quality`. */
const texts = ['quality', 'style', 'user', 'moderation', 'input_fidelity']

function checkTexts(fields: OutputFields): void {
  for (const field of texts) {
    const value = fields[field]
    if (value === undefined || value === null || typeof value === 'string') continue
    throw new ServiceError(400, `invalid_${field}`, `"${field}" must be a string.`, field)
  }
}

/** The maximum length of a word list in a header, in characters. Proxies reject longer headers. */
const longestList = 900

/**
 * Formats words as a header value, separated by commas, such as `red, cat`. Returns `nothing` for an empty array.
 * Percent-encodes commas, percent signs and everything except printable ASCII. A list that is too long ends with `...`.
 */
export function toWordList(words: readonly string[]): string {
  let list = ''
  for (const word of words) {
    const next = (list ? ', ' : '') + encoded(word)
    if (list.length + next.length > longestList) return `${list}, ...`
    list += next
  }
  return list || 'nothing'
}

function encoded(word: string): string {
  const bytes = Buffer.from(word.slice(0, 100).toWellFormed(), 'utf8')
  return [...bytes].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : percent(byte))).join('')
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== 0x25 && byte !== 0x2c
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
