import type { AnyRunResult, RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'
import type { HttpError } from './http-error.js'

interface StreamOptions {
  /** A comment is sent at this interval, so that proxies keep the connection open. */
  readonly keepAliveMs: number
  /** Called when the reader disconnects before the end. */
  onDisconnect(): void
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns a response that streams these chunks. An error of the iterator breaks the stream off. */
export function toEventStream(
  pieces: AsyncIterator<string>,
  { keepAliveMs, onDisconnect, headers }: StreamOptions,
): Response {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setInterval> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let unread = 0
      const alive = () => {
        // While chunks are unread no comment is sent; after `maxUnreadKeepAlives` of them the
        // reader counts as gone.
        unread = (controller.desiredSize ?? 0) > 0 ? 0 : unread + 1
        if (unread === 0) controller.enqueue(encoder.encode(': alive\n\n'))
        if (unread < maxUnreadKeepAlives) return
        clearInterval(timer)
        onDisconnect()
        controller.error(new Error('the stream is not being read'))
      }
      timer = setInterval(alive, keepAliveMs)
      // The timer must not keep the process alive.
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
      onDisconnect()
      await pieces.return?.()
    },
  })
  return new Response(body, { headers: { ...streamHeaders, ...headers } })
}

/** Consecutive keep-alives for which the buffer had no space. */
const maxUnreadKeepAlives = 20

/** Tell proxies neither to cache nor to buffer the stream. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** A server-sent event. */
export interface StreamEvent {
  readonly id?: string
  readonly event?: string
  /** A string is sent as it is, any other value as JSON. */
  readonly data: unknown
}

/**
 * Formats an event. The data is one line, because JSON has no line breaks. Never throws: values that JSON
 * cannot represent are replaced by text.
 */
export function toEvent({ id, event, data }: StreamEvent): string {
  const json = typeof data === 'string' ? data : toJsonText(data)
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${json}\n\n`
}

/** Converts a run's events to the parts of a protocol. */
export interface Encoder<Part extends object = object> {
  first(): readonly Part[]
  event(event: RunEvent): readonly Part[]
  end(result: AnyRunResult): readonly Part[]
  failed(error: HttpError): readonly Part[]
}
