import type { AnyRunResult, RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'
import type { HttpError } from './http-error.js'

/** Text for an event stream, as it comes. */
interface StreamOptions {
  /** A comment is sent so often, so that what stands between does not hang up. */
  readonly keepAliveMs: number
  /** Called when the reader is gone before the end. */
  left(): void
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer that streams these pieces; one that is thrown ends it in the middle. */
export function toEventStream(
  pieces: AsyncIterator<string>,
  { keepAliveMs, left, headers }: StreamOptions,
): Response {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setInterval> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let untaken = 0
      const alive = () => {
        // What nobody takes need not be kept awake, and at last is as if nobody read it.
        untaken = (controller.desiredSize ?? 0) > 0 ? 0 : untaken + 1
        if (untaken === 0) controller.enqueue(encoder.encode(': alive\n\n'))
        if (untaken < longestUntaken) return
        clearInterval(timer)
        left()
        controller.error(new Error('nobody reads'))
      }
      timer = setInterval(alive, keepAliveMs)
      // A program that is done need not wait for readers.
      if (typeof timer === 'object') timer.unref()
    },
    async pull(controller) {
      try {
        const { value, done } = await pieces.next()
        if (!done) return controller.enqueue(encoder.encode(value))
        clearInterval(timer)
        controller.close()
      } catch (error) {
        clearInterval(timer)
        controller.error(error)
      }
    },
    async cancel() {
      clearInterval(timer)
      left()
      await pieces.return?.()
    },
  })
  return new Response(body, { headers: { ...streamHeaders, ...headers } })
}

/** Signs of life in a row for which there was no room. */
const longestUntaken = 20

/** Proxies must neither keep nor collect it. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** One event of a stream. */
export interface StreamEvent {
  readonly id?: string
  readonly event?: string
  /** A text as it is, all else as JSON. */
  readonly data: unknown
}

/** An event as it is sent. Data is one line: JSON has no line ends of its own. Never throws: text stands in place of what JSON cannot hold. */
export function toEvent({ id, event, data }: StreamEvent): string {
  const json = typeof data === 'string' ? data : toJsonText(data)
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${json}\n\n`
}

/** A run in the parts of a protocol: one object for each event of its stream. */
export interface Encoder<Part extends object = object> {
  first(): readonly Part[]
  event(event: RunEvent): readonly Part[]
  end(result: AnyRunResult): readonly Part[]
  failed(error: HttpError): readonly Part[]
}
