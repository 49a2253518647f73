import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What agents in another process ask for: a gate that waits for this process, and a chat model. */
export interface Upstream {
  readonly url: string
  /** The next request at the gate. */
  gate(): Promise<Gate>
  close(): Promise<void>
}

export interface Gate {
  open(): void
  /** Resolves when the client disconnects. */
  readonly left: Promise<void>
}

export async function startUpstream(): Promise<Upstream> {
  const come: Gate[] = []
  const awaited: ((gate: Gate) => void)[] = []
  const server = createServer((request, response) => {
    if (request.url !== '/gate') return void answerChat(response)
    const gate = { open: () => void response.end('open'), left: leftBy(response) }
    const waiter = awaited.shift()
    if (waiter) waiter(gate)
    else come.push(gate)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async gate() {
      return come.shift() ?? new Promise((resolve) => awaited.push(resolve))
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function leftBy(response: ServerResponse): Promise<void> {
  await once(response, 'close')
  if (response.writableEnded) return new Promise(() => {})
}

function answerChat(response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream')
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  response.end(`${chunk({ content: 'From upstream.' })}${chunk({}, 'stop')}data: [DONE]\n\n`)
}
