import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer on its way back. */
interface PassedAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

export type Spoil = (answer: PassedAnswer) => Partial<PassedAnswer>

/** A server on a free port that asks another one and gets something wrong in each answer. Close it. */
export async function startSpoiledServer(
  target: string,
  spoil: Spoil,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const answer = await pass(target, request)
    const { status, contentType, text } = { ...answer, ...spoil(answer) }
    response.writeHead(status, { 'content-type': contentType, connection: 'close' }).end(text)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: () => new Promise((closed) => server.close(() => closed())),
  }
}

async function pass(target: string, request: IncomingMessage): Promise<PassedAnswer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const { authorization } = request.headers
  const headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) }
  const url = target + (request.url ?? '').replace(/^\/v1/, '')
  const response = await fetch(url, { method: 'POST', headers, body: Buffer.concat(pieces) })
  const contentType = response.headers.get('content-type') ?? ''
  return { status: response.status, contentType, text: await response.text() }
}
