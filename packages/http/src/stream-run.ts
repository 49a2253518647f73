import type { RunEvent } from '@capstan/core'
import type { LiveRun } from './active-runs.js'
import type { Visit } from './context.js'
import { tellHouse, toHttpError } from './http-error.js'
import { type Encoder, toEvent, toEventStream } from './sse.js'

/** A run, and how it is told. */
interface Told<Part extends object> {
  readonly run: LiveRun
  readonly encoder: Encoder<Part>
}

interface PartStreamOptions<Part> {
  readonly headers?: Readonly<Record<string, string>>
  /** What stands behind the last part. Default: nothing. */
  readonly mark?: string
  /** The event behind which it begins. Default: the first event is told. */
  readonly after?: number
  /** Called when all of it was told. */
  readonly whole?: () => void
  /** A part as an event of the stream. Default: its data. */
  readonly toText?: (part: Part) => string
}

/** A run as it is told by an encoder. @throws HttpError 429 when as many read it as may */
export function toPartStream<Part extends object>(
  { run, encoder }: Told<Part>,
  { site, request }: Visit,
  { headers, mark, after, whole, toText = (part) => toEvent({ data: part }) }: PartStreamOptions<Part> = {},
): Response {
  run.check()
  const leaving = leavingOf(request)
  const events = run.read(leaving.signal, after)
  // An event that cannot be told is left out: its run goes on, and so does the stream.
  const told = (event: RunEvent) => {
    try {
      return encoder.event(event)
    } catch (error) {
      tellHouse(error, request, site.options)
      return []
    }
  }
  const parts = async function* () {
    yield* encoder.first()
    try {
      for await (const event of events) yield* told(event)
      if (leaving.signal.aborted) return
      yield* encoder.end(await run.result)
    } catch (thrown) {
      yield* encoder.failed(toHttpError(thrown))
    }
  }
  const pieces = async function* () {
    for await (const part of parts()) yield toText(part)
    if (leaving.signal.aborted) return
    if (mark !== undefined) yield toEvent({ data: mark })
    whole?.()
  }
  return toEventStream(pieces(), {
    keepAliveMs: site.options.keepAliveMs,
    left: () => leaving.abort(),
    headers: { 'x-run-id': run.id, ...headers },
  })
}

/** Aborted when the reader of an answer leaves: hosts tell that by the request's signal, by the stream, or by both. */
function leavingOf({ signal }: Request): AbortController {
  const leaving = new AbortController()
  if (signal.aborted) leaving.abort()
  else signal.addEventListener('abort', () => leaving.abort(), { once: true })
  return leaving
}
