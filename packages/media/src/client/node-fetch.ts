import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { ByteReader, chunkStream, readBuffer } from '../inputs/byte-streams.js'
import { fromBlob } from '../inputs/stored-bytes.js'

/**
 * A `fetch` over node:http that does not follow redirects. Large bodies pass through one buffer, whereas the built-in
 * `fetch` would allocate a buffer per chunk. Falls back to the global `fetch` outside Node, and if `fetch` or its
 * global dispatcher has been replaced.
 */
export const nodeFetch: typeof fetch = (input, init = {}) => {
  const { body } = init
  const isKnown = body === undefined || typeof body === 'string' || body instanceof FormData
  if (typeof input !== 'string' || !isKnown || !isDefaultFetch()) return fetch(input, init)
  return sendRequest(new URL(input), body, init)
}

function sendRequest(url: URL, body: string | FormData | undefined, init: RequestInit): Promise<Response> {
  const { method = 'GET', signal } = init
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' }
  return new Promise((resolve, reject) => {
    // Uses no agent. A kept-alive connection may close at any time, and the server may have received a request that
    // fails in this way.
    const { onread, isUsed } = readBuffer()
    const options = { onread, method, headers, agent: false as const, ...(signal && { signal }) }
    const outgoing = request(url, options)
    limitConnecting(outgoing, url)
    outgoing.on('error', reject)
    // If the connection switches to another protocol, it ends without an error.
    outgoing.on('close', () => reject(new Error('The connection closed without a response.')))
    outgoing.on('response', (response) => {
      // Ignores data after the response.
      response.once('end', () => outgoing.destroy())
      try {
        resolve(toResponse(response, isUsed()))
      } catch (error) {
        outgoing.destroy(error as Error)
      }
    })
    if (body instanceof FormData) sendMultipart(outgoing, body).catch((error) => outgoing.destroy(error))
    // If the body were a string, Node would encode the headers like the body.
    else outgoing.end(body && new TextEncoder().encode(body))
  })
}

/** The connection timeout in milliseconds. The built-in `fetch` uses the same timeout. */
const connectMs = 10_000

function limitConnecting(outgoing: ClientRequest, { protocol }: URL): void {
  const late = () => outgoing.destroy(new Error(`The connection timed out after ${connectMs} ms.`))
  const timer = setTimeout(late, connectMs)
  const clear = () => clearTimeout(timer)
  outgoing.once('socket', (socket) => socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', clear))
  outgoing.once('response', clear)
  outgoing.once('close', clear)
}

function toResponse(response: IncomingMessage, isOwn: boolean): Response {
  const { statusCode: status = 0 } = response
  const headers = new Headers()
  for (const [name, values] of Object.entries(response.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  const init = { status, headers }
  if (![204, 205, 304].includes(status)) {
    const parts = decompressed(response)
    return new Response(chunkStream({ chunks: parts, isOwn, end: () => response.destroy() }), init)
  }
  response.resume()
  return new Response(null, init)
}

/** Decompresses a response. Some servers compress responses even if the request asks for `identity`. */
function decompressed(response: IncomingMessage): Readable {
  const zlib = process.getBuiltinModule('node:zlib')
  const { pipeline } = process.getBuiltinModule('node:stream')
  const encoding = response.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === 'br') return pipeline(response, zlib.createBrotliDecompress(), () => {})
  if (/^(x-)?gzip$|^deflate$/.test(encoding ?? '')) return pipeline(response, zlib.createUnzip(), () => {})
  return response
}

/** Sends a multipart form and ends the request. Files pass through one buffer, one chunk at a time. */
async function sendMultipart(outgoing: ClientRequest, form: FormData): Promise<void> {
  const boundary = `form-${crypto.randomUUID()}`
  const parts: [head: Uint8Array, body: Blob][] = []
  form.forEach((value, name) => {
    const body = typeof value === 'string' ? new Blob([toLines(value)]) : value
    parts.push([toHead(boundary, name, value), body])
  })
  const end = encode(`--${boundary}--\r\n`)
  const length = parts.reduce((sum, [head, body]) => sum + head.length + body.size + 2, end.length)
  outgoing.setHeader('content-type', `multipart/form-data; boundary=${boundary}`)
  outgoing.setHeader('content-length', length)
  const write = writer(outgoing)
  for (const [head, body] of parts) {
    await write(head)
    await copy(fromBlob(body).stream(), write)
    await write(encode('\r\n'))
  }
  outgoing.end(end)
}

type Write = (bytes: Uint8Array) => Promise<void>

async function copy(stream: ReadableStream<Uint8Array>, write: Write): Promise<void> {
  const reader = new ByteReader(stream)
  try {
    const part = new Uint8Array(64 * 1024)
    for (let filled = await reader.fill(part); filled > 0; filled = await reader.fill(part))
      await write(part.subarray(0, filled))
  } finally {
    await reader.close()
  }
}

/** Returns a function that writes bytes and resolves when the bytes can be reused. */
function writer(outgoing: ClientRequest): Write {
  const closed = new Promise<never>((_, reject) => {
    // If a request ends before it has a socket, the callbacks of `write` are never called.
    outgoing.once('close', () => reject(new Error('The connection closed.')))
  })
  closed.catch(() => {})
  return (bytes) => {
    const written = new Promise<void>((resolve, reject) => {
      outgoing.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
    return Promise.race([closed, written])
  }
}

function toHead(boundary: string, name: string, value: FormDataEntryValue): Uint8Array {
  const file = typeof value === 'string' ? undefined : value
  const named = file ? `; filename="${quoted(file.name)}"` : ''
  const typed = file ? `Content-Type: ${file.type || 'application/octet-stream'}\r\n` : ''
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(toLines(name))}"${named}\r\n`
  return encode(`${head}${typed}\r\n`)
}

/** Escapes a name in the way that browsers do in forms. */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

/** Normalizes line breaks in the way that browsers do in forms. */
function toLines(text: string): string {
  return text.replace(/\r?\n|\r/g, '\r\n')
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Whether `fetch` is Node's own, with the default dispatcher. */
export function isDefaultFetch(): boolean {
  const dispatcher = (globalThis as { readonly [name: symbol]: object | undefined })[
    Symbol.for('undici.globalDispatcher.1')
  ]
  // `fetch` may have been replaced before this module was loaded. Node's own is recognized by its source code.
  return (
    String(globalThis.fetch).includes('internal/deps/undici') &&
    (dispatcher === undefined || isDefaultAgent(dispatcher))
  )
}

/** Whether a dispatcher is an agent without custom certificates, lookups, timeouts or a factory. */
function isDefaultAgent(dispatcher: object): boolean {
  const stored = (name: string) => {
    const symbol = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === name)
    return symbol && (dispatcher as { readonly [name: symbol]: unknown })[symbol]
  }
  const [options, factory] = [stored('options'), stored('factory')]
  const { dispatch } = dispatcher as { readonly dispatch?: unknown }
  return (
    dispatcher.constructor.name === 'Agent' &&
    dispatch === dispatcher.constructor.prototype.dispatch &&
    typeof factory === 'function' &&
    factory.name === 'defaultFactory' &&
    typeof options === 'object' &&
    Object.values(options ?? {}).every((value) => value === undefined || value === Number.POSITIVE_INFINITY)
  )
}
