import { type Artifact, CapstanError } from '@capstan/core'
import { decodeBase64 } from './decode-base64.js'
import { type Fetched, fetchImage } from './fetch-image.js'
import type { ReadContext, Reply } from './media-service.js'
import { readRecord } from './read-record.js'
import { type ImageFacts, recognizeImage } from './recognize-image.js'
import { wordsOf } from './words-of.js'

/**
 * Stores each image of an answer, delivered inside it or by link, in the answer's order.
 * @throws CapstanError `invalid_response` when an entry holds no image; then none is returned
 */
export async function readImages(reply: Reply, { store, signal }: ReadContext): Promise<Artifact<'image'>[]> {
  const { data } = readRecord(reply.bytes)
  if (!Array.isArray(data) || data.length === 0) {
    throw unusable(reply, `without images. It sent: ${wordsOf(reply.bytes)}`)
  }
  const images = await Promise.all(data.map((entry, i) => toImage(entry, { reply, signal, at: i + 1 })))
  const artifacts: Artifact<'image'>[] = []
  for (const { bytes, facts } of images) artifacts.push(await store.put(bytes, { kind: 'image', ...facts }))
  return artifacts
}

interface Origin {
  readonly reply: Reply
  readonly signal: AbortSignal
  /** Which image of the answer, from 1. */
  readonly at: number
}

async function toImage(entry: unknown, origin: Origin): Promise<{ bytes: Uint8Array; facts: ImageFacts }> {
  const { bytes, mediaType } = await toBytes(entry, origin)
  const facts = recognizeImage(bytes, mediaType)
  if (facts) return { bytes, facts }
  throw unusable(origin.reply, `with an image ${origin.at} that is no image. It holds: ${wordsOf(bytes)}`)
}

async function toBytes(entry: unknown, { reply, signal, at }: Origin): Promise<Fetched> {
  const { b64_json, url } = (entry ?? {}) as { b64_json?: unknown; url?: unknown }
  const { baseURL, endpoint } = reply
  const [inside, link] = isFilled(b64_json) && b64_json.startsWith('data:') ? ['', b64_json] : [b64_json, url]
  if (isFilled(inside)) {
    const bytes = decodeBase64(inside)
    if (bytes) return { bytes, mediaType: '' }
    const start = inside.slice(0, 40)
    throw unusable(reply, `with an image ${at} whose b64_json is not base64. It begins: ${start}`)
  }
  if (isFilled(link)) return fetchImage(link, { baseURL, endpoint, signal })
  throw unusable(reply, `with an image ${at} that has neither "url" nor "b64_json"; it needs one of them`)
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function unusable({ endpoint }: Reply, how: string): CapstanError {
  return new CapstanError('invalid_response', `${endpoint} answered ${how}`, { evidence: { endpoint } })
}
