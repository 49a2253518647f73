import type { IncomingMessage } from 'node:http'
import type { OnReadOpts } from 'node:net'
import {
  type FetchPolicy,
  type HostResolver,
  isTrusted,
  publicLookup,
  systemResolver,
} from './address-policy.js'

export interface RequestOptions {
  /** Determines which URLs are requested without checking the addresses of their host. Does not block any URL. */
  readonly policy: FetchPolicy
  readonly signal: AbortSignal
  /** The HTTP method. Default `GET`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The request body. Default: none. */
  readonly body?: Uint8Array | undefined
  /** Resolves host names. Default: the system's resolver. */
  readonly resolver?: HostResolver | undefined
  /** A buffer for the socket to read into, as in `net.connect`. Default: a new buffer for each read. */
  readonly onread?: OnReadOpts
}

/**
 * Whether this runtime has `node:http`, which `openRequest` requires. Other runtimes connect without checking
 * addresses.
 */
export function hasConnections(): boolean {
  return globalThis.process?.getBuiltinModule?.('node:http') !== undefined
}

/**
 * Sends one request over `node:http` or `node:https`, without following redirects. Connects only to an address that was
 * checked.
 * @throws PrivateHostError if the host is not public, otherwise the network error
 */
export function openRequest(
  url: URL,
  { policy, signal, method = 'GET', headers, body, resolver = systemResolver, onread }: RequestOptions,
): Promise<IncomingMessage> {
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const lookup = isTrusted(url, policy) ? {} : { lookup: publicLookup(resolver) }
  const options = {
    ...lookup,
    ...(onread && { onread }),
    signal,
    method,
    // Uses no agent, because an agent could reuse a connection whose address was not checked.
    agent: false as const,
    headers: {
      ...headers,
      'accept-encoding': 'identity',
      ...(body && { 'content-length': body.byteLength }),
    },
  }
  return new Promise((resolve, reject) => {
    request(url, options, resolve)
      .on('error', reject)
      // If the response is not valid HTTP, the connection closes without an error.
      .on('close', () => reject(new Error('the connection closed without a response')))
      .end(body)
  })
}
