import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'

interface Closing {
  readonly server: Server
  readonly answering: ReadonlySet<Answering>
  /** How long that may go on. Milliseconds. */
  readonly graceMs: number
  /** Ends what the answers stand on. */
  readonly end: () => Promise<void>
}

/** A request that is being received or answered. */
export interface Answering {
  readonly request: IncomingMessage
  /** Resolves when its answer is written, or nobody is there to read it. */
  readonly done: Promise<void>
}

/** Takes no more connections, waits for the answers that have begun, but not for ever, and ends the rest. */
export async function shutDown({ server, answering, graceMs, end }: Closing): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  for (const { request } of answering) if (!request.complete) request.destroy()
  await Promise.race([late, allDone(answering)])
  clearTimeout(timer)
  server.closeAllConnections()
  await Promise.all([closed, end()])
  await allDone(answering)
}

async function allDone(answering: ReadonlySet<Answering>): Promise<void> {
  await Promise.all([...answering].map(({ done }) => done))
}
