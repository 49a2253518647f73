import type { Encoder } from './encoder.js'
import { toHttpError } from './http-error.js'
import { leavingOf } from './leaving.js'
import type { LiveRun } from './live-run.js'
import type { Visit } from './site.js'
import { toEvent, toEventStream } from './sse.js'

export interface PartStreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** What stands behind the last part. Default: nothing. */
  readonly mark?: string
}

/** A run from its first event on, as it is told by an encoder. */
export function toPartStream(
  { run, encoder }: { readonly run: LiveRun; readonly encoder: Encoder },
  { site, request }: Visit,
  { headers, mark }: PartStreamOptions = {},
): Response {
  const leaving = leavingOf(request)
  const parts = async function* () {
    yield* encoder.first()
    try {
      for await (const event of run.read(leaving.signal)) yield* encoder.event(event)
      if (leaving.signal.aborted) return
      yield* encoder.end(await run.result)
    } catch (thrown) {
      yield* encoder.failed(toHttpError(thrown))
    }
  }
  const pieces = async function* () {
    for await (const part of parts()) yield toEvent({ data: part })
    if (mark !== undefined && !leaving.signal.aborted) yield toEvent({ data: mark })
  }
  return toEventStream(pieces(), {
    keepAliveMs: site.options.keepAliveMs,
    left: () => leaving.abort(),
    headers: { 'x-run-id': run.id, ...headers },
  })
}
