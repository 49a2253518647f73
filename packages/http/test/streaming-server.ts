import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A piece of a reply of a model: text, or a piece of a call. */
type Piece =
  | string
  | { readonly id?: string; readonly index?: number; readonly name?: string; readonly text?: string }

/** One reply: its pieces, and whether it breaks off behind them. */
export interface Streamed {
  readonly pieces: readonly (Piece | Promise<unknown>)[]
  readonly breaks?: boolean
}

export interface StreamingServer extends AsyncDisposable {
  readonly baseURL: string
  readonly apiKey: string
  readonly bodies: readonly { readonly messages: readonly unknown[] }[]
}

/** A model server that streams these replies, piece by piece. A promise among them is waited for. */
export async function startStreamingServer(replies: readonly Streamed[]): Promise<StreamingServer> {
  const bodies: { messages: unknown[] }[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const reply = replies[bodies.length]
    bodies.push(JSON.parse(Buffer.concat(parts).toString()))
    if (reply) await send(reply, response)
    else response.writeHead(400).end('{}')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey: 'key',
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

async function send({ pieces, breaks = false }: Streamed, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (delta: object, finish: string | null = null) =>
    new Promise<void>((written) => {
      const choices = [{ index: 0, delta, finish_reason: finish }]
      response.write(`data: ${JSON.stringify({ choices })}\n\n`, () => written())
    })
  for (const piece of pieces) {
    if (piece instanceof Promise) await piece
    else await write(toDelta(piece))
  }
  if (breaks) {
    response.destroy()
    return
  }
  await write({}, pieces.some((one) => typeof one === 'object' && 'id' in one) ? 'tool_calls' : 'stop')
  response.end('data: [DONE]\n\n')
}

function toDelta(piece: Piece): object {
  if (typeof piece === 'string') return { content: piece }
  const { index = 0, id, name, text = '' } = piece
  return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] }
}
