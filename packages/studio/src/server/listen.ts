import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'

/** A port that the studio listens on, over IPv4 and, if possible, IPv6. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/**
 * Listens on this machine's loopback addresses only.
 * @param port Pass 0 for any free port. Default: 4200, or the next free port if 4200 is in use
 * @throws Error if a specific port is in use
 */
export async function listen(listener: RequestListener, port?: number): Promise<Listening> {
  const first = await listenFirst(listener, port)
  const { port: found } = first.address() as { readonly port: number }
  // Without IPv6, ::1 does not exist, and another program could be using the port there.
  const second = await listenOn(listener, found, '::1').catch(() => undefined)
  const servers = second ? [first, second] : [first]
  return {
    port: found,
    async close() {
      await Promise.all(servers.map(closeServer))
    },
  }
}

async function listenFirst(listener: RequestListener, port?: number): Promise<Server> {
  if (port !== undefined) return listenOn(listener, port, '127.0.0.1').catch(toPortError(port))
  for (let next = usualPort; next < usualPort + mostTried; next++) {
    const server = await listenOn(listener, next, '127.0.0.1').catch(ignoreTaken)
    if (server) return server
  }
  return listenOn(listener, 0, '127.0.0.1')
}

const usualPort = 4200
const mostTried = 20

async function listenOn(listener: RequestListener, port: number, host: string): Promise<Server> {
  const server = createServer(listener)
  server.listen({ port, host, exclusive: true })
  await once(server, 'listening')
  return server
}

function ignoreTaken(error: unknown): undefined {
  if (!isTaken(error)) throw error
}

function toPortError(port: number) {
  return (error: unknown): never => {
    if (!isTaken(error)) throw error
    throw new Error(`Port ${port} is in use. Choose a different port, or 0 for any free one.`, {
      cause: error,
    })
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
