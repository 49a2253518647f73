// An external service: it accepts parcels by HTTP. A repeated idempotency key is not a second parcel.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface PostOffice {
  readonly url: string
  /** All requests in order, repeated ones included. */
  readonly asked: readonly Asked[]
  /** Cities of the requests of one worker. */
  askedBy(worker: string): string
  /** Sent parcels by idempotency key. */
  readonly sent: ReadonlyMap<string, string>
  /** Resolves after this many requests. */
  reached(count: number): Promise<void>
  /** Starts to answer requests; until then all of them wait. */
  open(): void
  close(): void
}

interface Asked {
  readonly key: string
  readonly worker: string
  readonly city: string
}

export async function openPostOffice(): Promise<PostOffice> {
  const asked: Asked[] = []
  const sent = new Map<string, string>()
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = createServer(async (request, response) => {
    const parcel = (await json(request)) as Asked
    asked.push(parcel)
    sent.set(parcel.key, parcel.city)
    server.emit('asked')
    await opened
    response.end(JSON.stringify({ sent: parcel.city }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    sent,
    askedBy: (name) =>
      asked
        .flatMap(({ worker, city }) => (worker === name ? [city] : []))
        .sort()
        .join(', '),
    async reached(count) {
      while (asked.length < count) await once(server, 'asked')
    },
    open: () => open(),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
