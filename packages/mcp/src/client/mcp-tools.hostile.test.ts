import { fileURLToPath } from 'node:url'
import { type CapstanError, isCapstanError, memoryArtifacts } from '@capstan/core'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { latch } from '../../test/latch.js'
import { serveHttp } from '../../test/serve-http.js'
import { type McpTools, mcpTools } from './mcp-tools.js'
import type { McpToolsOptions } from './options.js'

const script = fileURLToPath(new URL('../../test/hostile-server.mjs', import.meta.url))

async function connect(wrong: string, options: Partial<McpToolsOptions> = {}): Promise<McpTools> {
  const server = await mcpTools({ command: process.execPath, args: [script, wrong], ...options })
  onTestFinished(() => server.close())
  return server
}

/** Connects, and retries on timeouts: on a busy machine, starting a process may take longer than a call may take. */
async function connectAtLast(wrong: string, options: Partial<McpToolsOptions>): Promise<McpTools> {
  for (;;) {
    const server = await connect(wrong, options).catch((error: unknown) => {
      if (!isCapstanError(error) || error.code !== 'timeout') throw error
    })
    if (server) return server
  }
}

const callOf = (server: McpTools, args: Record<string, unknown> = {}) => {
  const [tool] = server.tools
  if (!tool) throw new Error('The server has no tool.')
  return tool.call(args)
}

const failureOf = (work: Promise<unknown>): Promise<CapstanError> =>
  work.then(
    (value) => Promise.reject(new Error(`It did not fail: ${JSON.stringify(value)?.slice(0, 200)}`)),
    (error) => (isCapstanError(error) ? error : Promise.reject(error)),
  )

// Servers that cannot be connected to, with the error that the user gets.
test.each([
  ['silent', 'timeout', { timeoutMs: 300 }],
  ['exits', 'network', {}],
  ['pages', 'invalid_response', {}],
  ['slow-pages', 'timeout', { timeoutMs: 500 }],
  ['no-list', 'invalid_response', {}],
])('a server that fails to connect by "%s" ends as %s', async (wrong, code, options) => {
  const error = await failureOf(mcpTools({ command: process.execPath, args: [script, wrong], ...options }))
  expect(error.code).toBe(code)
  expect(error.message).toContain('The MCP server')
})

// Each of these servers lists tools that agents must be able to ignore.
test.each([
  ['names', 6, 1],
  ['nonsense', 1, 1],
  ['no-object', 1, 1],
  ['deep-schema', 0, 1],
  ['twins', 1, 1],
  ['description', 1, 0],
  ['cycle', 1, 0],
  ['laughs', 0, 1],
  ['pattern', 1, 0],
  ['nowhere', 0, 1],
  ['proto-schema', 1, 0],
  ['many', 1000, 9000],
])('a list with "%s" gives %i tools and skips %i', async (wrong, taken, skipped) => {
  const server = await connect(wrong)
  expect([server.tools.length, server.skipped.length]).toEqual([taken, skipped])
  for (const { name, definition } of server.tools) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(name in {}).toBe(false)
    expect(definition.function.description.length).toBeLessThanOrEqual(4096)
  }
  for (const { reason } of server.skipped) expect(reason).not.toBe('')
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test('the server gets a changed name in its original form', async () => {
  const server = await connect('names')
  for (const tool of server.tools) expect(await tool.call({})).toBe('yes')
})

test('a circular schema rejects its call and nothing else', async () => {
  const server = await connect('cycle')
  await expect(callOf(server, { a: 1 })).rejects.toThrow()
  expect(await callOf(server, {})).toBe('yes')
})

test('does not run an expression that takes years', async () => {
  const server = await connect('pattern')
  expect(server.tools[0]?.definition.function.parameters).toMatchObject({
    properties: { a: { pattern: '^(a+)+$' } },
  })
  expect(await callOf(server, { a: `${'a'.repeat(40)}!` })).toBe('yes')
})

// Each of these calls fails, and its error is checked. The timeout is long enough to connect on a busy machine.
test.each([
  ['dies', 'network', {}],
  ['silent-call', 'timeout', { timeoutMs: 2000 }],
  ['long-line', 'network', { maxBytes: 1_000_000 }],
  ['no-result', 'invalid_response', {}],
  ['rpc-error', 'api', {}],
  ['long-error', 'api', {}],
  ['wordless-error', 'api', {}],
  ['no-base64', 'invalid_response', {}],
])('a call that gets "%s" fails as %s, with a limited message', async (wrong, code, options) => {
  const error = await failureOf(callOf(await connectAtLast(wrong, options)))
  expect(error.code).toBe(code)
  expect(error.message.length).toBeGreaterThan(10)
  expect(error.message.length).toBeLessThan(10_000)
})

test('falls back to the older handshake if the server exits', async () => {
  expect(await callOf(await connect('exits-at-questions'))).toBe('yes')
})

test('garbage and requests between responses change nothing', async () => {
  expect(await callOf(await connect('garbage'))).toBe('yes')
})

test('reports at most 1000 progress messages of limited length', async () => {
  const server = await connect('progress')
  const heard: unknown[] = []
  const ctx = {
    signal: new AbortController().signal,
    artifacts: memoryArtifacts(),
    progress: (value: unknown) => heard.push(value),
  }
  await server.tools[0]?.execute?.({}, ctx as never)
  expect(heard.length).toBeLessThanOrEqual(1000)
  expect(heard.length).toBeGreaterThan(0)
  for (const value of heard) expect(JSON.stringify(value).length).toBeLessThan(300)
})

test('1000 change notifications cause one new list', async () => {
  let changes = 0
  const { promise, resolve } = latch()
  const server = await connect('changes', {
    onChange: () => {
      changes += 1
      resolve()
    },
  })
  await callOf(server)
  await promise
  // When the server has responded once more, all earlier notifications have arrived.
  await server.refresh()
  expect(changes).toBe(1)
})

test('a server that changes its tools on every list is asked again after half a second at the earliest', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const changed = [latch(), latch()]
  let changes = 0
  const server = await connect('changes-when-asked', { onChange: () => changed[changes++]?.resolve() })
  // Each response comes after the notification that the server sent before it.
  await callOf(server)
  await vi.advanceTimersByTimeAsync(500)
  await changed[0]?.promise
  await callOf(server)
  await vi.advanceTimersByTimeAsync(499)
  await callOf(server)
  expect(changes).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  await changed[1]?.promise
})

test('allow picks a tool of a very long list', async () => {
  const server = await connect('many', { allow: ['t9999'] })
  expect(server.tools.map(({ name }) => name)).toEqual(['t9999'])
})

test('data with a __proto__ key stays data', async () => {
  const result = await callOf(await connect('proto-result'))
  expect(JSON.stringify(result)).toContain('"ok":1')
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test('a caller gets a result of any length whole', async () => {
  expect(await callOf(await connect('huge'))).toHaveLength(200_000)
})

// Servers at a URL. Each responds correctly to the first requests, and incorrectly to calls.
const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'h', version: '1' },
}
const plain = { name: 'plain', description: 'Says yes.', inputSchema: { type: 'object' } }

async function connectHttp(
  answer: (id: number) => Response,
  options: Partial<McpToolsOptions> = {},
): Promise<McpTools> {
  const { url } = await serveHttp(async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const { id, method } = (await request.json()) as { id?: number; method: string }
    const results: Record<string, object> = { initialize: initialized, 'tools/list': { tools: [plain] } }
    const result = results[method]
    if (result) return Response.json({ jsonrpc: '2.0', id, result })
    if (id === undefined) return new Response(null, { status: 202 })
    if (method === 'tools/call') return answer(id)
    return Response.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
  })
  const server = await mcpTools({ url, ...options })
  onTestFinished(() => server.close())
  return server
}

const endless = (piece: string) =>
  new ReadableStream<Uint8Array>({
    pull: (out) => out.enqueue(new TextEncoder().encode(piece)),
  })
const stream = { 'content-type': 'text/event-stream' }
const json = { 'content-type': 'application/json' }

/** Responses that are not results, and whether only the call's timeout ends each of them. */
test.each<[string, (id: number) => Response, boolean]>([
  [
    'an event without end',
    () => new Response(endless('data: xxxxxxxxxxxxxxxxxxxxxxxx'), { headers: stream }),
    true,
  ],
  ['a body without end', () => new Response(endless('[[[[[[[[[[[[[[[[[[[[['), { headers: json }), false],
  ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), false],
  ['text that is not JSON', () => new Response('{', { headers: json }), false],
  ['a failure', () => new Response('broken', { status: 500 }), false],
  ['a stream that ends before its answer', () => new Response(': nothing\n\n', { headers: stream }), true],
  [
    'an answer to something else',
    (id: number) => Response.json({ jsonrpc: '2.0', id: id + 1000, result: {} }),
    true,
  ],
  ['silence', () => new Response(new ReadableStream(), { headers: stream }), true],
])('a call over HTTP that gets %s fails, and the next one works', async (_what, answer, isEndedByTime) => {
  const timeoutMs = 60_000
  const answered = latch()
  let wrong = true
  const yes = (id: number) =>
    Response.json({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'yes' }] } })
  const answerOnce = (id: number) => {
    answered.resolve()
    return wrong ? answer(id) : yes(id)
  }
  const server = await connectHttp(answerOnce, { maxBytes: 100_000, timeoutMs })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const failing = failureOf(callOf(server))
  if (isEndedByTime) {
    await answered.promise
    // Another request takes longer than receiving the rest of the response.
    await server.refresh()
    await vi.advanceTimersByTimeAsync(timeoutMs)
  }
  const error = await failing
  vi.useRealTimers()
  expect(['timeout', 'network', 'api', 'invalid_response']).toContain(error.code)
  expect(error.message.length).toBeLessThan(2000)
  wrong = false
  expect(await callOf(server)).toBe('yes')
})

test("headers are sent only to the server's own origin", async () => {
  const secret = { authorization: 'Bearer for-you-alone' }
  const seen: (string | null)[] = []
  const other = await serveHttp((request) => {
    seen.push(request.headers.get('authorization'))
    return new Response(null, { status: 404 })
  })
  const moved = await connectHttp(
    () => new Response(null, { status: 307, headers: { location: other.url } }),
    { headers: secret },
  )
  await failureOf(callOf(moved))
  expect(seen).toEqual([])
  const login = await serveHttp((request) =>
    request.url.includes('/.well-known/')
      ? Response.json({
          resource: request.url.replace(/\.well-known.*/, 'mcp'),
          authorization_servers: [other.url],
        })
      : new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }),
  )
  await failureOf(mcpTools({ url: login.url, headers: secret, authProvider: nobody }))
  expect(seen.length).toBeGreaterThan(0)
  expect(seen.filter((one) => one !== null)).toEqual([])
})

const nobody: OAuthClientProvider = {
  redirectUrl: 'http://localhost/callback',
  clientMetadata: { redirect_uris: ['http://localhost/callback'] },
  clientInformation: () => undefined,
  tokens: () => undefined,
  saveTokens: () => {},
  redirectToAuthorization: () => {},
  saveCodeVerifier: () => {},
  codeVerifier: () => '',
}
