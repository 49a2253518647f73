import { CapstanError } from '@capstan/core'
import {
  EventDecoder,
  isEndMark,
  isErrorName,
  isHeartbeat,
  isRecord,
  type ServerEvent,
  serverMessage,
  tryJson,
} from '@capstan/core/internal'
import type { OpenResponse } from './request.js'

/** A partial image from a stream. */
interface PartialImage {
  /** The entry as the server sent it. */
  readonly entry: Readonly<Record<string, unknown>>
  /** The number of this partial image, counted from 0 for each image. */
  readonly index: number
}

interface ImageEventsOptions {
  readonly endpoint: OpenResponse['endpoint']
  /** Called for each partial image. The next event is read after the promise resolves. */
  onPartial(partial: PartialImage): Promise<void>
}

/** Whether a body is a stream of server-sent events, according to its declared type or its first bytes. */
export function isEventStream(mediaType: string, head: Uint8Array = new Uint8Array()): boolean {
  return mediaType === 'text/event-stream' || /^\s*(event|data) *:/.test(new TextDecoder().decode(head))
}

/**
 * Reads a streamed response to an image request. Returns the events that contain complete images, in order.
 * @throws CapstanError for a server error, `invalid_response` if an event is not JSON, `truncated` if the stream ends
 * without an image
 */
export async function readImageEvents(
  body: ReadableStream<Uint8Array>,
  { endpoint, onPartial }: ImageEventsOptions,
): Promise<unknown[]> {
  const complete: unknown[] = []
  let partials = 0
  for await (const event of eachEvent(body)) {
    if (isEndMark(event.data)) break
    if (isHeartbeat(event)) continue
    if (isErrorName(event.type)) throw failedStream(endpoint, event.data)
    const value = tryJson(event.data)
    if (!isRecord(value)) throw unreadableEvent(endpoint, event)
    const type = String(value.type ?? event.type)
    if (isErrorName(type) || value.error) throw failedStream(endpoint, event.data)
    if (/partial_image/i.test(type)) {
      await onPartial({ entry: value, index: toIndex(value, partials) })
      partials += 1
    } else if (holdsImages(value)) {
      complete.push(value)
      partials = 0
    }
  }
  if (complete.length > 0) return complete
  const message = `${endpoint} ended its stream without an image. Try again.`
  throw new CapstanError('truncated', message, { retryable: true, evidence: { endpoint } })
}

function toIndex({ partial_image_index: index }: PartialImage['entry'], otherwise: number): number {
  return Number.isSafeInteger(index) ? Number(index) : otherwise
}

/** Whether an event contains an image or an array of images. The last event of some servers contains neither. */
function holdsImages(value: Readonly<Record<string, unknown>>): boolean {
  return imageFields.some((name) => Boolean(value[name]))
}

const imageFields = ['b64_json', 'url', 'data', 'images', 'output', 'image', 'image_url', 'b64', 'base64']

function unreadableEvent(endpoint: string, { data }: ServerEvent): CapstanError {
  const message = `${endpoint} streamed an event that is not a JSON object. It sent: ${serverMessage(data)}`
  return new CapstanError('invalid_response', message, { evidence: { endpoint } })
}

function failedStream(endpoint: string, data: string): CapstanError {
  const message = `${endpoint} ended its stream with an error: ${serverMessage(data)}`
  return new CapstanError('api', message, { evidence: { endpoint } })
}

/** Yields the events in a body. Closes the body when the consumer stops. */
async function* eachEvent(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const events: ServerEvent[] = []
  const decoder = new EventDecoder((event) => events.push(event))
  const text = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      decoder.write(text.decode(value, { stream: !done }))
      if (done) decoder.end()
      yield* events.splice(0)
      if (done) return
    }
  } finally {
    // Not awaited, because cancelling a stream that hangs may hang too.
    reader.cancel().catch(() => {})
  }
}
