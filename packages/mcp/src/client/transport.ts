import type { ChildProcess } from 'node:child_process'
import { joinBytes, tryJson } from '@capstan/core/internal'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { repairEnvelope, repairing, streamEnded } from './messages.js'
import { defaultMaxBytes, type HttpServer, type McpToolsOptions, type StdioServer } from './options.js'
import { RelatedCalls } from './related-calls.js'
import { longestSecret, redactedEnd, type ServerAddress } from './server-text.js'

export interface ServerTransport {
  readonly transport: Transport
  readonly related: RelatedCalls
  /** The server's process. Undefined if this client did not start one. */
  readonly process?: ServerProcess
}

export interface ServerProcess {
  /** Returns the end of the process's standard error output, at most 2 kB, without credentials. */
  lastStderr(): string
  /** Returns how the process exited. Undefined while the process is running, or if this client ended it. */
  end(): ProcessEnd | undefined
  /** Calls `listener` when the process has exited, unless this client ended it. */
  onEnd(listener: () => void): void
}

export type ProcessEnd = { readonly exitCode: number } | { readonly signal: string }

export async function openTransport(
  options: McpToolsOptions,
  address: ServerAddress,
): Promise<ServerTransport> {
  const { maxBytes = defaultMaxBytes } = options
  const related = new RelatedCalls()
  const opened =
    'command' in options
      ? await stdioTransport(options, maxBytes, address)
      : 'url' in options
        ? { transport: await httpTransport(options, { maxBytes, address, related }) }
        : { transport: await options.transport() }
  return { ...opened, related, transport: related.watch(repairing(opened.transport)) }
}

async function stdioTransport(
  { command, args = [], env, cwd }: StdioServer,
  maxBytes: number,
  address: ServerAddress,
): Promise<Omit<ServerTransport, 'related'>> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const { deserializeMessage } = await import('@modelcontextprotocol/client')
  let end: ProcessEnd | undefined
  let told = () => {}
  let isClosing = false
  // For a plain StdioClientTransport, the SDK sends its probe to a second process, which no signal can end. For a
  // subclass, it does not.
  class ProcessTransport extends StdioClientTransport {
    constructor(...options: ConstructorParameters<typeof StdioClientTransport>) {
      super(...options)
      repairLines(Reflect.get(this, '_readBuffer') as LineBuffer, deserializeMessage)
    }

    override async start(): Promise<void> {
      await super.start()
      // The SDK keeps the process private, and reports its exit without the exit code.
      const child = Reflect.get(this, '_process') as ChildProcess | undefined
      child?.once('exit', (exitCode, signal) => {
        if (isClosing) return
        if (exitCode !== null) end = { exitCode }
        else if (signal !== null) end = { signal }
        told()
      })
    }

    override close(): Promise<void> {
      isClosing = true
      return super.close()
    }
  }
  const transport = new ProcessTransport({
    command,
    args: [...args],
    ...(env ? { env: { ...env } } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'pipe',
    maxBufferSize: maxBytes,
  })
  const decoder = new TextDecoder()
  const kept = keptStderr + longestSecret(address)
  let text = ''
  let isCut = false
  transport.stderr?.on('data', (piece: Uint8Array) => {
    text += decoder.decode(piece, { stream: true })
    isCut ||= text.length > kept
    text = text.slice(-kept)
  })
  const lastStderr = () => redactedEnd(text, address, { length: shownStderr, isCut })
  return { transport, process: { lastStderr, end: () => end, onEnd: (listener) => (told = listener) } }
}

/** The SDK's buffer for the lines that a process writes. */
interface LineBuffer {
  readMessage(): JSONRPCMessage | null
  readonly _buffer?: Uint8Array
}

/** Changes a buffer so that it repairs lines instead of rejecting them. */
function repairLines(buffer: LineBuffer, parse: (line: string) => JSONRPCMessage): void {
  const read = buffer.readMessage.bind(buffer)
  buffer.readMessage = () => {
    const before = buffer._buffer
    try {
      return read()
    } catch (error) {
      // The rejected line is the last one that was read from the buffer.
      const taken = before?.subarray(0, before.byteLength - (buffer._buffer?.byteLength ?? 0))
      const line = new TextDecoder().decode(taken).trimEnd().split('\n').at(-1) ?? ''
      const repaired = repairEnvelope(line)
      if (repaired === line) throw error
      return parse(repaired)
    }
  }
}

const shownStderr = 2000
/**
 * The number of characters of standard error output to keep. Fewer are shown, because credentials and base64 data are
 * removed.
 */
const keptStderr = 16_000

interface HttpConnection {
  readonly maxBytes: number
  readonly address: ServerAddress
  readonly related: RelatedCalls
}

async function httpTransport(
  { url, headers, fetch = globalThis.fetch, authProvider }: HttpServer,
  { maxBytes, address: { secrets }, related }: HttpConnection,
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
    fetch: limitMessages(withHeaders, maxBytes, related),
    ...(authProvider ? { authProvider } : {}),
  })
}

type Fetch = typeof globalThis.fetch

/**
 * Wraps `fetch`. Aborts a response if one of its messages exceeds `maxBytes`; a message is an event of a stream or an
 * entire body. Repairs messages that the SDK would reject.
 */
export function limitMessages(fetch: Fetch, maxBytes: number, related?: RelatedCalls): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const type = response.headers.get('content-type') ?? ''
    const isStream = type.startsWith('text/event-stream')
    const limited = response.body.pipeThrough(messageMeter(maxBytes, isStream))
    const { status, statusText, headers } = response
    const isJson = response.ok && /^application\/json\b/i.test(type)
    const { id } = Object(isStream && tryJson(String(init?.body))) as { readonly id?: unknown }
    const onEvent = (event: string) => isFilledId(id) && related?.received(event, id)
    const repaired = isStream || isJson ? limited.pipeThrough(messageRepairer(isStream, onEvent)) : limited
    const body = isFilledId(id) ? withEnd(repaired, id) : repaired
    return new Response(body, { status, statusText, headers })
  }
}

/**
 * Adds an error to a stream that ends before the response to its request. Without that error, the SDK would wait until
 * the timeout. If the stream's events have ids, the SDK continues the stream itself.
 */
function withEnd(body: ReadableStream<Uint8Array>, id: string | number): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let isSettled = false
  return new ReadableStream({
    async pull(out) {
      let reason = ''
      const { value } = await reader.read().catch((error: unknown) => {
        reason = ` (${error instanceof Error ? error.message : error})`
        return { value: undefined }
      })
      if (value) {
        isSettled ||= settling.test(new TextDecoder().decode(value))
        out.enqueue(value)
        return
      }
      const message = `The event stream ended before the result${reason}.`
      const failed = JSON.stringify({ jsonrpc: '2.0', id, error: { code: streamEnded, message } })
      if (!isSettled) out.enqueue(new TextEncoder().encode(`data: ${failed}\n\n`))
      out.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Matches event fields that settle the request, or let the SDK continue the stream. */
const settling = /^id:|"(?:result|error)"\s*:/m

function isFilledId(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number'
}

/** Repairs messages: each event of a stream, or the entire body of any other response. */
function messageRepairer(
  isStream: boolean,
  onEvent: (event: string) => unknown,
): TransformStream<Uint8Array, Uint8Array> {
  let pieces: Uint8Array[] = []
  let last = 0
  const flush = (out: TransformStreamDefaultController<Uint8Array>) => {
    const bytes = joinBytes(pieces)
    const text = new TextDecoder().decode(bytes)
    const repaired = isStream ? repairEvent(text) : repairEnvelope(text)
    if (isStream) onEvent(repaired)
    if (bytes.byteLength > 0) out.enqueue(repaired === text ? bytes : new TextEncoder().encode(repaired))
    pieces = []
  }
  return new TransformStream({
    transform(chunk, out) {
      let from = 0
      for (let at = 0; isStream && at < chunk.byteLength; at++) {
        const byte = chunk[at] ?? 0
        if (byte === last && (byte === lineFeed || byte === carriageReturn)) {
          pieces.push(chunk.subarray(from, at + 1))
          flush(out)
          from = at + 1
        }
        // A line ends with a carriage return, a line feed, or a carriage return followed by a line feed.
        if (byte !== carriageReturn || last !== lineFeed) last = byte
      }
      if (from < chunk.byteLength) pieces.push(chunk.subarray(from))
    },
    flush,
  })
}

/** Repairs the message in an event, whose data may have several lines. */
function repairEvent(event: string): string {
  const lines = event.split(/\r\n|\r|\n/)
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length))
  const text = data.join('\n')
  const repaired = repairEnvelope(text)
  if (repaired === text) return event
  return [
    ...lines.filter((line) => line !== '' && !line.startsWith('data:')),
    `data:${repaired}`,
    '',
    '',
  ].join('\n')
}

/** Fails when a body, or one event of a stream, exceeds `maxBytes`. */
function messageMeter(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let last = 0
  return new TransformStream({
    transform(chunk, out) {
      for (const byte of chunk) {
        // In UTF-8, a line feed byte is never part of a longer character. At the end of a line, only a carriage return
        // can precede it.
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
