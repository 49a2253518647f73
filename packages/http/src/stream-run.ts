import type { RunEvent } from '@capstan/core'
import { toEventStream } from '@capstan/protocols/sse'
import type { ActiveRun } from './active-runs.js'
import type { RequestContext } from './context.js'
import { reportError, toHttpError } from './http-error.js'
import { type Encoder, toEvent } from './sse.js'

interface EncodedRun<Part extends object> {
  readonly run: ActiveRun
  readonly encoder: Encoder<Part>
}

export interface StreamRunOptions<Part> {
  readonly headers?: Readonly<Record<string, string>>
  /** Data of a last event. Default: none. */
  readonly endMark?: string
  /** Sequence number of the last event to skip. Default: the stream starts at the first event. */
  readonly after?: number
  /** Called when the stream was read to its end. */
  readonly onComplete?: () => void
  /** Formats a part as a server-sent event. Default: an event with only data. */
  readonly toText?: (part: Part) => string
}

/**
 * Streams a run through an encoder.
 * @throws HttpError 429 when the run has too many subscribers
 */
export function streamRun<Part extends object>(
  { run, encoder }: EncodedRun<Part>,
  { handler, request }: RequestContext,
  {
    headers,
    endMark,
    after,
    onComplete,
    toText = (part) => toEvent({ data: part }),
  }: StreamRunOptions<Part> = {},
): Response {
  run.check()
  const disconnected = disconnectController(request)
  const events = run.read(disconnected.signal, after)
  // An event that cannot be encoded is left out: the run and the stream continue.
  const encoded = (event: RunEvent) => {
    try {
      return encoder.event(event)
    } catch (error) {
      reportError(error, request, handler.options)
      return []
    }
  }
  const parts = async function* () {
    yield* encoder.first()
    try {
      for await (const event of events) yield* encoded(event)
      if (disconnected.signal.aborted) return
      yield* encoder.end(await run.result)
    } catch (thrown) {
      yield* encoder.failed(toHttpError(thrown))
    }
  }
  const pieces = async function* () {
    for await (const part of parts()) yield toText(part)
    if (disconnected.signal.aborted) return
    if (endMark !== undefined) yield toEvent({ data: endMark })
    onComplete?.()
  }
  return toEventStream(pieces(), {
    keepAliveMs: handler.options.keepAliveMs,
    onDisconnect: () => disconnected.abort(),
    headers: { ...streamHeaders, 'x-run-id': run.id, ...headers },
  })
}

/** Tell proxies neither to cache nor to buffer the stream. */
const streamHeaders = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }

/**
 * Returns a controller that aborts when the client disconnects. Servers report that by the request's signal,
 * by cancelling the stream, or by both.
 */
function disconnectController({ signal }: Request): AbortController {
  const disconnected = new AbortController()
  if (signal.aborted) disconnected.abort()
  else signal.addEventListener('abort', () => disconnected.abort(), { once: true })
  return disconnected
}
