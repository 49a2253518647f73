import type { Transport } from '@modelcontextprotocol/client'
import { type Address, endWithoutSecrets, longestSecret } from './address.js'
import { boundedFetch } from './bounded-fetch.js'
import { type HttpServer, type McpToolsOptions, type StdioServer, usualMaxBytes } from './mcp-options.js'

/** A way to a server, for one connection. */
export interface Way {
  readonly transport: Transport
  /** The last that a process said beside the protocol, without secrets. */
  lastWords?(): string
}

export async function toTransport(options: McpToolsOptions, address: Address): Promise<Way> {
  const { maxBytes = usualMaxBytes } = options
  if ('command' in options) return toProcess(options, maxBytes, address)
  if ('url' in options) return { transport: await toHttp(options, maxBytes, address) }
  return { transport: await options.transport() }
}

async function toProcess(
  { command, args = [], env, cwd }: StdioServer,
  maxBytes: number,
  address: Address,
): Promise<Way> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  // Of its own class a transport is asked about its era in a second process, which no signal ends.
  const transport = new (class extends StdioClientTransport {})({
    command,
    args: [...args],
    ...(env ? { env: { ...env } } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'pipe',
    maxBufferSize: maxBytes,
  })
  const decoder = new TextDecoder()
  const kept = lastWords + longestSecret(address)
  let words = ''
  transport.stderr?.on('data', (piece: Uint8Array) => {
    words = `${words}${decoder.decode(piece, { stream: true })}`.slice(-kept)
  })
  return { transport, lastWords: () => endWithoutSecrets(words, address, lastWords) }
}

const lastWords = 2000

async function toHttp(
  { url, headers, fetch = globalThis.fetch, authProvider }: HttpServer,
  maxBytes: number,
  { secrets }: Address,
): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const { origin } = new URL(url)
  const withHeaders: typeof fetch = async (input, init) => {
    // Where a login leads to is asked as well, and is not who the headers are for.
    const asked = new URL(input instanceof Request ? input.url : input)
    if (asked.origin !== origin) return fetch(input, init)
    const given = typeof headers === 'function' ? await headers() : headers
    const all = new Headers(init?.headers)
    for (const [name, value] of Object.entries(given ?? {})) {
      secrets.add(value)
      secrets.add(value.replace(/^Bearer\s+/i, ''))
      all.set(name, value)
    }
    return fetch(input, { ...init, headers: all })
  }
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch: boundedFetch(withHeaders, maxBytes),
    ...(authProvider ? { authProvider } : {}),
  })
}
