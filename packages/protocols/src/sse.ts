/** A server-sent event. */
export interface StreamEvent {
  readonly id?: string
  readonly event?: string
  /** A string is sent unchanged, so it must be a single line. Any other value is sent as JSON. */
  readonly data: unknown
}

/** The content type of event streams. */
export const eventStreamType = 'text/event-stream; charset=utf-8'

/** Formats an event as it appears in the stream. */
export function toEvent({ id, event, data }: StreamEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

export interface EventStreamOptions {
  /** Milliseconds between keep-alive comments, which keep proxies from closing the connection. */
  readonly keepAliveMs: number
  /** Called when the reader disconnects before the end. */
  onDisconnect(): void
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns a response that streams these events. If the iterator throws, the stream is aborted. */
export function toEventStream(
  events: AsyncIterator<string>,
  { keepAliveMs, onDisconnect, headers }: EventStreamOptions,
): Response {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setInterval> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let unread = 0
      const alive = () => {
        // While the reader has unread events, no comment is sent. After `maxUnreadKeepAlives` such intervals, the
        // reader counts as disconnected.
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
        const { value, done } = await events.next()
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
      await events.return?.()
    },
  })
  return new Response(body, { headers: { 'content-type': eventStreamType, ...headers } })
}

/** Maximum number of consecutive keep-alive intervals in which the buffer has no space. */
const maxUnreadKeepAlives = 20
