import { once } from 'node:events'
import type { Server } from 'node:http'
import { startImageLinks } from './endpoints/image-links.js'
import { startWhisper } from './endpoints/transcription.js'
import { playScript } from './play-script.js'
import { toRoutes } from './routes.js'
import { type OpenRequest, shutDown, toServer } from './server.js'
import { checkOptions, type ServiceOptions } from './service-options.js'
import { startWork } from './work/start-work.js'

/** A running service. An `openai` client takes `baseURL` and `apiKey`. */
export interface Service {
  /** For example `http://127.0.0.1:4100/v1`. */
  readonly baseURL: string
  /** `none` when no key is required; any other key works then too. */
  readonly apiKey: string
  /**
   * Accepts no more requests, gives open responses time to finish, and resolves when all resources are
   * closed.
   */
  readonly close: () => Promise<void>
}

/** Starts the service. Rejects when an option is invalid or the port is taken. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const checked = checkOptions(options)
  const { port, host, apiKey, workers, queue, upstream, closeTimeoutMs } = checked
  const script = checked.script && playScript(checked.script)
  // First, because it may take long or fail: then nothing else needs to be closed.
  const whisper = checked.whisper === undefined ? undefined : await startWhisper(checked.whisper)
  const links = startImageLinks()
  const work = startWork({ workers, queue })
  const end = async () => {
    links.close()
    await Promise.all([work.close(), whisper?.close()])
  }
  const answering = new Set<OpenRequest>()
  const server = toServer(checked, toRoutes({ links, work, script, whisper, upstream }), answering)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= shutDown({ server, answering, graceMs: closeTimeoutMs, end })
    return closing
  }
  try {
    await listen(server, port, host)
  } catch (error) {
    await end()
    throw error
  }
  return { baseURL: `${toOrigin(server)}/v1`, apiKey: apiKey || 'none', close }
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!taken) throw error
    throw new Error(`Port ${port} is in use. Choose another one, or 0 for a free one.`, {
      cause: error,
    })
  }
}

// A wildcard address is not a valid target: clients use the loopback address.
function toOrigin(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The service is not listening.')
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address] ?? address.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}
