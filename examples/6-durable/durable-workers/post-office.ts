// A service outside, as runs meet it: it takes parcels by HTTP, and a key that comes again is no second parcel.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface PostOffice {
  readonly url: string
  /** All that was asked, in order; also what was asked again. */
  readonly asked: readonly Asked[]
  /** The cities that a worker asked for. */
  askedBy(worker: string): string
  /** What was sent, by idempotency key. */
  readonly sent: ReadonlyMap<string, string>
  /** Resolves once so many have asked. */
  reached(count: number): Promise<void>
  /** Until then nobody gets an answer. */
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
