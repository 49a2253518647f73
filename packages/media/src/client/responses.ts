import { type Artifact, CapstanError } from '@capstan/core'
import { forEachConcurrent } from '../concurrency.js'
import { isComplete, readImageInfo } from '../images/check-image.js'
import { type Allow, limitsOf } from '../inputs/allow.js'
import { type ImageInfo, textFrom } from '../inputs/detect-type.js'
import { decodeBase64, type Fetched, type FetchOptions, fetchUrl, parseDataUri } from '../inputs/fetch-url.js'
import { fromBytes, readBytes, readHead } from '../inputs/stored-bytes.js'
import { isEventStream, readImageEvents } from './image-events.js'
import { maxResponseBytes, type OpenResponse } from './request.js'
import type { PartialImages, ReadContext } from './service.js'

/**
 * Stores the images of a response, in order. Links are fetched immediately, because they expire. Partial images of a
 * streamed response are stored and reported as they arrive.
 * @throws CapstanError `invalid_response` if any entry is not an image, `truncated` if a stream contains no image. In
 * both cases no image is returned
 */
export async function readImages(reply: OpenResponse, context: ReadContext): Promise<Artifact<'image'>[]> {
  const found: Fetched[] = []
  try {
    await openResponseImages(reply, { ...context, found })
    const images: { held: Fetched; facts: ImageInfo }[] = []
    for (const [i, stored] of found.entries())
      images.push({ held: stored, facts: await checkedInfo(stored, reply.endpoint, i + 1) })
    const artifacts: Artifact<'image'>[] = []
    for (const { held: stored, facts } of images)
      artifacts.push(await context.store.put(stored.stream(), { kind: 'image', ...facts }))
    return artifacts
  } finally {
    await Promise.all(found.map((one) => one?.[Symbol.asyncDispose]()))
  }
}

interface FoundContext extends ReadContext {
  /** Gets the bytes of all images, in order. */
  readonly found: Fetched[]
}

/** Opens the images in a response. The response is a single image, a stream or an array. */
async function openResponseImages(reply: OpenResponse, context: FoundContext): Promise<void> {
  if (isEventStream(reply.mediaType)) {
    const entries = await readStreamedEntries(reply.stream(), reply, context)
    return openImages(entries, reply, context)
  }
  const whole = await reply.whole()
  // Some servers respond with the image itself.
  if (whole.mediaType.startsWith('image/')) return void context.found.push(whole)
  try {
    const isStream = isEventStream(whole.mediaType, await readHead(whole, 64))
    const entries = isStream
      ? await readStreamedEntries(whole.stream(), reply, context)
      : findImageEntries(readRecord(await readBytes(whole)))
    if (!entries)
      throw unusableResponse(reply, `without images. It sent: ${textFrom(await readBytes(whole))}`)
    await openImages(entries, reply, context)
  } finally {
    await whole[Symbol.asyncDispose]()
  }
}

async function readStreamedEntries(
  body: ReadableStream<Uint8Array>,
  { endpoint }: Pick<OpenResponse, 'endpoint'>,
  { partials }: ReadContext,
): Promise<ImageEntry[]> {
  let stored = 0
  const values = await readImageEvents(body, {
    endpoint,
    async onPartial({ entry, index }) {
      if (stored < partials.most && (await storePartial(entry, index, partials))) stored += 1
    },
  })
  return values.flatMap((value) => findImageEntries(Object(value)) ?? [toEntry(value)])
}

/**
 * Stores and reports a partial image. Returns false if the partial image is unusable, because the complete image
 * follows anyway.
 */
async function storePartial(entry: object, index: number, partials: PartialImages): Promise<boolean> {
  const { base64, url = '' } = toEntry(entry)
  const bytes = base64 === undefined ? undefined : decodeBase64(base64)
  const stored = bytes ? fromBytes(bytes) : parseDataUri(url)
  const info = stored && (await readImageInfo(stored, ''))
  if (!info || !(await isComplete(stored, info.mediaType))) return false
  partials.report(await partials.put(stored.stream(), { kind: 'image', ...info }), index)
  return true
}

/** Maximum images in a response. There is a limit because the server is not trusted. */
const maxImages = 100

/** Loads the bytes of all entries into `found`. If one fails, the others are aborted. */
async function openImages(
  entries: readonly ImageEntry[],
  reply: OpenResponse,
  { found, ...context }: FoundContext,
): Promise<void> {
  if (entries.length > maxImages)
    throw unusableResponse(reply, `with ${entries.length} images. At most ${maxImages} are accepted`)
  // All links together may use the size limit of one response.
  const bytes = Math.min(limitsOf(context.allow).bytes, Math.floor(maxResponseBytes / entries.length))
  const allow = { ...context.allow, bytes }
  const run = async ([i, entry]: [number, ImageEntry], signal: AbortSignal) => {
    found[i] = await toBytes(entry, reply, { ...context, allow, signal, at: i + 1 })
  }
  await forEachConcurrent(entries.entries(), { inFlight: 10, run }, context.signal)
}

interface ImageContext extends ReadContext {
  /** The position of the image in the response, counted from 1. */
  readonly at: number
}

async function toBytes(
  { base64, url }: ImageEntry,
  reply: OpenResponse,
  { at, signal, allow }: ImageContext,
): Promise<Fetched> {
  const { baseURL, endpoint } = reply
  if (url !== undefined) return fetchImage(url, { baseURL, endpoint, signal, allow })
  if (base64 === undefined)
    throw unusableResponse(
      reply,
      `with an invalid image ${at}: it has neither "url" nor "b64_json". It needs one of them`,
    )
  const bytes = decodeBase64(base64)
  if (bytes) return { ...fromBytes(bytes), mediaType: '' }
  throw unusableResponse(
    reply,
    `with an invalid image ${at}: its b64_json is not base64. It starts with: ${base64.slice(0, 40)}`,
  )
}

async function checkedInfo(one: Fetched, endpoint: OpenResponse['endpoint'], at: number): Promise<ImageInfo> {
  const facts = await readImageInfo(one, one.mediaType)
  if (!facts) {
    const words = textFrom(await readBytes(one))
    throw unusableResponse(
      { endpoint },
      `with an invalid image ${at}: its data is not an image. It contains: ${words}`,
    )
  }
  if (await isComplete(one, facts.mediaType)) return facts
  throw unusableResponse(
    { endpoint },
    `with an invalid image ${at}: it is cut off (${facts.mediaType}). Try again`,
  )
}

function unusableResponse({ endpoint }: Pick<OpenResponse, 'endpoint'>, how: string): CapstanError {
  return new CapstanError('invalid_response', `${endpoint} responded ${how}`, { evidence: { endpoint } })
}

/** An image in a response: its data or its URL. */
interface ImageEntry {
  /** The data, without a `data:` prefix. */
  readonly base64?: string
  /** The URL of the image. It may be a `data:` URL. */
  readonly url?: string
}

/**
 * Returns the image entries in a response. They are in the documented array `data`, in an array `images` or `output`,
 * or in a plain array. Undefined for any other response.
 */
function findImageEntries(answer: Readonly<Record<string, unknown>>): ImageEntry[] | undefined {
  const lists = [answer, answer.data, answer.images, answer.output]
  const list = lists.find((one): one is unknown[] => Array.isArray(one) && one.length > 0)
  return list?.map(toEntry)
}

/** Parses an entry. Accepts strings, and other field names that servers use. */
function toEntry(entry: unknown): ImageEntry {
  if (typeof entry === 'string') return toEntryFromText(entry)
  const { b64_json, url, image, b64, base64, image_url } = Object(entry) as Readonly<Record<string, unknown>>
  const data = [b64_json, b64, base64].find(isFilled)
  if (data !== undefined) return data.startsWith('data:') ? { url: data } : { base64: data }
  const address = [url, image_url, Object(image_url).url].find(isFilled)
  if (address !== undefined) return { url: address }
  return isFilled(image) ? toEntryFromText(image) : {}
}

function toEntryFromText(text: string): ImageEntry {
  return /^(data:|https?:)/i.test(text) ? { url: text } : { base64: text }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

interface FetchImageOptions extends Pick<FetchOptions, 'signal'> {
  /** The base for relative URLs. Its origin is always allowed. Other origins must be public and use https. */
  readonly baseURL: string
  /** The endpoint whose response contains the URL. */
  readonly endpoint: string
  /** Additional hosts to allow, and limits on size and time. */
  readonly allow?: Allow | undefined
}

/**
 * Fetches an image that a response links to, without sending the key. Each redirect is checked like the URL itself.
 * @throws CapstanError `invalid_response` for a blocked URL or too much data; `api`, `timeout` or `network` if the
 * request fails
 */
export async function fetchImage(address: string, options: FetchImageOptions): Promise<Fetched> {
  const { baseURL, endpoint, signal, allow = {} } = options
  const base64 = parseDataUri(address)
  if (base64) return base64
  const what = `The image linked by ${endpoint}`
  if (/^data:/i.test(address) || !URL.canParse(address, `${baseURL}/`)) {
    const message = `${what} could not be fetched: "${address.slice(0, 100)}" is not a valid URL.`
    throw new CapstanError('invalid_response', message, { evidence: { endpoint } })
  }
  const policy = { ownOrigin: new URL(baseURL).origin, hosts: allow.hosts ?? [], anyPublic: 'https' } as const
  const errors = { what, advice, code: 'invalid_response' } as const
  return fetchUrl(new URL(address, `${baseURL}/`), {
    ...errors,
    signal,
    policy,
    limits: limitsOf(allow),
  })
}

const advice =
  'Set baseURL to the address in the links, request b64_json, or allow the host with allow: { hosts }.'

/** Parses a JSON object. Returns `{}` for anything else, as if every field were missing. */
export function readRecord(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
