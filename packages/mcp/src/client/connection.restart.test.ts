import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CapstanError, isCapstanError } from '@capstan/core'
import { expect, onTestFinished, test } from 'vitest'
import { pingResults } from '../../test/ping-results.js'
import { type McpTools, mcpTools } from './mcp-tools.js'
import type { CommonOptions } from './options.js'

// A server that forgets its sessions when it restarts at the same address.
class Restarting {
  /** The response to a request with an unknown session: its status and body. */
  readonly unknown: readonly [status: number, body: string]
  /** The number of calls that reached the tool's function. */
  calls = 0
  /** The number of sessions, over all restarts. */
  sessions = 0
  /** Whether the server closes the connection of the next call without a response. */
  breaksOff = false
  /** Whether the server also rejects calls in known sessions. */
  refuses = false
  #server: Server | undefined
  #port = 0

  constructor(unknown: readonly [status: number, body: string]) {
    this.unknown = unknown
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`
  }

  async start(): Promise<void> {
    const sessions = new Set<string>()
    this.#server = createServer(async (request, response) => {
      // With a connection that stays open, the client would notice the restart when the connection closes.
      response.shouldKeepAlive = false
      let body = ''
      for await (const piece of request) body += piece
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id, method } = JSON.parse(body) as { id?: number; method: string }
      const given = request.headers['mcp-session-id'] as string | undefined
      const headers = { 'content-type': 'application/json', 'mcp-session-id': `${this.sessions}` }
      if (method === 'initialize') {
        this.sessions += 1
        headers['mcp-session-id'] = `${this.sessions}`
        sessions.add(`${this.sessions}`)
      } else if (!sessions.has(given ?? '') || (this.refuses && method === 'tools/call'))
        return void response
          .writeHead(this.unknown[0], { 'content-type': 'application/json' })
          .end(this.unknown[1])
      if (method === 'tools/call') this.calls += 1
      if (method === 'tools/call' && this.breaksOff) return void request.socket.destroy()
      if (id === undefined) return void response.writeHead(202).end()
      response
        .writeHead(200, headers)
        .end(JSON.stringify({ jsonrpc: '2.0', id, result: pingResults[method] }))
    })
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const closed = this.#server && once(this.#server, 'close')
    this.#server?.close()
    this.#server?.closeAllConnections()
    await closed
    this.#server = undefined
  }
}

async function connect(
  unknown: readonly [status: number, body: string],
  options: CommonOptions = {},
): Promise<{ readonly server: Restarting; readonly client: McpTools; call(): Promise<unknown> }> {
  const server = new Restarting(unknown)
  await server.start()
  const client = await mcpTools({ url: server.url, ...options })
  onTestFinished(async () => {
    await client.close()
    await server.stop()
  })
  return { server, client, call: async () => client.tools[0]?.call({}) }
}

const failureOf = (work: Promise<unknown>): Promise<CapstanError> =>
  work.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error) => (isCapstanError(error) ? error : Promise.reject(error)),
  )

const rpcError = (message: string, id: number | null = null) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } })

test.each<[number, string]>([
  [404, rpcError('Session not found')],
  [404, ''],
  [400, rpcError('Bad Request: No valid session ID provided')],
  [400, rpcError('Bad Request: Server not initialized', 1)],
  [400, rpcError('Bad Request')],
  [400, '{"error":"unknown Mcp-Session-Id"}'],
  [400, 'Invalid session'],
])('a restarted server that answers %i with %j is connected to anew within the call', async (...unknown) => {
  const { server, client, call } = await connect(unknown)
  await server.stop()
  await server.start()
  expect(await call()).toBe('pong')
  expect(server.calls).toBe(1)
  await server.stop()
  await server.start()
  await client.refresh()
  expect(client.tools).toHaveLength(1)
})

test('a call to a server that does not run says that nothing was sent, and works when it runs again', async () => {
  const { server, call } = await connect([400, rpcError('No valid session ID provided')])
  expect(await call()).toBe('pong')
  await server.stop()
  const { code, message, retryable } = await failureOf(call())
  expect([code, retryable]).toEqual(['network', true])
  expect(message).not.toContain('may have taken effect')
  expect((await failureOf(call())).code).toBe('network')
  await server.start()
  expect(await call()).toBe('pong')
})

test('a call that was broken off is not repeated, and the next one connects anew', async () => {
  const { server, call } = await connect([404, ''])
  server.breaksOff = true
  const { code, message } = await failureOf(call())
  expect([code, server.calls]).toEqual(['network', 1])
  expect(message).toContain('may have taken effect')
  server.breaksOff = false
  expect(server.sessions).toBe(1)
  expect(await call()).toBe('pong')
  expect([server.calls, server.sessions]).toEqual([2, 2])
})

test('a 400 that says nothing of a session is not repeated, and the next call connects anew', async () => {
  const { server, call } = await connect([400, rpcError('The city is missing', 5)])
  server.refuses = true
  expect((await failureOf(call())).message).toContain('The city is missing')
  server.refuses = false
  expect(server.sessions).toBe(1)
  expect(await call()).toBe('pong')
  expect(server.sessions).toBe(2)
})

test('a server that refuses each session is connected to anew only once within a call', async () => {
  const { server, call } = await connect([400, rpcError('No valid session ID provided')])
  server.refuses = true
  expect((await failureOf(call())).message).toContain('No valid session')
  expect([server.calls, server.sessions]).toEqual([0, 2])
})

test('without reconnect a forgotten session is an error', async () => {
  const { server, call } = await connect([400, rpcError('No valid session ID provided')], {
    reconnect: false,
  })
  await server.stop()
  await server.start()
  expect((await failureOf(call())).message).toContain('No valid session')
})
