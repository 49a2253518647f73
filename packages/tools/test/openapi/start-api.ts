import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request as it arrived. */
export interface Arrived {
  readonly method: string
  /** The path with the query, undecoded. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A server that records what arrives. It closes when the test ends. */
export async function startApi(
  answer: (arrived: Arrived) => Reply | undefined | Promise<Reply | undefined> = () => undefined,
) {
  const arrived: Arrived[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const one = { method: request.method ?? '', url: request.url ?? '', headers, body: Buffer.concat(chunks) }
    arrived.push(one)
    const {
      status = 200,
      headers: own = { 'content-type': 'application/json' },
      body = '{"ok":true}',
    } = (await answer(one)) ?? {}
    response.writeHead(status, own)
    response.end(body)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(
    () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  )
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived }
}

/** A document with these paths. */
export function documentOf(paths: object, more: object = {}) {
  return { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths, ...more }
}

/** A document with one operation, `call`. */
export function operationOf(
  path: string,
  operation: object,
  { method = 'get', ...more }: OperationPlace = {},
) {
  return documentOf({ [path]: { [method]: { operationId: 'call', ...operation } } }, more)
}

interface OperationPlace {
  readonly method?: string
  readonly [field: string]: unknown
}
