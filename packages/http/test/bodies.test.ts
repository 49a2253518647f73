import { once } from 'node:events'
import { type ClientRequest, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Agent } from '@capstan/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentHandler } from '../src/agent-handler.js'
import { toNodeListener } from '../src/node-listener.js'
import { authenticate } from './requests.js'

const model = {
  name: 'polite',
  complete: async () => ({ message: { role: 'assistant', content: 'Hello.' } }) as const,
}

let server: Server
let open: ClientRequest[] = []

beforeEach(async () => {
  const limits = { maxBodyBytes: 4096, maxBodiesBytes: 8192 }
  const handler = agentHandler(new Agent({ model }), { authenticate, ...limits })
  server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(() => {
  for (const sent of open) sent.destroy()
  open = []
  server.close()
})

function post(user: string): ClientRequest {
  const { port } = server.address() as AddressInfo
  const headers = { authorization: `Bearer user-${user}`, 'content-type': 'application/json' }
  return request({ host: '127.0.0.1', port, path: '/runs', method: 'POST', agent: false, headers })
}

/** Sends so many bytes of a body, and not its last. */
function sendPart(user: string, bytes: number): ClientRequest {
  const sent = post(user)
  sent.on('error', () => {})
  sent.write(' '.repeat(bytes))
  open.push(sent)
  return sent
}

async function sendWhole(user: string) {
  const sent = post(user)
  sent.end(JSON.stringify({ input: 'x'.repeat(600), stream: false }))
  const [response] = await once(sent, 'response')
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(await text(response)) }
}

/** What is answered once the server has come so far. */
async function sendUntil(status: number, user: string) {
  for (;;) {
    const answer = await sendWhole(user)
    if (answer.status === status) return answer
  }
}

test('limits unfinished bodies together, and releases them when their senders disconnect', async () => {
  const [anns] = [sendPart('ann', 4000), sendPart('bob', 4000)]
  const refused = await sendUntil(503, 'eve')
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.body.error).toMatchObject({ type: 'server_error', code: 'too_many_bodies' })
  anns.destroy()
  expect((await sendUntil(200, 'eve')).body.text).toBe('Hello.')
})

test('one user has a share of the limit, and another keeps its own', async () => {
  const anns = sendPart('ann', 4000)
  expect((await sendUntil(429, 'ann')).body.error).toMatchObject({ code: 'too_many_bodies' })
  expect((await sendWhole('bob')).status).toBe(200)
  anns.destroy()
  await sendUntil(200, 'ann')
})

test('a body that was parsed no longer counts, refused or not', async () => {
  for (let at = 0; at < 30; at++) expect((await sendWhole('ann')).status).toBe(200)
  for (let at = 0; at < 30; at++) {
    const sent = post('ann')
    sent.end('x'.repeat(4000))
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(400)
    response.resume()
  }
  expect((await sendWhole('ann')).status).toBe(200)
})
