import { type AnyTool, tool } from '@capstan/core'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { latch } from '../../test/latch.js'
import { mcpServer } from './mcp-server.js'
import type { McpServerOptions } from './options.js'

const yes = tool({ name: 'yes', description: 'Says yes', parameters: z.object({}), execute: () => 'yes' })

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

function serve(options: McpServerOptions = {}, further: readonly AnyTool[] = []) {
  const server = mcpServer([yes, ...further], {
    authenticate: ({ headers }) => headers.get('x-user'),
    ...options,
  })
  onTestFinished(() => server.close())
  return (user: string, session: string | null, body?: object, method = 'POST') =>
    server.fetch(
      new Request('http://localhost/mcp', {
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'x-user': user,
          ...(session === null ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    )
}

const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

test('only its owner can use or end a session', async () => {
  const ask = serve()
  const session = (await ask('ann', null, initialize)).headers.get('mcp-session-id')
  expect(session).toMatch(/^[0-9a-f-]{36}$/)
  expect((await ask('ann', session, list)).status).toBe(200)
  expect((await ask('bob', session, list)).status).toBe(404)
  expect((await ask('bob', session, undefined, 'DELETE')).status).toBe(404)
  expect(await (await ask('ann', session, list)).text()).toContain('"name":"yes"')
})

test('an ended or unknown session is not found', async () => {
  const ask = serve()
  const session = (await ask('ann', null, initialize)).headers.get('mcp-session-id')
  expect((await ask('ann', session, undefined, 'DELETE')).status).toBe(200)
  expect((await ask('ann', session, list)).status).toBe(404)
  expect((await ask('ann', crypto.randomUUID(), list)).status).toBe(404)
})

test('a request that initializes no session leaves none', async () => {
  const ask = serve()
  const response = await ask('ann', null, list)
  expect(response.status).toBe(400)
  expect(response.headers.get('mcp-session-id')).toBeNull()
})

test('after 1000 sessions of one caller the least recently used of them is ended, and none of another', async () => {
  const ask = serve()
  const anns = (await ask('ann', null, initialize)).headers.get('mcp-session-id')
  const first = (await ask('mallory', null, initialize)).headers.get('mcp-session-id')
  for (let at = 0; at < 1100; at++) await ask('mallory', null, initialize)
  expect((await ask('mallory', first, list)).status).toBe(404)
  const answer = await ask('ann', anns, { jsonrpc: '2.0', id: 2, method: 'ping' })
  expect(answer.status).toBe(200)
})

test('without sessions each request of an older client is independent', async () => {
  const ask = serve({ sessions: false })
  expect((await ask('ann', null, initialize)).headers.get('mcp-session-id')).toBeNull()
  expect(await (await ask('ann', null, list)).text()).toContain('"name":"yes"')
  expect((await ask('bob', null, list)).status).toBe(200)
})

test('a session with an active call is not evicted', async () => {
  const began = latch()
  const answer = latch<string>()
  const execute = () => {
    began.resolve()
    return answer.promise
  }
  const slow = tool({ name: 'slow', description: 'Waits', parameters: z.object({}), execute })
  const ask = serve({}, [slow])
  const session = (await ask('ann', null, initialize)).headers.get('mcp-session-id')
  const params = { name: 'slow', arguments: {} }
  const label = await ask('ann', session, { jsonrpc: '2.0', id: 2, method: 'tools/call', params })
  await began.promise
  for (let at = 0; at < 200; at++) await ask('ann', null, initialize)
  answer.resolve('it is done')
  expect(await label.text()).toContain('it is done')
  for (let at = 0; at < 200; at++) await ask('ann', null, initialize)
  expect((await ask('ann', session, list)).status).toBe(404)
})

test('authenticate returning true makes all clients one caller', async () => {
  const ask = serve({ authenticate: () => true })
  const session = (await ask('ann', null, initialize)).headers.get('mcp-session-id')
  expect((await ask('bob', session, list)).status).toBe(200)
})

test('refuses callers without a key, and identifies others by id', async () => {
  class Caller {
    readonly #name = 'hidden'
    get name() {
      return this.#name
    }
  }
  const errors: Error[] = []
  const hidden = serve({ authenticate: () => new Caller(), onError: (error) => void errors.push(error) })
  expect((await hidden('ann', null, initialize)).status).toBe(500)
  expect(errors).toMatchObject([{ message: expect.stringContaining('identify the owner') }])
  let token = 0
  const renewed = serve({ authenticate: ({ headers }) => ({ id: headers.get('x-user'), expires: ++token }) })
  const session = (await renewed('ann', null, initialize)).headers.get('mcp-session-id')
  expect((await renewed('ann', session, { jsonrpc: '2.0', id: 2, method: 'ping' })).status).toBe(200)
  expect((await renewed('bob', session, { jsonrpc: '2.0', id: 2, method: 'ping' })).status).toBe(404)
})
