import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Agent, type CapstanError, jsonSchema, readArtifactBytes, ToolError, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport as OlderTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { latch } from '../../test/latch.js'
import { serveHttp } from '../../test/serve-http.js'
import { mcpServer } from '../server/mcp-server.js'
import { type McpTools, mcpTools } from './mcp-tools.js'
import type { McpToolInfo, McpToolsOptions } from './options.js'

// A public server that uses the older protocol, in the version from the registry.
const manifest = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/package.json',
)
const everything = {
  command: process.execPath,
  args: [manifest.replace('package.json', 'dist/index.js'), 'stdio'],
}
const hostile = fileURLToPath(new URL('../../test/hostile-server.mjs', import.meta.url))

async function connect(options: McpToolsOptions): Promise<McpTools> {
  const server = await mcpTools(options)
  onTestFinished(() => server.close())
  return server
}

/** The server's tools with the usual options. The tests that only call them share one connection. */
let connected: Promise<McpTools> | undefined
const usual = () => {
  connected ??= mcpTools(everything)
  return connected
}
afterAll(async () => (await connected)?.close())

/** A server with one tool, "plain". */
const plain = { command: process.execPath, args: [hostile] }

const toolOf = (server: McpTools, name: string) => {
  const found = server.tools.find((tool) => tool.name === name)
  if (!found) throw new Error(`No "${name}" in ${server.tools.map((tool) => tool.name).join(', ')}`)
  return found
}

const failureOf = async (work: Promise<unknown>): Promise<CapstanError> => {
  const [settled] = await Promise.allSettled([work])
  if (settled?.status !== 'rejected') throw new Error('It did not fail.')
  return settled.reason
}

test('an agent uses the tools of a public server', async () => {
  const server = await connect({ ...everything, prefix: 'demo' })
  const model = scriptedModel([
    reply.call('demo_get-sum', { a: 20, b: 22 }),
    ({ messages }) => reply.text(String(messages.at(-1)?.content)),
  ])
  const result = await new Agent({ model, tools: [...server.tools] }).run('What is 20 + 22?')
  expect(result.text).toBe('The sum of 20 and 22 is 42.')
  expect(result.toolCalls[0]).toMatchObject({ dynamic: true, name: 'demo_get-sum', status: 'ok' })
})

test('an image becomes an artifact of the run, and the model reads a reference', async () => {
  const server = await usual()
  const model = scriptedModel([reply.call('get-tiny-image'), reply.text('Done.')])
  const agent = new Agent({ model, tools: server.tools })
  const { artifacts, toolCalls } = await agent.run('Show me')
  expect(artifacts).toMatchObject([
    { kind: 'image', mediaType: 'image/png', origin: { tool: 'get-tiny-image' } },
  ])
  expect(toolCalls[0]?.content).toContain(`{"artifact":"${artifacts[0]?.id}","mediaType":"image/png"}`)
  expect(toolCalls[0]?.content.length).toBeLessThan(500)
  expect((await readArtifactBytes(agent.artifacts, artifacts[0]?.id ?? '')).byteLength).toBe(
    artifacts[0]?.size,
  )
})

test('the model sees each schema as the server wrote it', async () => {
  const capabilities = { elicitation: { form: {}, url: {} } }
  const client = new Client({ name: 'raw', version: '1' }, { capabilities })
  await client.connect(new StdioClientTransport({ ...everything, stderr: 'ignore' }))
  onTestFinished(() => client.close())
  const { tools: raw } = await client.listTools()
  const server = await usual()
  const ours = server.tools.map(({ name, definition }) => [name, definition.function.parameters])
  // Ignore what means nothing to a model: the schema's draft, and empty fields.
  const asSent = raw.map(({ name, inputSchema: { $schema: _, ...schema } }) => [
    name,
    { properties: {}, required: [], ...schema },
  ])
  expect(ours).toEqual(asSent)
})

test('arguments that are not valid do not reach the server', async () => {
  const server = await usual()
  const error = await failureOf(toolOf(server, 'get-sum').call({ a: 'x', b: 1 }))
  expect(error.code).toBe('invalid_arguments')
  expect(error.message).toContain('a: Instance type "string" is invalid')
})

test('a server gets only safe variables and those in env', async () => {
  process.env.CAPSTAN_TEST_SECRET = 'not for servers'
  onTestFinished(() => void delete process.env.CAPSTAN_TEST_SECRET)
  const server = await connect({ ...everything, env: { GIVEN: 'to it' } })
  const env = JSON.parse(String(await toolOf(server, 'get-env').call({})))
  expect(env).toMatchObject({ GIVEN: 'to it' })
  expect(env).not.toHaveProperty('CAPSTAN_TEST_SECRET')
})

test('allow picks tools by their names on the server', async () => {
  const server = await connect({ ...everything, prefix: 'demo', allow: ['echo', 'get-sum'] })
  expect(server.tools.map(({ name }) => name)).toEqual(['demo_echo', 'demo_get-sum'])
})

test("allow with an unknown name fails and lists the server's tools", async () => {
  const error = await failureOf(mcpTools({ ...plain, allow: ['ehco'] }))
  expect(error).toMatchObject({ code: 'invalid_tool', evidence: { name: 'ehco' } })
  expect(error.message).toMatch(/no tool "ehco"\. Its tools: plain/)
})

test('results are untrusted: the next changing call needs approval', async () => {
  const server = await usual()
  const model = () =>
    scriptedModel([
      reply.call('echo', { message: 'Do this!' }),
      reply.call('get-sum', { a: 1, b: 2 }),
      reply.text('Done.'),
    ])
  const run = (tools: McpTools['tools']) => new Agent({ model: model(), tools }).run('Go')
  expect(await run(server.tools)).toMatchObject({ stopReason: 'pending', pending: [{ name: 'get-sum' }] })
  const trusted = await connect({ ...everything, untrusted: false })
  expect(await run(trusted.tools)).toMatchObject({ stopReason: 'done' })
  const access = await connect({
    ...everything,
    settings: ({ name }) => (name === 'get-sum' ? { effects: 'read' } : {}),
  })
  expect(await run(access.tools)).toMatchObject({ stopReason: 'done' })
})

test("the model gets the server's error message and continues", async () => {
  const failing = new McpServer({ name: 'failing', version: '1' })
  failing.registerTool('fail', { description: 'Fails' }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'No such city: try Oslo.' }],
  }))
  const handler = createMcpHandler(() => failing)
  const server = await connect({ url: (await serveHttp(handler.fetch)).url })
  const model = scriptedModel([reply.call('fail'), reply.text('I see.')])
  const { toolCalls, stopReason } = await new Agent({ model, tools: server.tools }).run('Go')
  expect(stopReason).toBe('done')
  expect(toolCalls[0]).toMatchObject({ status: 'error', content: 'Error: No such city: try Oslo.' })
})

test('an error of a tool that passes through both ends has one prefix', async () => {
  const fail = tool({
    name: 'fail',
    description: 'Fails',
    parameters: jsonSchema({ type: 'object' }),
    execute: () => {
      throw new ToolError('oops')
    },
  })
  const served = mcpServer([fail])
  onTestFinished(() => served.close())
  const server = await connect({ url: (await serveHttp(served.fetch)).url })
  const model = scriptedModel([reply.call('fail'), reply.text('I see.')])
  const { toolCalls } = await new Agent({ model, tools: server.tools }).run('Go')
  expect(toolCalls[0]).toMatchObject({ status: 'error', content: 'Error: oops' })
})

// The two versions of the protocol announce changes in different ways.
test('a change of tools on a server of 2026 updates the list', async () => {
  const names = ['one']
  const handler = createMcpHandler(() => {
    const made = new McpServer(
      { name: 'changing', version: '1' },
      { capabilities: { tools: { listChanged: true } } },
    )
    for (const name of names) made.registerTool(name, { description: name }, () => ({ content: [] }))
    return made
  })
  onTestFinished(() => handler.close())
  const { url } = await serveHttp(handler.fetch)
  const seen = latch<readonly string[]>()
  const server = await connect({ url, onChange: (tools) => seen.resolve(tools.map(({ name }) => name)) })
  expect(server.tools.map(({ name }) => name)).toEqual(['one'])
  names.push('two')
  handler.notify.toolsChanged()
  expect(await seen.promise).toEqual(['one', 'two'])
})

test('a change of tools on an older server updates the list, and an agent keeps its own', async () => {
  const older = new McpServer({ name: 'older', version: '1' })
  const one = older.registerTool('one', { description: 'One' }, () => ({ content: [] }))
  const { promise: next, resolve: changed } = latch<readonly string[]>()
  const server = await connect({
    transport: async () => {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      await older.connect(theirs as never)
      return ours
    },
    onChange: (tools) => changed(tools.map(({ name }) => name)),
  })
  const agent = new Agent({ model: scriptedModel([]), tools: server.tools })
  one.remove()
  older.registerTool('two', { description: 'Two' }, () => ({ content: [] }))
  expect(await next).toEqual(['two'])
  expect(server.tools.map(({ name }) => name)).toEqual(['two'])
  expect(agent.tools.map(({ name }) => name)).toEqual(['one'])
})

test('an older HTTP server lists tools, notifies of changes and gets cancellations', async () => {
  const sessions = new Map<string, OlderTransport>()
  const { promise: wasStopped, resolve: stopped } = latch()
  let older: OlderServer | undefined
  const { url } = await serveHttp(async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known) return known.handleRequest(request)
    const transport = new OlderTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    older = new OlderServer({ name: 'older', version: '1' })
    older.registerTool('wait', { description: 'Waits' }, async ({ signal, sendNotification, _meta }) => {
      const progressToken = _meta?.progressToken ?? ''
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, message: 'waiting' },
      })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      stopped()
      return { content: [] }
    })
    await older.connect(transport)
    return transport.handleRequest(request)
  })
  const { promise: next, resolve: changed } = latch<readonly string[]>()
  const server = await connect({ url, onChange: (tools) => changed(tools.map(({ name }) => name)) })
  const run = new Agent({ model: scriptedModel([reply.call('wait')]), tools: server.tools }).stream('Wait')
  run.on('tool-progress', ({ value }) => run.abort(value))
  expect((await run.result).stopReason).toBe('aborted')
  await wasStopped
  older?.registerTool('more', { description: 'More' }, async () => ({ content: [] }))
  expect(await next).toEqual(['wait', 'more'])
  await server.close()
  // The client has ended its session.
  expect(sessions.size).toBe(0)
})

test('a server that dies in a call fails it, and the next call restarts the server', async () => {
  const server = await connect({ command: process.execPath, args: [hostile, 'dies'] })
  for (let at = 0; at < 2; at++) {
    const error = await failureOf(toolOf(server, 'plain').call({}))
    expect(error).toMatchObject({ code: 'network', retryable: true })
    expect(error.message).toMatch(/failed while calling "plain".*may have taken effect/)
  }
})

test('without reconnect a dead server is not restarted', async () => {
  const server = await connect({ command: process.execPath, args: [hostile, 'dies'], reconnect: false })
  expect((await failureOf(toolOf(server, 'plain').call({}))).code).toBe('network')
  const error = await failureOf(toolOf(server, 'plain').call({}))
  expect(error.code).toBe('invalid_state')
  expect(error.message).toContain('reconnect is off')
})

test('standard error output is evidence of an error', async () => {
  const script = 'console.error("Cannot find module x"); process.exit(1)'
  const error = await failureOf(mcpTools({ command: process.execPath, args: ['-e', script] }))
  expect(error).toMatchObject({
    code: 'network',
    evidence: { stderr: expect.stringContaining('Cannot find module x') },
  })
})

test('redacts secrets in standard error output wherever it is cut', async () => {
  const secret = 'abcdefghijklmnopqrstuvwxyz'
  const script =
    'process.stderr.write(process.env.KEY.repeat(9) + process.env.KEY + "-".repeat(1990)); process.exitCode = 1'
  const env = { KEY: secret }
  const { evidence } = await failureOf(mcpTools({ command: process.execPath, args: ['-e', script], env }))
  expect((evidence as { stderr: string }).stderr).toBe(`[redacted]${'-'.repeat(1990)}`)
})

test('reports a missing command and an unreachable address', async () => {
  expect((await failureOf(mcpTools({ command: 'no-such-command-here' }))).code).toBe('not_found')
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  await new Promise((resolve) => listener.close(resolve))
  expect((await failureOf(mcpTools({ url: `http://127.0.0.1:${port}/mcp` }))).code).toBe('network')
})

test('headers authenticate to a server and appear in no error', async () => {
  const handler = createMcpHandler(
    () => new McpServer({ name: 'closed', version: '1' }, { capabilities: { tools: {} } }),
  )
  const { url } = await serveHttp((request) => {
    const said = request.headers.get('authorization')
    return said === 'Bearer right-secret'
      ? handler.fetch(request)
      : new Response(`no: ${said}`, { status: 401 })
  })
  const headers = async () => ({ authorization: 'Bearer right-secret' })
  expect((await connect({ url, headers })).tools).toEqual([])
  const error = await failureOf(mcpTools({ url, headers: { authorization: 'Bearer wrong-secret' } }))
  expect(error.code).toBe('auth')
  expect(JSON.stringify([error.message, error.evidence])).not.toContain('wrong-secret')
})

test('a lost session is replaced and the call is retried', async () => {
  const { WebStandardStreamableHTTPServerTransport } = await import('@modelcontextprotocol/server')
  const sessions = new Map<string, InstanceType<typeof WebStandardStreamableHTTPServerTransport>>()
  const { url } = await serveHttp(async (request) => {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : sessions.get(id)
    if (known) return known.handleRequest(request)
    if (id !== null) return new Response(null, { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (made) => void sessions.set(made, transport),
    })
    const made = new McpServer({ name: 'forgetful', version: '1' })
    made.registerTool('yes', { description: 'Yes' }, () => ({ content: [{ type: 'text', text: 'yes' }] }))
    await made.connect(transport)
    return transport.handleRequest(request)
  })
  const server = await connect({ url })
  const first = [...sessions.keys()]
  sessions.clear()
  expect(await toolOf(server, 'yes').call({})).toBe('yes')
  expect([first.length, sessions.size]).toEqual([1, 1])
})

test('meta reaches the server', async () => {
  const handler = createMcpHandler(() => {
    const made = new McpServer({ name: 'tracing', version: '1' })
    const inputSchema = fromJsonSchema({ type: 'object' })
    made.registerTool('trace', { description: 'Trace', inputSchema }, (_args, ctx) => ({
      content: [{ type: 'text', text: String(ctx.mcpReq._meta?.traceparent) }],
    }))
    return made
  })
  const { url } = await serveHttp(handler.fetch)
  const server = await connect({ url, meta: ({ callId }) => ({ traceparent: `of ${callId.slice(0, 5)}` }) })
  expect(await toolOf(server, 'trace').call({})).toBe('of call_')
})

test('after close tools cannot be called, and closing again does nothing', async () => {
  const server = await connect(plain)
  await server.close()
  await server[Symbol.asyncDispose]()
  const error = await failureOf(toolOf(server, 'plain').call({ message: 'x' }))
  expect(error).toMatchObject({ code: 'invalid_state' })
  expect(error.message).toContain('is closed')
})

test('the signal aborts connecting', async () => {
  const controller = new AbortController()
  const attempt = mcpTools({
    command: process.execPath,
    args: [hostile, 'silent'],
    signal: controller.signal,
  })
  controller.abort(new Error('no longer wanted'))
  expect((await failureOf(attempt)).message).toContain('no longer wanted')
})

test('settings that are not valid throw', async () => {
  const error = await failureOf(mcpTools({ ...plain, settings: () => ({ timeoutMs: -1 }) }))
  expect(error).toMatchObject({
    code: 'invalid_tool',
    message: expect.stringContaining('Tool "plain": timeoutMs is -1'),
  })
})

test('settings as a promise throw, so that no approval is lost', async () => {
  const settings = async () => ({ needsApproval: true })
  const error = await failureOf(mcpTools({ ...plain, settings: settings as never }))
  expect(error).toMatchObject({
    code: 'invalid_tool',
    message: 'Tool "plain": settings returned a promise. Return an object.',
  })
})

test('an onChange that throws is a process warning', async () => {
  const warned = new Promise<Error>((resolve) => {
    process.once('warning', resolve)
  })
  const server = await connect({
    command: process.execPath,
    args: [hostile, 'changes'],
    onChange: () => {
      throw new Error('The listener fails.')
    },
  })
  expect(await toolOf(server, 'plain').call({})).toBe('yes')
  expect((await warned).message).toBe('The listener fails.')
})

test('calls that fail with a lost session share the new one', async () => {
  const begun: string[] = []
  const sessions = new Map<string, OlderTransport>()
  const { url } = await serveHttp(async (request) => {
    const id = request.headers.get('mcp-session-id')
    const known = sessions.get(id ?? '')
    if (known) return known.handleRequest(request)
    if (id !== null) return new Response(null, { status: 404 })
    const transport = new OlderTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (made) => {
        begun.push(made)
        sessions.set(made, transport)
      },
    })
    const made = new OlderServer({ name: 'forgetful', version: '1' })
    made.registerTool('yes', { description: 'Yes' }, async () => ({
      content: [{ type: 'text', text: 'yes' }],
    }))
    await made.connect(transport)
    return transport.handleRequest(request)
  })
  const server = await connect({ url })
  sessions.clear()
  const said = await Promise.all(Array.from({ length: 20 }, () => toolOf(server, 'yes').call({})))
  expect(said).toEqual(Array.from({ length: 20 }, () => 'yes'))
  expect(begun).toHaveLength(2)
})

test('close aborts reconnecting', async () => {
  const flag = { isSilent: false }
  const handler = createMcpHandler(() => {
    const made = new McpServer({ name: 'falls-silent', version: '1' })
    made.registerTool('yes', { description: 'Yes' }, () => ({ content: [] }))
    return made
  })
  const { promise: wasAsked, resolve: asked } = latch()
  const { url } = await serveHttp((request) => {
    if (!flag.isSilent) return handler.fetch(request)
    if (request.headers.get('mcp-method') === 'tools/call') return new Response(null, { status: 404 })
    asked()
    return new Promise<Response>(() => {})
  })
  const server = await connect({ url })
  flag.isSilent = true
  const failed = failureOf(toolOf(server, 'yes').call({}))
  await wasAsked
  await server.close()
  expect(await failed).toMatchObject({ code: 'invalid_state' })
})

test('tools for the app alone are skipped, and settings read the metadata of the others', async () => {
  const seen: unknown[] = []
  const handler = createMcpHandler(() => {
    const made = new McpServer({ name: 'apps', version: '1' })
    const add = (name: string, ui: object) =>
      made.registerTool(name, { description: name, _meta: { ui } }, () => ({ content: [] }))
    add('refresh', { visibility: ['app'] })
    add('chart', { visibility: ['model', 'app'], resourceUri: 'ui://chart' })
    add('table', { resourceUri: 'ui://table' })
    made.registerResource('chart', 'ui://chart', {}, () => {
      throw new Error('No app is read.')
    })
    return made
  })
  onTestFinished(() => handler.close())
  const { url } = await serveHttp(handler.fetch)
  const settings = ({ _meta }: McpToolInfo) => {
    seen.push(_meta)
    return {}
  }
  const server = await connect({ url, settings })
  expect(server.tools.map(({ name }) => name)).toEqual(['chart', 'table'])
  expect(server.skipped).toEqual([
    { name: 'refresh', reason: "It is only for the server's own app, not for models." },
  ])
  expect(seen).toEqual([
    { ui: { visibility: ['model', 'app'], resourceUri: 'ui://chart' } },
    { ui: { resourceUri: 'ui://table' } },
  ])
})
