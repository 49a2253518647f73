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
  /** The URLs that are allowed without a check of their lookup. */
  readonly policy: FetchPolicy
  readonly signal: AbortSignal
  /** The method. Default `GET`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The body. Default: none. */
  readonly body?: Uint8Array | undefined
  /** Resolves host names. Default: the system's resolver. */
  readonly resolver?: HostResolver | undefined
  /** The buffer into which the connection is read. Default: a new one for each read. */
  readonly onread?: OnReadOpts
}

/** Whether this runtime has Node's connections. Other runtimes resolve names unchecked. */
export function hasConnections(): boolean {
  return globalThis.process?.getBuiltinModule?.('node:http') !== undefined
}

/**
 * Sends one request over node:http without following redirects. Connects to the address that was checked.
 * @throws PrivateHostError for a host that is not public, or the network error
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
    // No agent: a kept-alive connection was never checked.
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
      // A response that is not valid HTTP closes the connection without an error.
      .on('close', () => reject(new Error('the connection closed without a response')))
      .end(body)
  })
}
