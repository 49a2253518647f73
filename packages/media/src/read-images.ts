import { type Artifact, CapstanError } from '@capstan/core'
import { eachInFlight } from './audio/each-in-flight.js'
import { decodeBase64 } from './decode-base64.js'
import { fetchImage } from './fetch-image.js'
import { type ImageEntry, imageEntries } from './image-entries.js'
import { factsOf } from './images/check-image.js'
import { isWhole } from './images/is-whole.js'
import { limitsOf } from './inputs/allow.js'
import type { Fetched } from './inputs/fetch-url.js'
import { bytesOf, holdBytes } from './inputs/held.js'
import type { ReadContext, Reply } from './media-service.js'
import { longestAnswer } from './post.js'
import { readRecord } from './read-record.js'
import type { ImageFacts } from './recognize-image.js'
import { wordsOf } from './words-of.js'

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
