import { once } from 'node:events'
import type { Server } from 'node:http'
import { startImageLinks } from './endpoints/image-links.js'
import { startOwnModels } from './endpoints/own-models.js'
import { createJournal, type RecordedRequest } from './http/journal.js'
import { toRoutes } from './routes.js'
import type { ScriptOptions, ScriptRule } from './script.js'
import { startScripts } from './scripts.js'
import { type OpenRequest, shutDown, toServer } from './server.js'
import { checkOptions, type ServiceOptions } from './service-options.js'
import { isUpstream } from './upstream.js'
import { startWork } from './work/start-work.js'

/** A running service. Pass its `baseURL` and `apiKey` to an `openai` client. */
export interface Service {
  /** The base URL, such as `http://127.0.0.1:4100/v1`. */
  readonly baseURL: string
  /** The key. If no key is required, this is `none`, and clients can send any key. */
  readonly apiKey: string
  /**
   * The newest requests, oldest first, without keys and long base64. Tests can check what clients sent. The option
   * `journal` limits their number.
   */
  readonly requests: readonly RecordedRequest[]
  /**
   * Replaces the scripted chat replies for later requests. With an empty array, the planner replies to all requests.
   * @throws TypeError that names the rule and the problem, or if the upstream server handles chat
   */
  readonly setRules: (rules: ScriptOptions | readonly ScriptRule[]) => void
  /** Removes the recorded requests and restores the rules in the options. Call it between tests. */
  readonly reset: () => void
  /** Stops accepting requests, and gives open responses time to finish. Resolves when everything is closed. */
  readonly close: () => Promise<void>
}

/** Starts the service. Rejects if an option is invalid or the port is in use. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const checked = checkOptions(options)
  const { port, host, apiKey, workers, queue, upstream, closeTimeoutMs } = checked
  const scripts = startScripts(checked)
  const secrets = [apiKey || '', upstream?.apiKey ?? '']
  const journal = createJournal({ most: checked.journal, secrets })
  // This may take long or fail, so it comes first: nothing else has to be closed then.
  const own = await startOwnModels(checked)
  const links = startImageLinks()
  const work = startWork({ workers, queue })
  const end = async () => {
    links.close()
    await Promise.all([work.close(), own.close()])
  }
  const answering = new Set<OpenRequest>()
  const routes = toRoutes({ ...checked, links, work, scripts, own })
  const server = toServer(checked, { routes, journal, answering })
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
  return {
    baseURL: `${toOrigin(server)}/v1`,
    apiKey: apiKey || 'none',
    get requests() {
      return journal.list()
    },
    setRules: (rules) => {
      if (isUpstream(upstream, 'chat'))
        throw new TypeError(
          'Rules have no effect: the upstream server handles chat. Remove "chat" from upstream.endpoints.',
        )
      scripts.set(rules)
    },
    reset: () => {
      journal.clear()
      scripts.reset()
    },
    close,
  }
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!taken) throw error
    throw new Error(`Port ${port} is in use. Choose another, or 0 for a free port.`, {
      cause: error,
    })
  }
}

// Clients cannot connect to a wildcard address, so this returns the loopback address instead.
function toOrigin(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The service is not listening.')
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address] ?? address.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}
