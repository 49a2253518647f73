import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A request with any headers. `fetch` would set some of them itself. */
export interface RawRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a request to `127.0.0.1`, regardless of its `Host` header. */
export async function send(origin: string, path: string, options: RawRequest = {}): Promise<RawResponse> {
  const { method = 'GET', headers = {}, body } = options
  const { port } = new URL(origin)
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { ...headers }, agent: false })
  sent.end(body)
  const [response] = await once(sent, 'response')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** Gets the cookie for a token, as a browser would. */
export async function enter({ origin, token }: { origin: string; token: string }): Promise<string> {
  const { headers } = await send(origin, `/?token=${token}`)
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? ''
}
