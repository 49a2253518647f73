import type { Agent, ClientRequest, RequestOptions } from 'node:http'
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
  const targetOf = targets()
  const open = ({ url, headers, body }: TransportRequest) => {
    const target = targetOf(url)
    const isSecure = target.protocol === 'https:'
    const { request } = isSecure ? https : http
    return request({
      ...target,
      method: 'POST',
      headers: { ...headers, 'content-length': lengthOf(body) },
      agent: isSecure ? secure : plain,
    })
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

type Target = Pick<RequestOptions, 'protocol' | 'hostname' | 'port' | 'path'> & { servername?: string }

/** Takes addresses apart, an address that is the last one again only once. */
function targets(): (url: string) => Target {
  const { urlToHttpOptions } = process.getBuiltinModule('node:url')
  let known = ''
  let target: Target = {}
  return (url) => {
    if (url !== known) {
      const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url)) as Target
      // Without TLS nobody asks for a server's name: else it would be worked out for each request.
      target = { protocol, hostname, port, path, ...(protocol === 'http:' ? { servername: '' } : {}) }
      known = url
    }
    return target
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
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
