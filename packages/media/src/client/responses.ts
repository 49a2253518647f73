import { type Artifact, CapstanError } from '@capstan/core'
import { durationOf } from '../audio/duration.js'
import { factsOf, isWhole } from '../images/check-image.js'
import { type Allow, limitsOf } from '../inputs/allow.js'
import { asText, contentType, type ImageFacts, wordsOf } from '../inputs/detect-type.js'
import { decodeBase64, type Fetched, type FetchOptions, fetchUrl, parseDataUri } from '../inputs/fetch-url.js'
import { bytesOf, type Held, headOf, holdBytes } from '../inputs/stored-bytes.js'
import { eachInFlight } from '../map-concurrent.js'
import { longestAnswer } from './request.js'
import type { ReadContext, Reply } from './service.js'

/**
 * Stores each image of an answer, delivered inside it or by link, in the answer's order. Links are followed at once:
 * they expire. @throws CapstanError `invalid_response` when an entry holds no image; then none is returned
 */
export async function readImages(reply: Reply, context: ReadContext): Promise<Artifact<'image'>[]> {
  const { mediaType, endpoint } = reply
  // Some servers answer with the picture itself.
  const isPicture = mediaType.startsWith('image/')
  const entries = isPicture ? [] : imageEntries(readRecord(await bytesOf(reply)))
  if (!entries) throw unusable(reply, `without images. It sent: ${wordsOf(await bytesOf(reply))}`)
  const found: Fetched[] = []
  try {
    if (entries.length === 0) found.push(reply)
    else await openAll(entries, reply, { ...context, found })
    const images: { held: Fetched; facts: ImageFacts }[] = []
    for (const [i, held] of found.entries())
      images.push({ held, facts: await checked(held, endpoint, i + 1) })
    const artifacts: Artifact<'image'>[] = []
    for (const { held, facts } of images)
      artifacts.push(await context.store.put(held.stream(), { kind: 'image', ...facts }))
    return artifacts
  } finally {
    await Promise.all(found.map((one) => one?.[Symbol.asyncDispose]()))
  }
}

/** More than anybody asks for: a stranger's list must not have us fetch without end. */
const mostImages = 100

/** Puts the bytes of all entries where they are found; when one fails, the fetching of the others ends. */
async function openAll(
  entries: readonly ImageEntry[],
  reply: Reply,
  { found, ...context }: ReadContext & { readonly found: Fetched[] },
): Promise<void> {
  if (entries.length > mostImages)
    throw unusable(reply, `with ${entries.length} images; at most ${mostImages} are taken`)
  // All links together are no more than an answer may be.
  const bytes = Math.min(limitsOf(context.allow).bytes, Math.floor(longestAnswer / entries.length))
  const allow = { ...context.allow, bytes }
  const run = async ([i, entry]: [number, ImageEntry], signal: AbortSignal) => {
    found[i] = await toBytes(entry, reply, { ...context, allow, signal, at: i + 1 })
  }
  await eachInFlight(entries.entries(), { inFlight: 10, run }, context.signal)
}

interface Place extends ReadContext {
  /** Which image of the answer, from 1. */
  readonly at: number
}

async function toBytes(
  { inside, link }: ImageEntry,
  reply: Reply,
  { at, signal, allow }: Place,
): Promise<Fetched> {
  const { baseURL, endpoint } = reply
  if (link !== undefined) return fetchImage(link, { baseURL, endpoint, signal, allow })
  if (inside === undefined)
    throw unusable(reply, `with an image ${at} that has neither "url" nor "b64_json"; it needs one of them`)
  const bytes = decodeBase64(inside)
  if (bytes) return { ...holdBytes(bytes), mediaType: '' }
  throw unusable(reply, `with an image ${at} whose b64_json is not base64. It begins: ${inside.slice(0, 40)}`)
}

async function checked(one: Fetched, endpoint: Reply['endpoint'], at: number): Promise<ImageFacts> {
  const facts = await factsOf(one, one.mediaType)
  if (!facts) {
    const words = wordsOf(await bytesOf(one))
    throw unusable({ endpoint }, `with an image ${at} that is no image. It holds: ${words}`)
  }
  if (await isWhole(one, facts.mediaType)) return facts
  throw unusable({ endpoint }, `with an image ${at} that is cut off (${facts.mediaType}); ask again`)
}

function unusable({ endpoint }: Pick<Reply, 'endpoint'>, how: string): CapstanError {
  return new CapstanError('invalid_response', `${endpoint} answered ${how}`, { evidence: { endpoint } })
}

/** One image of an answer, as far as its entry says where it is. */
interface ImageEntry {
  /** Base64. */
  readonly inside?: string
  /** An address, `data:` ones too. */
  readonly link?: string
}

/**
 * The entries of an answer that has images: a list called `data` as the interface has it, `images` or `output`, or a
 * list by itself. Undefined for any other answer.
 */
function imageEntries(answer: Readonly<Record<string, unknown>>): ImageEntry[] | undefined {
  const lists = [answer, answer.data, answer.images, answer.output]
  const list = lists.find((one): one is unknown[] => Array.isArray(one) && one.length > 0)
  return list?.map(toEntry)
}

/** Servers also send the text by itself, or call it by other names. */
function toEntry(entry: unknown): ImageEntry {
  if (typeof entry === 'string') return toPlace(entry)
  const { b64_json, url, image, b64, base64, image_url } = Object(entry) as Readonly<Record<string, unknown>>
  const inside = [b64_json, b64, base64].find(isFilled)
  if (inside !== undefined) return inside.startsWith('data:') ? { link: inside } : { inside }
  const link = [url, image_url, Object(image_url).url].find(isFilled)
  if (link !== undefined) return { link }
  return isFilled(image) ? toPlace(image) : {}
}

function toPlace(text: string): ImageEntry {
  return /^(data:|https?:)/i.test(text) ? { link: text } : { inside: text }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

interface LinkOptions extends Pick<FetchOptions, 'signal'> {
  /** Relative addresses are below it; its origin is fetched wherever it is, others when they are public https. */
  readonly baseURL: string
  /** Whose answer the address was in. */
  readonly endpoint: string
  /** Further hosts that may be fetched, and the limits. */
  readonly allow?: Allow | undefined
}

/**
 * Fetches an image that an answer links to, never with the key, each redirect checked like the address itself.
 * @throws CapstanError `invalid_response` for an address that is refused or too much data, `api`, `timeout`, `network`
 */
export async function fetchImage(address: string, options: LinkOptions): Promise<Fetched> {
  const { baseURL, endpoint, signal, allow = {} } = options
  const inside = parseDataUri(address)
  if (inside) return inside
  const what = `The image that ${endpoint} linked to`
  if (/^data:/i.test(address) || !URL.canParse(address, `${baseURL}/`)) {
    const message = `${what} could not be fetched: "${address.slice(0, 100)}" is no address that can be read.`
    throw new CapstanError('invalid_response', message, { evidence: { endpoint } })
  }
  const reach = { own: new URL(baseURL).origin, hosts: allow.hosts ?? [], anyPublic: 'https' } as const
  const told = { what, advice, code: 'invalid_response' } as const
  return fetchUrl(new URL(address, `${baseURL}/`), { ...told, signal, reach, limits: limitsOf(allow) })
}

const advice =
  'Give the service the baseURL by which it names its files, have it send b64_json, or allow the host: allow: { hosts }.'

/** Stores spoken audio, with how long it sounds. @throws CapstanError as `readSound` does */
export async function readAudio(reply: Reply, { store }: ReadContext): Promise<Artifact<'audio'>> {
  return storeSound(await readSound(reply), store)
}

/** Sound in a container, wherever its bytes are. */
interface HeldSound extends Held {
  readonly mediaType: string
}

/** Stores sound, with how long it sounds. */
export async function storeSound(sound: HeldSound, store: ReadContext['store']): Promise<Artifact<'audio'>> {
  const { mediaType } = sound
  const durationMs = await durationOf(sound)
  return store.put(sound.stream(), {
    kind: 'audio',
    mediaType,
    ...(durationMs === undefined ? {} : { durationMs }),
  })
}

/**
 * The sound of an answer; its container is what `Content-Type` says, unless the bytes tell another.
 * @throws CapstanError `invalid_response` for anything but sound, and for a container nobody names
 */
export async function readSound(reply: Reply): Promise<HeldSound> {
  const { endpoint } = reply
  const mediaType = await containerOf(reply)
  if (mediaType !== undefined && !(await isText(reply))) return { ...reply, mediaType }
  const bytes = await bytesOf(reply)
  const message = `${endpoint} answered without audio (Content-Type: ${reply.mediaType || 'none'}). It sent: ${wordsOf(bytes)}`
  throw new CapstanError('invalid_response', message, { evidence: { endpoint } })
}

/** Whether all of it is text: sound shows early that it is none. */
async function isText(held: Held): Promise<boolean> {
  return asText(await headOf(held, 512)) !== undefined && asText(await bytesOf(held)) !== undefined
}

async function containerOf(reply: Reply): Promise<string | undefined> {
  const said = usual.get(reply.mediaType) ?? reply.mediaType
  // Bare samples may look like anything.
  if (bare.includes(said)) return said
  const found = await contentType(await headOf(reply))
  const told = found && (usual.get(found) ?? found)
  if (told !== undefined) return told.startsWith('audio/') ? told : undefined
  // A header is a stranger's words, and models read the type of a recording.
  return /^audio\/[a-z0-9.+-]{1,40}$/.test(said) ? said : undefined
}

const bare: readonly string[] = ['audio/pcm', 'audio/l16']

const usual: ReadonlyMap<string, string> = new Map(
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

/** The text of a transcription or translation; silence gives `''`. @throws CapstanError `invalid_response` */
export async function readText(reply: Reply): Promise<string> {
  const bytes = await bytesOf(reply)
  const { text } = readRecord(bytes)
  if (typeof text === 'string') return text
  const message = `${reply.endpoint} answered without a text. It sent: ${wordsOf(bytes)}`
  throw new CapstanError('invalid_response', message, { evidence: { endpoint: reply.endpoint } })
}

/** The JSON object in a body; `{}` when there is none, so that every field is missing. */
function readRecord(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
