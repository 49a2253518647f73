import { type Artifact, type ArtifactInfo, CapstanError } from '@capstan/core'
import { lateFacts, pullStream } from '@capstan/core/internal'
import { startDurationMeter } from '../audio/duration.js'
import { ByteReader } from '../inputs/byte-streams.js'
import { decodeText, detectType, headBytes, textFrom } from '../inputs/detect-type.js'
import { readBytes, readLimited, type StoredBytes } from '../inputs/stored-bytes.js'
import { maxResponseBytes, type OpenResponse } from './request.js'
import type { ReadContext } from './service.js'

/** Audio in a container. The data is in memory or in a file. */
export interface StoredAudio extends StoredBytes {
  readonly mediaType: string
}

/**
 * Stores speech while it arrives, and measures its duration. The container is detected from the first bytes, or else
 * taken from `Content-Type`.
 * @throws CapstanError `invalid_response` if the response is not audio or its container is unknown, or the connection's
 * error. In both cases nothing is stored
 */
export async function storeSpeech(reply: OpenResponse, context: ReadContext): Promise<Artifact<'audio'>> {
  const { mediaType, head, rest } = await startAudio(reply, context)
  const duration = startDurationMeter({ mediaType, head, size: reply.size })
  const data = pullStream({
    async read(into) {
      const length = await rest.read(into)
      await duration.add(into.subarray(0, length))
      return length
    },
    async close() {
      duration.stop()
      await rest.close()
    },
  })
  const late = async () => toFacts(await duration.result())
  const info = { kind: 'audio', mediaType, [lateFacts]: late } as const
  try {
    return await context.store.put(data, info)
  } finally {
    // A store may reject without reading the bytes.
    duration.stop()
  }
}

/** Reads speech to its end without storing it. Dispose the result. @throws as `storeSpeech` does */
export async function readSpeech(reply: OpenResponse, context: ReadContext): Promise<StoredAudio> {
  const { mediaType, rest } = await startAudio(reply, context)
  return { ...(await readRest(rest, context)), mediaType }
}

function toFacts(durationMs: number | undefined): Pick<ArtifactInfo, 'durationMs'> {
  return durationMs === undefined ? {} : { durationMs }
}

interface StartedAudio {
  readonly mediaType: string
  readonly head: Uint8Array
  /** Reads all bytes, including `head`. */
  readonly rest: Pick<ByteReader, 'read' | 'close'>
}

/**
 * Reads the first bytes of a response, or the entire response if the first bytes look like text.
 * @throws CapstanError `invalid_response` for text, or for a type that is not audio
 */
async function startAudio(reply: OpenResponse, context: ReadContext): Promise<StartedAudio> {
  const reader = new ByteReader(reply.stream())
  const head = await reader.take(headBytes)
  const mediaType = await containerOf(reply.mediaType, head)
  const rest = withHead(head, reader)
  if (mediaType !== undefined && decodeText(head.subarray(0, 512)) === undefined)
    return { mediaType, head, rest }
  await using stored = await readRest(rest, context)
  const bytes = await readBytes(stored)
  if (mediaType !== undefined && decodeText(bytes) === undefined)
    return { mediaType, head, rest: withHead(bytes, reader) }
  const message = `${reply.endpoint} sent no audio (Content-Type: ${reply.mediaType || 'none'}). It sent: ${textFrom(bytes)}`
  throw new CapstanError('invalid_response', message, { evidence: { endpoint: reply.endpoint } })
}

/** Returns a reader that starts with bytes that have already been read. */
function withHead(head: Uint8Array, reader: ByteReader): Pick<ByteReader, 'read' | 'close'> {
  let left = head
  return {
    async read(into) {
      if (left.length === 0) return reader.read(into)
      const length = Math.min(left.length, into.length)
      into.set(left.subarray(0, length))
      left = left.subarray(length)
      return length
    },
    close: () => reader.close(),
  }
}

async function readRest(rest: StartedAudio['rest'], { signal }: ReadContext): Promise<StoredBytes> {
  // If the stream exceeds the limit, it fails by itself.
  return (await readLimited(maxResponseBytes, pullStream(rest), signal)) as StoredBytes
}

async function containerOf(declared: string, head: Uint8Array): Promise<string | undefined> {
  const said = canonicalTypes.get(declared) ?? declared
  // Raw samples can contain any bytes.
  if (rawTypes.includes(said)) return said
  const detected = await detectType(head)
  const found = detected && (canonicalTypes.get(detected) ?? detected)
  if (found !== undefined) return found.startsWith('audio/') ? found : undefined
  // Checks the header, because it is untrusted, and models get a recording's type.
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
