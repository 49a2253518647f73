import type { Transport } from '@modelcontextprotocol/client'
import { defaultMaxBytes, type HttpServer, type McpToolsOptions, type StdioServer } from './options.js'
import { longestSecret, redactedEnd, type ServerAddress } from './server-text.js'

/** The transport of one connection. */
export interface ServerTransport {
  readonly transport: Transport
  /** Returns the last standard error output of the server's process, with secrets redacted. */
  lastStderr?(): string
}

export async function openTransport(
  options: McpToolsOptions,
  address: ServerAddress,
): Promise<ServerTransport> {
  const { maxBytes = defaultMaxBytes } = options
  if ('command' in options) return stdioTransport(options, maxBytes, address)
  if ('url' in options) return { transport: await httpTransport(options, maxBytes, address) }
  return { transport: await options.transport() }
}

async function stdioTransport(
  { command, args = [], env, cwd }: StdioServer,
  maxBytes: number,
  address: ServerAddress,
): Promise<ServerTransport> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  // The SDK probes a plain StdioClientTransport in a second process, which no signal ends; a subclass it does
  // not.
  const transport = new (class extends StdioClientTransport {})({
    command,
    args: [...args],
    ...(env ? { env: { ...env } } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'pipe',
    maxBufferSize: maxBytes,
  })
  const decoder = new TextDecoder()
  const keptLength = lastStderr + longestSecret(address)
  let text = ''
  transport.stderr?.on('data', (piece: Uint8Array) => {
    text = `${text}${decoder.decode(piece, { stream: true })}`.slice(-keptLength)
  })
  return { transport, lastStderr: () => redactedEnd(text, address, lastStderr) }
}

const lastStderr = 2000

async function httpTransport(
  { url, headers, fetch = globalThis.fetch, authProvider }: HttpServer,
  maxBytes: number,
  { secrets }: ServerAddress,
): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const { origin } = new URL(url)
  const withHeaders: typeof fetch = async (input, init) => {
    // OAuth endpoints may be on other origins, which must not get the headers.
    const target = new URL(input instanceof Request ? input.url : input)
    if (target.origin !== origin) return fetch(input, init)
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
    fetch: limitMessages(withHeaders, maxBytes),
    ...(authProvider ? { authProvider } : {}),
  })
}

type Fetch = typeof globalThis.fetch

/**
 * Wraps fetch: a response breaks off when one of its messages, an event or a whole body, exceeds `maxBytes`.
 */
export function limitMessages(fetch: Fetch, maxBytes: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const body = response.body.pipeThrough(messageMeter(maxBytes, isStream))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

/** Counts the bytes of a body; for an event stream, those since the end of the last event. */
function messageMeter(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let last = 0
  return new TransformStream({
    transform(chunk, out) {
      for (const byte of chunk) {
        // In UTF-8 a line feed is never part of another character; a carriage return only comes before one.
        const endsEvent = isStream && byte === lineFeed && last === lineFeed
        bytes = endsEvent ? 0 : bytes + 1
        if (byte !== carriageReturn) last = byte
      }
      if (bytes > maxBytes)
        throw new Error(
          `The server sent a message of more than ${maxBytes} bytes. Raise maxBytes if you trust it.`,
        )
      out.enqueue(chunk)
    },
  })
}

const lineFeed = 10
const carriageReturn = 13
