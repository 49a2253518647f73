import { type Artifact, CapstanError } from '@capstan/core'
import { readDuration } from '../audio/duration.js'
import { forEachConcurrent } from '../concurrency.js'
import { isComplete, readImageInfo } from '../images/check-image.js'
import { type Allow, limitsOf } from '../inputs/allow.js'
import { decodeText, detectType, type ImageInfo, textFrom } from '../inputs/detect-type.js'
import { decodeBase64, type Fetched, type FetchOptions, fetchUrl, parseDataUri } from '../inputs/fetch-url.js'
import { fromBytes, readBytes, readHead, type StoredBytes } from '../inputs/stored-bytes.js'
import { maxResponseBytes } from './request.js'
import type { MediaResponse, ReadContext } from './service.js'

/**
 * Stores each image of a response, in order. Links are fetched at once, because they expire. @throws CapstanError
 * `invalid_response` if any entry is not an image; then none is returned
 */
export async function readImages(reply: MediaResponse, context: ReadContext): Promise<Artifact<'image'>[]> {
  const { mediaType, endpoint } = reply
  // Some servers send the image itself.
  const isPicture = mediaType.startsWith('image/')
  const entries = isPicture ? [] : findImageEntries(readRecord(await readBytes(reply)))
  if (!entries) throw unusableResponse(reply, `without images. It sent: ${textFrom(await readBytes(reply))}`)
  const found: Fetched[] = []
  try {
    if (entries.length === 0) found.push(reply)
    else await openImages(entries, reply, { ...context, found })
    const images: { held: Fetched; facts: ImageInfo }[] = []
    for (const [i, stored] of found.entries())
      images.push({ held: stored, facts: await checkedInfo(stored, endpoint, i + 1) })
    const artifacts: Artifact<'image'>[] = []
    for (const { held: stored, facts } of images)
      artifacts.push(await context.store.put(stored.stream(), { kind: 'image', ...facts }))
    return artifacts
  } finally {
    await Promise.all(found.map((one) => one?.[Symbol.asyncDispose]()))
  }
}

/** Limits the list of an untrusted source. */
const maxImages = 100

/** Collects the bytes of all entries in `found`. If one fails, the others are aborted. */
async function openImages(
  entries: readonly ImageEntry[],
  reply: MediaResponse,
  { found, ...context }: ReadContext & { readonly found: Fetched[] },
): Promise<void> {
  if (entries.length > maxImages)
    throw unusableResponse(reply, `with ${entries.length} images. At most ${maxImages} are accepted`)
  // All links together share the size limit of one response.
  const bytes = Math.min(limitsOf(context.allow).bytes, Math.floor(maxResponseBytes / entries.length))
  const allow = { ...context.allow, bytes }
  const run = async ([i, entry]: [number, ImageEntry], signal: AbortSignal) => {
    found[i] = await toBytes(entry, reply, { ...context, allow, signal, at: i + 1 })
  }
  await forEachConcurrent(entries.entries(), { inFlight: 10, run }, context.signal)
}

interface ImageContext extends ReadContext {
  /** Position in the response, from 1. */
  readonly at: number
}

async function toBytes(
  { base64, url }: ImageEntry,
  reply: MediaResponse,
  { at, signal, allow }: ImageContext,
): Promise<Fetched> {
  const { baseURL, endpoint } = reply
  if (url !== undefined) return fetchImage(url, { baseURL, endpoint, signal, allow })
  if (base64 === undefined)
    throw unusableResponse(
      reply,
      `with an image ${at} that has neither "url" nor "b64_json". It needs one of them`,
    )
  const bytes = decodeBase64(base64)
  if (bytes) return { ...fromBytes(bytes), mediaType: '' }
  throw unusableResponse(
    reply,
    `with an image ${at} whose b64_json is not base64. It begins: ${base64.slice(0, 40)}`,
  )
}

async function checkedInfo(
  one: Fetched,
  endpoint: MediaResponse['endpoint'],
  at: number,
): Promise<ImageInfo> {
  const facts = await readImageInfo(one, one.mediaType)
  if (!facts) {
    const words = textFrom(await readBytes(one))
    throw unusableResponse({ endpoint }, `with an image ${at} that is not an image. It holds: ${words}`)
  }
  if (await isComplete(one, facts.mediaType)) return facts
  throw unusableResponse({ endpoint }, `with an image ${at} that is cut off (${facts.mediaType}). Ask again`)
}

function unusableResponse({ endpoint }: Pick<MediaResponse, 'endpoint'>, how: string): CapstanError {
  return new CapstanError('invalid_response', `${endpoint} answered ${how}`, { evidence: { endpoint } })
}

/** One image of a response: its data or its address. */
interface ImageEntry {
  /** Base64. */
  readonly base64?: string
  /** An address, possibly a `data:` URL. */
  readonly url?: string
}

/**
 * Returns the image entries of a response: the list `data` of the interface, `images` or `output`, or a plain list.
 * Returns undefined for any other response.
 */
function findImageEntries(answer: Readonly<Record<string, unknown>>): ImageEntry[] | undefined {
  const lists = [answer, answer.data, answer.images, answer.output]
  const list = lists.find((one): one is unknown[] => Array.isArray(one) && one.length > 0)
  return list?.map(toEntry)
}

/** Reads an entry, including plain strings and other field names in use. */
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
  /** Base of relative addresses. Its origin is always allowed, others if they are public https. */
  readonly baseURL: string
  /** Endpoint whose response contained the address. */
  readonly endpoint: string
  /** More hosts that are allowed, and the limits. */
  readonly allow?: Allow | undefined
}

/**
 * Fetches an image that a response links to, without the key. Checks each redirect like the address.
 * @throws CapstanError `invalid_response` for a blocked address or too much data, `api`, `timeout`, `network`
 */
export async function fetchImage(address: string, options: FetchImageOptions): Promise<Fetched> {
  const { baseURL, endpoint, signal, allow = {} } = options
  const base64 = parseDataUri(address)
  if (base64) return base64
  const what = `The image linked by ${endpoint}`
  if (/^data:/i.test(address) || !URL.canParse(address, `${baseURL}/`)) {
    const message = `${what} could not be fetched: "${address.slice(0, 100)}" is not a valid address.`
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

/** Stores spoken audio with its duration. @throws CapstanError as `readAudioData` does */
export async function readAudio(reply: MediaResponse, { store }: ReadContext): Promise<Artifact<'audio'>> {
  return storeAudio(await readAudioData(reply), store)
}

/** Audio in a container, in memory or in a file. */
interface StoredAudio extends StoredBytes {
  readonly mediaType: string
}

/** Stores audio with its duration. */
export async function storeAudio(
  sound: StoredAudio,
  store: ReadContext['store'],
): Promise<Artifact<'audio'>> {
  const { mediaType } = sound
  const durationMs = await readDuration(sound)
  return store.put(sound.stream(), {
    kind: 'audio',
    mediaType,
    ...(durationMs === undefined ? {} : { durationMs }),
  })
}

/**
 * Returns the audio of a response. Its container comes from the bytes, else from `Content-Type`.
 * @throws CapstanError `invalid_response` if it is not audio, or of an unknown container
 */
export async function readAudioData(reply: MediaResponse): Promise<StoredAudio> {
  const { endpoint } = reply
  const mediaType = await containerOf(reply)
  if (mediaType !== undefined && !(await isText(reply))) return { ...reply, mediaType }
  const bytes = await readBytes(reply)
  const message = `${endpoint} answered without audio (Content-Type: ${reply.mediaType || 'none'}). It sent: ${textFrom(bytes)}`
  throw new CapstanError('invalid_response', message, { evidence: { endpoint } })
}

/** Whether the whole body is text. Audio is detected by its first bytes. */
async function isText(stored: StoredBytes): Promise<boolean> {
  return (
    decodeText(await readHead(stored, 512)) !== undefined && decodeText(await readBytes(stored)) !== undefined
  )
}

async function containerOf(reply: MediaResponse): Promise<string | undefined> {
  const said = canonicalTypes.get(reply.mediaType) ?? reply.mediaType
  // Raw samples may look like anything.
  if (rawTypes.includes(said)) return said
  const found = await detectType(await readHead(reply))
  const errors = found && (canonicalTypes.get(found) ?? found)
  if (errors !== undefined) return errors.startsWith('audio/') ? errors : undefined
  // The header comes from an untrusted source, and models read the type of a recording.
  return /^audio\/[a-z0-9.+-]{1,40}$/.test(said) ? said : undefined
}

const rawTypes: readonly string[] = ['audio/pcm', 'audio/l16']

const canonicalTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'audio/mp3': 'audio/mpeg',
    'audio/x-wav': 'audio/wav',
    'audio/wave': 'audio/wav',
    'audio/vnd.wave': 'audio/wav',
    'audio/x-flac': 'audio/flac',
    'audio/x-m4a': 'audio/mp4',
    'video/mp4': 'audio/mp4',
    'video/webm': 'audio/webm',
    'application/ogg': 'audio/ogg',
  }),
)

/** Returns the text of a transcription or translation, `''` for silence. @throws CapstanError `invalid_response` */
export async function readText(reply: MediaResponse): Promise<string> {
  const bytes = await readBytes(reply)
  const { text } = readRecord(bytes)
  if (typeof text === 'string') return text
  const message = `${reply.endpoint} answered without a text. It sent: ${textFrom(bytes)}`
  throw new CapstanError('invalid_response', message, { evidence: { endpoint: reply.endpoint } })
}

/** Parses a JSON object, or returns `{}`, so that every field is missing. */
function readRecord(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
