import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { pingResults } from '../../test/ping-results.js'
import { mcpTools } from './mcp-tools.js'

const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
const progress = event({ method: 'notifications/message', params: { level: 'info', data: 'half' } })

/** Connects to a server that uses `answer` to respond to the first call. */
async function connect(answer: (response: ServerResponse, id: unknown) => void) {
  let calls = 0
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('')
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(text)
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/call' && calls++ === 0) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void answer(response, id)
    }
    const result = pingResults[method]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: noMethod }) }))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const client = await mcpTools({
    ...{ url: `http://127.0.0.1:${port}/mcp`, timeoutMs: 60_000 },
    settings: () => ({ effects: 'read' }),
  })
  onTestFinished(async () => {
    await client.close()
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const model = scriptedModel([reply.call('ping'), reply.call('ping'), reply.text('Done.')])
  const { toolCalls } = await new Agent({ model, tools: client.tools }).run('Go.')
  return toolCalls.map(({ status, content }) => [status, content])
}
const noMethod = { code: -32_601, message: 'Unknown method' }

test.each([
  ['ends at once', (response: ServerResponse) => response.end()],
  ['ends after a notification', (response: ServerResponse) => response.end(progress)],
  [
    'is reset after a notification',
    (response: ServerResponse) => response.write(progress, () => setImmediate(() => response.destroy())),
  ],
])('a call whose event stream %s fails without waiting for the timeout', async (_how, answer) => {
  const [first, second] = await connect(answer)
  expect(first).toEqual([
    'error',
    expect.stringMatching(/event stream ended before the result.*may have taken effect/),
  ])
  expect(second).toEqual(['ok', expect.stringContaining('pong')])
})

test('a stream that ends after the result is a result', async () => {
  const [first] = await connect((response, id) =>
    response.end(progress + event({ id, result: pingResults['tools/call'] })),
  )
  expect(first).toEqual(['ok', expect.stringContaining('pong')])
})
