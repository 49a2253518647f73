import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { partStream } from './inputs/part-stream.js'
import { readBuffer } from './inputs/read-buffer.js'
import { sendForm } from './send-form.js'

/**
 * `fetch` over node:http, redirects not followed: large files go through one buffer, where that of the platform takes
 * memory for each of their parts. Where the platform was told another way (a dispatcher of all requests, another
 * `fetch` in place of its own), and where there is no node:http, it is asked.
 */
export const overNode: typeof fetch = (input, init = {}) => {
  const { body } = init
  const isKnown = body === undefined || typeof body === 'string' || body instanceof FormData
  if (typeof input !== 'string' || !isKnown || !isUsual()) return fetch(input, init)
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
    sent.on('error', reject)
    sent.on('response', (answer) => resolve(toResponse(answer, isUsed())))
    if (!(body instanceof FormData)) sent.end(body)
    else sendForm(sent, body).catch((error) => sent.destroy(error))
  })
}

function toResponse(answer: IncomingMessage, isOwn: boolean): Response {
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer
  const headers = new Headers()
  for (const [name, values] of Object.entries(answer.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  const init = { status, statusText, headers }
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

const platform = globalThis.fetch

/** Whether nobody changed how the platform sends its requests. */
function isUsual(): boolean {
  const known = globalThis as { readonly [name: symbol]: object | undefined }
  const dispatcher = known[Symbol.for('undici.globalDispatcher.1')]
  return (
    globalThis.process?.getBuiltinModule?.('node:http') !== undefined &&
    globalThis.fetch === platform &&
    (dispatcher === undefined || dispatcher.constructor.name === 'Agent')
  )
}
