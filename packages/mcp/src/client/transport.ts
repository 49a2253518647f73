import type { Transport } from '@modelcontextprotocol/client'
import { type HttpServer, type McpToolsOptions, type StdioServer, usualMaxBytes } from './options.js'
import { type Address, endWithoutSecrets, longestSecret } from './server-text.js'

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

type Fetch = typeof globalThis.fetch

/** A fetch whose answers break off when one message in them, an event or a whole body, is longer than `maxBytes`. */
export function boundedFetch(fetch: Fetch, maxBytes: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const body = response.body.pipeThrough(meter(maxBytes, isStream))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

/** Counts the bytes of a body, of a stream of events from the end of the last one. */
function meter(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let last = 0
  return new TransformStream({
    transform(chunk, out) {
      for (const byte of chunk) {
        // A line feed is no part of another character, and a carriage return only ever comes with one here.
        const endsEvent = isStream && byte === lineFeed && last === lineFeed
        bytes = endsEvent ? 0 : bytes + 1
        if (byte !== carriageReturn) last = byte
      }
      if (bytes > maxBytes) throw new Error(`A message of the server is longer than ${maxBytes} bytes.`)
      out.enqueue(chunk)
    },
  })
}

const lineFeed = 10
const carriageReturn = 13
