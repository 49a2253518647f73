import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import { startImageLinks } from './endpoints/image-links.js'
import { handleRequest, pathOf } from './http/handle-request.js'
import { toRoutes } from './routes.js'
import type { ServiceOptions } from './service-options.js'
import { checkOptions } from './service-options.js'

/** A running service. `baseURL` and `apiKey` are what an `openai` client takes. */
export interface Service {
  /** For example `http://127.0.0.1:4100/v1`. */
  readonly baseURL: string
  readonly apiKey: string
  /** Ends open connections and resolves when nothing of the service is left. */
  readonly close: () => Promise<void>
}

/** Starts the service. Rejects when an option is wrong or the port is taken. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { port, host, apiKey, maxBodyBytes, log } = checkOptions(options)
  const links = startImageLinks()
  const onFault = (error: unknown) => log?.(`internal_error ${placeOf(error)}`)
  const door = { ...toRoutes(links), apiKey, maxBodyBytes, onFault }
  const busy = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const started = performance.now()
    const work = handleRequest(door, request, response).finally(() => busy.delete(work))
    busy.add(work)
    response.once('close', () => {
      const path = pathOf(request).replace(/^\/files\/.*/, '/files/*')
      const status = response.writableFinished ? response.statusCode : 'aborted'
      log?.(`${request.method} ${path} ${status} ${Math.round(performance.now() - started)}ms`)
    })
  })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= shutDown(server, busy).finally(() => links.close())
    return closing
  }
  try {
    await listen(server, port, host)
  } catch (error) {
    links.close()
    throw error
  }
  return { baseURL: `${toOrigin(server)}/v1`, apiKey, close }
}

// The kind of a fault and where it happened; its message might repeat what the client sent.
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const [place = ''] = /\bat .+/.exec(error.stack ?? '') ?? []
  return `${error.name} ${place}`.trim()
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!taken) throw error
    throw new Error(`Port ${port} is in use: choose another one, or 0 for any that is free.`, {
      cause: error,
    })
  }
}

// "Every address" is no address to call: this machine's own stands for it.
function toOrigin(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The service is not listening.')
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address] ?? address.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

async function shutDown(server: Server, busy: ReadonlySet<Promise<void>>): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await Promise.all([closed, ...busy])
}
