import type { RunEvent } from '@capstan/core'
import { toEventStream } from '@capstan/protocols/sse'
import type { RequestContext } from './context.js'
import { closing, HttpError, reportError, toHttpError } from './http-error.js'
import { type FollowedEnd, readRun } from './runs/reader.js'
import type { StoredError } from './runs/record.js'
import type { Following } from './runs/runs.js'
import { type Encoder, toEvent } from './sse.js'

interface EncodedRun<Part extends object> {
  readonly following: Following
  readonly encoder: Encoder<Part>
}

export interface StreamRunOptions<Part> {
  readonly headers?: Readonly<Record<string, string>>
  /** The data of an additional event at the end. Default: no such event. */
  readonly endMark?: string
  /** Called when the client has read the stream to its end. */
  readonly onComplete?: () => void
  /** Formats a part as a server-sent event. Default: an event with only data. */
  readonly toText?: (part: Part) => string
}

/**
 * Returns a response that streams a run in the encoder's format.
 * @throws HttpError 429 if the run has too many readers, 503 if the handler is closed
 */
export function streamRun<Part extends object>(
  { following, encoder }: EncodedRun<Part>,
  ctx: RequestContext,
  { headers, endMark, onComplete, toText = (part) => toEvent({ data: part }) }: StreamRunOptions<Part> = {},
): Response {
  const { handler, request } = ctx
  if (handler.runs.closed.aborted) throw closing()
  handler.runs.readers.check(following.runId)
  const disconnected = disconnectController(request)
  const events = followRun(following, ctx, disconnected.signal)
  // An event that cannot be encoded is omitted: the run and the stream continue.
  const encoded = (event: RunEvent) => {
    try {
      return encoder.event(event)
    } catch (error) {
      reportError(error, request, handler.options)
      return []
    }
  }
  let isWhole = false
  const parts = async function* () {
    yield* encoder.first()
    try {
      const end = yield* each(events, encoded)
      if (!end) return
      isWhole = true
      yield* 'error' in end ? encoder.failed(toClientError(end.error)) : encoder.end(end.result)
    } catch (thrown) {
      isWhole = true
      yield* encoder.failed(toHttpError(thrown))
    }
  }
  const pieces = async function* () {
    for await (const part of parts()) yield toText(part)
    if (!isWhole || disconnected.signal.aborted) return
    if (endMark !== undefined) yield toEvent({ data: endMark })
    onComplete?.()
  }
  return toEventStream(pieces(), {
    keepAliveMs: handler.options.keepAliveMs,
    onDisconnect: () => disconnected.abort(),
    headers: { ...streamHeaders, 'x-run-id': following.runId, ...headers },
  })
}

/** Yields the encoded parts of a run's events. Returns how the followed run ended. */
async function* each<Part>(
  events: AsyncGenerator<RunEvent, FollowedEnd | undefined>,
  encoded: (event: RunEvent) => readonly Part[],
): AsyncGenerator<Part, FollowedEnd | undefined> {
  for (;;) {
    const next = await events.next()
    if (next.done) return next.value
    yield* encoded(next.value)
  }
}

/**
 * Reads a run for a client. The client counts as a reader from this call on, and may disconnect before it has read
 * anything. A run in this process is aborted when its last reader leaves, unless `onDisconnect` is `finish`.
 */
function followRun(
  following: Following,
  ctx: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, FollowedEnd | undefined> {
  const { handler, user } = ctx
  const { runs } = handler
  const { runId } = following
  const release = runs.readers.add(runId, signal, (left) => {
    const isAlone = left === 0 && handler.options.onDisconnect === 'abort'
    if (isAlone) runs.liveOf(runId)?.abort(new Error('the client disconnected'))
  })
  const read = async function* () {
    try {
      return yield* readRun(runs, following, { owner: user.id, signal, ctx })
    } finally {
      release()
    }
  }
  return read()
}

/** Reads a run to its end without streaming. @throws the run's error as an HttpError */
export async function endOfRun(following: Following, ctx: RequestContext) {
  const { request } = ctx
  const left = disconnectController(request)
  const events = followRun(following, ctx, left.signal)
  for (;;) {
    const { done, value } = await events.next()
    if (!done) continue
    if (value && 'result' in value) return value.result
    throw value ? toClientError(value.error) : closing()
  }
}

function toClientError({ status, code, message, headers }: StoredError): HttpError {
  return new HttpError(status, code, message, headers)
}

/** Headers that tell proxies neither to cache nor to buffer the stream. */
const streamHeaders = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }

/**
 * Returns a controller that aborts when the client disconnects. Servers report this through the request's signal, by
 * cancelling the stream, or both.
 */
function disconnectController({ signal }: Request): AbortController {
  const disconnected = new AbortController()
  if (signal.aborted) disconnected.abort()
  else signal.addEventListener('abort', () => disconnected.abort(), { once: true })
  return disconnected
}
