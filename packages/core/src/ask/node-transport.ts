import type { Agent, ClientRequest } from 'node:http'
import { CapstanError } from '../words/error.js'
import { Exchange, Unsent } from './node-exchange.js'
import type { Timeouts } from './timeouts.js'
import type { Transport, TransportRequest } from './transport.js'

/** A node:http agent, as far as its type need be known here: declarations must not ask for Node's own. */
export interface HttpAgent {
  destroy(): void
}

/**
 * A transport over node:http, at a third of what `fetch` costs; undefined where there is none. The modules are
 * asked for by name, so that bundles for browsers and workers need no `node:` import.
 */
export function nodeTransport(timeouts: Timeouts, given?: HttpAgent): Transport | undefined {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  const https = globalThis.process?.getBuiltinModule?.('node:https')
  if (!http || !https) return undefined
  const agent = given as Agent | undefined
  const plain = agent ?? new http.Agent({ keepAlive: true, maxFreeSockets: 256 })
  const secure = agent ?? new https.Agent({ keepAlive: true, maxFreeSockets: 256 })
  const open = ({ url, headers, body }: TransportRequest) => {
    const options = { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } }
    const isSecure = url.startsWith('https:')
    return isSecure
      ? https.request(url, { ...options, agent: secure })
      : http.request(url, { ...options, agent: plain })
  }
  return async (request) => {
    for (;;) {
      try {
        return await new Exchange(opened(open, request), request, timeouts).response
      } catch (error) {
        // Each time one kept connection fewer is left.
        if (!(error instanceof Unsent)) throw error
        request.signal.throwIfAborted()
      }
    }
  }
}

function opened(
  open: (request: TransportRequest) => ClientRequest,
  request: TransportRequest,
): ClientRequest {
  try {
    return open(request)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_INVALID_PROTOCOL') throw error
    const message = `The agent is not for ${new URL(request.url).protocol}// addresses. Give one of node:https for https, of node:http for http.`
    throw new CapstanError('invalid_request', message, { cause: error })
  }
}
