import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The request: JSON fields, or the text fields and files of a form. */
export interface Arrived {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, unknown>>
  readonly files: Readonly<Record<string, { name: string; type: string; bytes: Uint8Array }>>
}

/** A response: an object is sent as JSON, parts as they come. Parts that fail cut the connection. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | object
}

export interface MediaServer {
  readonly origin: string
  /** Client options for this server, without retries. */
  readonly client: { readonly baseURL: string; readonly apiKey: string; readonly maxRetries: 0 }
  readonly arrived: readonly Arrived[]
}

export const testKey = 'sk-test-0123456789'

/** A real server on a free port that records requests. Closes when the test ends. `undefined` is never answered. */
export async function startMediaServer(
  answer: (request: Arrived, server: { origin: string }) => Answer | undefined,
): Promise<MediaServer> {
  const arrived: Arrived[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // An aborted upload does not arrive.
      return
    }
    const headers = request.headers as Record<string, string>
    const one = { path: request.url ?? '', headers, ...(await parse(Buffer.concat(chunks), headers)) }
    arrived.push(one)
    const given = answer(one, { origin })
    if (!given) return
    const { status = 200, body } = given
    const isParts = typeof body === 'object' && Symbol.asyncIterator in body
    const raw = typeof body === 'string' || body instanceof Uint8Array || isParts
    response.writeHead(status, { ...(raw ? {} : { 'content-type': 'application/json' }), ...given.headers })
    if (isParts) return sendParts(response, body)
    response.end(raw ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { origin, client: { baseURL: `${origin}/v1`, apiKey: testKey, maxRetries: 0 }, arrived }
}

async function sendParts(response: ServerResponse, parts: AsyncIterable<string | Uint8Array>): Promise<void> {
  try {
    for await (const part of parts) await new Promise((sent) => response.write(part, sent))
    response.end()
  } catch {
    response.destroy()
  }
}

/** A text as server-sent events, one for each value. */
export function toEvents(...values: readonly object[]): string {
  return `${values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')}data: [DONE]\n\n`
}

/** An origin without a listener. */
export async function deadOrigin(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return `http://127.0.0.1:${port}`
}

async function parse(
  body: Buffer,
  headers: Record<string, string>,
): Promise<Pick<Arrived, 'fields' | 'files'>> {
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/json')) return { fields: JSON.parse(body.toString()), files: {} }
  if (!type.startsWith('multipart/form-data')) return { fields: {}, files: {} }
  const fields: Record<string, unknown> = {}
  const files: Record<string, { name: string; type: string; bytes: Uint8Array }> = {}
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const entries: [string, FormDataEntryValue][] = []
  form.forEach((value, name) => {
    entries.push([name, value])
  })
  for (const [name, value] of entries) {
    if (typeof value === 'string') fields[name] = value
    else
      files[name] = { name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) }
  }
  return { fields, files }
}
