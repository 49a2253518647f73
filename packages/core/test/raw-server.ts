import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

/** A server that hands over bare connections: for what no well-behaved server does. */
export interface RawServer extends AsyncDisposable {
  readonly baseURL: string
  /** Connections made so far. */
  readonly sockets: readonly Socket[]
  /** Texts of the requests, in the order they came. */
  readonly requests: readonly string[]
}

/** `answer` is called with each whole request's text and its socket. */
export async function startRawServer(answer: (request: string, socket: Socket) => void): Promise<RawServer> {
  const sockets: Socket[] = []
  const requests: string[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (piece) => {
      text += piece
      if (!isWhole(text)) return
      requests.push(text)
      text = ''
      answer(requests.at(-1) ?? '', socket)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sockets,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function isWhole(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  return body !== undefined && Buffer.byteLength(body) >= Number(length ?? 0)
}

/** A whole answer in JSON that keeps its connection. */
export function jsonAnswer(body: unknown): string {
  const text = JSON.stringify(body)
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

/** The head of an answer in chunks, and a piece of it. */
export const streamHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
export const streamPiece = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
