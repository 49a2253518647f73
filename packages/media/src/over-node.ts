import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { partStream } from './inputs/part-stream.js'
import { readBuffer } from './inputs/read-buffer.js'
import { sendForm } from './send-form.js'
import { isUsualFetch } from './usual-fetch.js'

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
