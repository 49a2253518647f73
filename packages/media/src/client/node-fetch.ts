import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { ByteReader, partStream, readBuffer } from '../inputs/byte-streams.js'
import { holdBlob } from '../inputs/stored-bytes.js'

/**
 * `fetch` over node:http, redirects not followed: large files go through one buffer, where that of the platform takes
 * memory for each of their parts. Where the platform was told another way (a dispatcher of all requests, another
 * `fetch` in place of its own), and where it is not Node, it is asked.
 */
export const overNode: typeof fetch = (input, init = {}) => {
  const { body } = init
  const isKnown = body === undefined || typeof body === 'string' || body instanceof FormData
  if (typeof input !== 'string' || !isKnown || !isUsualFetch()) return fetch(input, init)
  return exchange(new URL(input), body, init)
}

function exchange(url: URL, body: string | FormData | undefined, init: RequestInit): Promise<Response> {
  const { method = 'GET', signal } = init
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' }
  return new Promise((resolve, reject) => {
    // Without an agent: a kept connection may be closed just now, and a request that fails so may have been heard.
    const { onread, isUsed } = readBuffer()
    const options = { onread, method, headers, agent: false as const, ...(signal && { signal }) }
    const sent = request(url, options)
    limitConnecting(sent, url)
    sent.on('error', reject)
    // What is no answer, as another protocol, ends without an error.
    sent.on('close', () => reject(new Error('The connection was closed without an answer.')))
    sent.on('response', (answer) => {
      // Nobody hears what is sent after the answer.
      answer.once('end', () => sent.destroy())
      try {
        resolve(toResponse(answer, isUsed()))
      } catch (error) {
        sent.destroy(error as Error)
      }
    })
    if (body instanceof FormData) sendForm(sent, body).catch((error) => sent.destroy(error))
    // With a text the headers would be sent in its encoding.
    else sent.end(body && new TextEncoder().encode(body))
  })
}

/** As long as the platform waits for a connection. */
const connectMs = 10_000

function limitConnecting(sent: ClientRequest, { protocol }: URL): void {
  const late = () => sent.destroy(new Error(`The connection timed out: it was not made in ${connectMs} ms.`))
  const timer = setTimeout(late, connectMs)
  const clear = () => clearTimeout(timer)
  sent.once('socket', (socket) => socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', clear))
  sent.once('response', clear)
  sent.once('close', clear)
}

function toResponse(answer: IncomingMessage, isOwn: boolean): Response {
  const { statusCode: status = 0 } = answer
  const headers = new Headers()
  for (const [name, values] of Object.entries(answer.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  const init = { status, headers }
  if (![204, 205, 304].includes(status)) {
    const parts = unpacked(answer)
    return new Response(partStream({ parts, isOwn, end: () => answer.destroy() }), init)
  }
  answer.resume()
  return new Response(null, init)
}

/** Some servers compress what was not asked for. */
function unpacked(answer: IncomingMessage): Readable {
  const zlib = process.getBuiltinModule('node:zlib')
  const { pipeline } = process.getBuiltinModule('node:stream')
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === 'br') return pipeline(answer, zlib.createBrotliDecompress(), () => {})
  if (/^(x-)?gzip$|^deflate$/.test(encoding ?? '')) return pipeline(answer, zlib.createUnzip(), () => {})
  return answer
}

/** Sends a form, and ends the request. Files go through one buffer, each part once the one before is on its way. */
async function sendForm(sent: ClientRequest, form: FormData): Promise<void> {
  const boundary = `form-${crypto.randomUUID()}`
  const parts: [head: Uint8Array, body: Blob][] = []
  form.forEach((value, name) => {
    const body = typeof value === 'string' ? new Blob([toLines(value)]) : value
    parts.push([toHead(boundary, name, value), body])
  })
  const end = encode(`--${boundary}--\r\n`)
  const length = parts.reduce((sum, [head, body]) => sum + head.length + body.size + 2, end.length)
  sent.setHeader('content-type', `multipart/form-data; boundary=${boundary}`)
  sent.setHeader('content-length', length)
  const write = writer(sent)
  for (const [head, body] of parts) {
    await write(head)
    await copy(holdBlob(body).stream(), write)
    await write(encode('\r\n'))
  }
  sent.end(end)
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

/** Each write is over when its bytes need not stay where they are. */
function writer(sent: ClientRequest): Write {
  const closed = new Promise<never>((_, reject) => {
    // A request that ends before it has a socket says nothing to those who write.
    sent.once('close', () => reject(new Error('The connection was closed.')))
  })
  closed.catch(() => {})
  return (bytes) => {
    const written = new Promise<void>((resolve, reject) => {
      sent.write(bytes, (error) => (error ? reject(error) : resolve()))
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

/** As forms escape names. */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

/** As forms end lines. */
function toLines(text: string): string {
  return text.replace(/\r?\n|\r/g, '\r\n')
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Whether `fetch` is Node's own, and sends as it does when nobody told it otherwise. */
export function isUsualFetch(): boolean {
  const dispatcher = (globalThis as { readonly [name: symbol]: object | undefined })[
    Symbol.for('undici.globalDispatcher.1')
  ]
  // Who put another one in its place may have done so before us: its own text tells.
  return (
    String(globalThis.fetch).includes('internal/deps/undici') &&
    (dispatcher === undefined || isPlain(dispatcher))
  )
}

/** An agent without certificates, lookups, times or a way of one's own: nothing else tells the default from another. */
function isPlain(dispatcher: object): boolean {
  const held = (name: string) => {
    const symbol = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === name)
    return symbol && (dispatcher as { readonly [name: symbol]: unknown })[symbol]
  }
  const [options, factory] = [held('options'), held('factory')]
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
