import { Agent, agentTool, CapstanError, handoff, type ToolContext, tool } from '@capstan/core'
import { toBase64 } from '@capstan/core/internal'
import { reply, scriptedModel } from '@capstan/testing'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { latch } from '../../test/latch.js'
import { picture } from '../../test/picture.js'
import { serveHttp } from '../../test/serve-http.js'
import { mcpServer } from './mcp-server.js'
import type { McpCall, McpServerOptions, Served } from './options.js'

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})

const draw = tool({
  name: 'draw',
  description: 'Draws',
  parameters: z.object({}),
  async execute(_args, ctx) {
    return { picture: await ctx.artifacts.put(picture, { kind: 'image', mediaType: 'image/png' }) }
  },
})

/** The requests that both clients support. */
interface Asking {
  list(): Promise<{ tools: { name: string; description?: string | undefined; inputSchema: object }[] }>
  call(
    name: string,
    args?: object,
    options?: { signal?: AbortSignal; onprogress?: (progress: object) => void },
  ): Promise<Record<string, unknown>>
  read(uri: string): Promise<{ contents: object[] }>
  close(): Promise<void>
}

async function today(url: string, headers: Record<string, string> = {}): Promise<Asking> {
  const client = new Client({ name: 'today', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  expect(client.getProtocolEra()).toBe('modern')
  return {
    list: () => client.listTools(),
    call: (name, args = {}, options) => client.callTool({ name, arguments: { ...args } }, options),
    read: (uri) => client.readResource({ uri }),
    close: () => client.close(),
  }
}

async function older(url: string, headers: Record<string, string> = {}): Promise<Asking> {
  const client = new OlderClient({ name: 'older', version: '1' })
  await client.connect(new OlderTransport(new URL(url), { requestInit: { headers } }) as never)
  onTestFinished(() => client.close())
  return {
    list: () => client.listTools(),
    call: (name, args = {}, options) => client.callTool({ name, arguments: { ...args } }, undefined, options),
    read: (uri) => client.readResource({ uri }),
    close: () => client.close(),
  }
}

async function serve(served: Served, options?: McpServerOptions): Promise<string> {
  const server = mcpServer(served, options)
  onTestFinished(() => server.close())
  return (await serveHttp(server.fetch)).url
}

const clients = [
  ['a client of 2026', today],
  ['an older client', older],
] as const

test.each(clients)('%s lists tools as a model sees them', async (_which, connect) => {
  const { tools } = await (await connect(await serve([add]))).list()
  expect(tools).toEqual([
    { name: 'add', description: 'Adds two numbers', inputSchema: add.definition.function.parameters },
  ])
})

test.each(clients)('%s gets structured content and text', async (_which, connect) => {
  const client = await connect(await serve([add]))
  expect(await client.call('add', { a: 1, b: 2 })).toMatchObject({
    content: [{ type: 'text', text: '{"sum":3}' }],
    structuredContent: { sum: 3 },
  })
})

test.each(clients)('%s gets progress that only increases', async (_which, connect) => {
  // A result sent together with progress could arrive before the progress handler runs.
  const { promise: heardAll, resolve: hear } = latch()
  const work = tool({
    name: 'work',
    description: 'Works',
    parameters: z.object({}),
    async *execute() {
      yield 'begun'
      yield { progress: 5, total: 10, message: 'half' }
      yield { progress: 2, message: 'less' }
      await heardAll
      return 'done'
    },
  })
  const client = await connect(await serve([work]))
  const heard: object[] = []
  const onprogress = (progress: object) => {
    if (heard.push(progress) === 3) hear()
  }
  expect(await client.call('work', {}, { onprogress })).toMatchObject({ content: [{ text: 'done' }] })
  expect(heard).toEqual([
    { progress: 1, message: 'begun' },
    { progress: 5, total: 10, message: 'half' },
    { progress: 6, message: 'less' },
  ])
})

test.each(clients)('%s gets a small image in the result', async (_which, connect) => {
  const { content } = await (await connect(await serve([draw]))).call('draw')
  expect(content).toMatchObject([
    { type: 'text' },
    { type: 'image', mimeType: 'image/png', data: toBase64(picture) },
  ])
})

test.each(clients)('%s reads a large image by its link', async (_which, connect) => {
  const client = await connect(await serve([draw], { inlineBytes: 0 }))
  const { content } = (await client.call('draw')) as {
    content: { type: string; uri: string; size: number }[]
  }
  const link = content[1]
  expect(link).toMatchObject({ type: 'resource_link', mimeType: 'image/png', size: picture.byteLength })
  expect(await client.read(link?.uri ?? '')).toMatchObject({
    contents: [{ blob: toBase64(picture), mimeType: 'image/png' }],
  })
})

test.each(clients)(
  '%s gets a text of up to 16 kB in the result, and a link to a longer one',
  async (_which, connect) => {
    const write = tool({
      name: 'write',
      description: 'Writes',
      parameters: z.object({ characters: z.number() }),
      execute: ({ characters }, { artifacts }) =>
        artifacts.put(new TextEncoder().encode('w'.repeat(characters)), {
          kind: 'text',
          mediaType: 'text/csv',
        }),
    })
    const client = await connect(await serve([write]))
    const blockOf = async (characters: number) =>
      ((await client.call('write', { characters })) as { content: Record<string, unknown>[] }).content[1]
    expect(await blockOf(16 * 1024)).toMatchObject({
      type: 'resource',
      resource: {
        uri: expect.stringContaining('capstan://artifact/txt_'),
        mimeType: 'text/csv',
        text: 'w'.repeat(16 * 1024),
      },
    })
    expect(await blockOf(16 * 1024 + 1)).toMatchObject({ type: 'resource_link', mimeType: 'text/csv' })
  },
)

test.each(clients)('%s gets an error for an unknown link', async (_which, connect) => {
  const client = await connect(await serve([draw]))
  for (const uri of ['capstan://artifact/img_aaaaaaaa', 'capstan://artifact/../x', 'file:///etc/passwd'])
    await expect(client.read(uri)).rejects.toThrow(/not found/i)
})

test.each(clients)('%s gets the error of a call that is not valid', async (_which, connect) => {
  const broken = tool({
    name: 'broken',
    description: 'Fails',
    parameters: z.object({}),
    execute: () => {
      throw new Error('The sea is closed.')
    },
  })
  const client = await connect(await serve([add, broken]))
  expect(await client.call('add', { a: 'x' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('a: Invalid input: expected number') }],
  })
  expect(await client.call('broken')).toMatchObject({
    isError: true,
    content: [{ text: 'Error: The sea is closed.' }],
  })
  await expect(client.call('nothing')).rejects.toThrow('No tool "nothing". Tools: add, broken.')
})

/** Returns a tool that waits until it is aborted. */
function waiting() {
  const started = latch()
  const ended = latch<string>()
  const wait = tool({
    name: 'wait',
    description: 'Waits',
    parameters: z.object({}),
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.resolve('ended')
          reject(signal.reason)
        })
        started.resolve()
      }),
  })
  return { wait, started, ended }
}

test.each(clients)('%s can cancel a call, which aborts its run', async (_which, connect) => {
  const { wait, started, ended } = waiting()
  const client = await connect(await serve([wait]))
  const controller = new AbortController()
  const call = client.call('wait', {}, { signal: controller.signal })
  await started.promise
  controller.abort(new Error('enough'))
  await expect(call).rejects.toThrow()
  expect(await ended.promise).toBe('ended')
})

test.each(clients)('%s that disconnects during a call leaves no run', async (_which, connect) => {
  const { wait, started, ended } = waiting()
  const client = await connect(await serve([wait]))
  const call = client.call('wait')
  const failed = expect(call).rejects.toThrow()
  await started.promise
  await client.close()
  await failed
  expect(await ended.promise).toBe('ended')
})

test.each(clients)('%s calls an agent as one tool, and gets its progress', async (_which, connect) => {
  const { promise: heardAll, resolve: hear } = latch()
  const answer = () => heardAll.then(() => reply.text('It is 42.'))
  const model = scriptedModel([reply.call('add', { a: 20, b: 22 }), answer])
  const agent = new Agent({ name: 'reckoner', model, tools: [add] })
  const client = await connect(await serve(agent))
  const { tools } = await client.list()
  // A client stores a hash of the definition with its runs.
  expect(tools).toMatchObject([
    {
      name: 'ask_reckoner',
      description: 'Delegate a task to the agent reckoner.',
      inputSchema: {
        properties: { input: { type: 'string', description: 'The task, as text' } },
        required: ['input'],
      },
    },
  ])
  const heard: unknown[] = []
  const onprogress = (one: object) => {
    if (heard.push(one) === 2) hear()
  }
  const result = await client.call('ask_reckoner', { input: '20 + 22?' }, { onprogress })
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'It is 42.' }] })
  expect(heard).toEqual([
    { progress: 1, message: 'add: started' },
    { progress: 2, message: 'add: done' },
  ])
})

test('an agent made a tool is served with its own name and description', async () => {
  const model = scriptedModel([reply.call('add', { a: 1, b: 2 }), reply.text('Three.')])
  const agent = new Agent({ name: 'reckoner', model, tools: [add] })
  const client = await today(await serve([agentTool(agent, { description: 'Reckons' })]))
  expect((await client.list()).tools).toMatchObject([{ name: 'reckoner', description: 'Reckons' }])
  expect(await client.call('reckoner', { input: '1 + 2' })).toMatchObject({ content: [{ text: 'Three.' }] })
})

test('an agent that stops early is an error with the reason', async () => {
  const model = scriptedModel([reply.call('add', { a: 1, b: 2 }), reply.text('So far 3.')])
  const agent = new Agent({ model, tools: [add], limits: { steps: 1 } })
  const client = await today(await serve([agent]))
  const result = await client.call('ask_agent', { input: 'Go on for ever' })
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(': steps') }] })
  expect(await client.call('ask_agent', {})).toMatchObject({ isError: true })
})

test('structured output is structured content', async () => {
  const model = scriptedModel([reply.call('final_answer', { sum: 3 })])
  const agent = new Agent({ model, output: z.object({ sum: z.number() }) })
  const client = await today(await serve([agent]))
  expect(await client.call('ask_agent', { input: '1 + 2' })).toMatchObject({ structuredContent: { sum: 3 } })
})

test('denies a call that needs approval unless decide is set', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    parameters: z.object({ sum: z.number() }),
    needsApproval: true,
    execute: ({ sum }) => `Paid ${sum}.`,
  })
  const alone = await today(await serve([pay]))
  expect(await alone.call('pay', { sum: 5 })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('nobody can approve it here') }],
  })
  const seen: unknown[] = []
  const decided = await today(
    await serve([pay], {
      decide: ({ name, arguments: args }, { caller }) => {
        seen.push({ name, args, caller })
        return { type: 'approve' }
      },
    }),
  )
  expect(await decided.call('pay', { sum: 5 })).toMatchObject({ content: [{ text: 'Paid 5.' }] })
  expect(seen).toEqual([{ name: 'pay', args: { sum: 5 }, caller: undefined }])
})

test('a decision that fails or is not valid denies the call', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    parameters: z.object({ sum: z.number() }),
    needsApproval: true,
    execute: ({ sum }) => `Paid ${sum}.`,
  })
  const failing = () => {
    throw new Error('nobody is in')
  }
  const impossible = () => ({ type: 'approve', arguments: { sum: 'much' } }) as const
  for (const decide of [failing, impossible]) {
    const errors: string[] = []
    const client = await today(await serve([pay], { decide, onError: ({ message }) => errors.push(message) }))
    expect(await client.call('pay', { sum: 5 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('The approval failed') }],
    })
    expect(errors.join()).toMatch(/nobody is in|does not match its schema/)
  }
})

test.each(clients)('the run of %s gets the caller that authenticate returned', async (_which, connect) => {
  const calls: McpCall[] = []
  const whoami = tool({
    name: 'whoami',
    description: 'Says who calls',
    parameters: z.object({}),
    execute: (_args, ctx: ToolContext<{ user: string }>) => ctx.context.user,
  })
  const url = await serve([whoami], {
    authenticate: ({ headers }) => headers.get('authorization')?.replace('Bearer ', ''),
    runOptions: (call) => {
      calls.push(call)
      return { context: { user: call.caller } }
    },
  })
  const client = await connect(url, { authorization: 'Bearer ann' })
  expect(await client.call('whoami')).toMatchObject({ content: [{ text: 'ann' }] })
  expect(calls).toMatchObject([{ name: 'whoami', caller: 'ann', request: expect.anything() }])
  await expect(connect(url)).rejects.toThrow(/401|Authentication is required/i)
})

test('calls beyond maxCalls get an error', async () => {
  const { promise: held, resolve: release } = latch()
  const { promise: started, resolve: begun } = latch()
  const hold = tool({
    name: 'hold',
    description: 'Holds',
    parameters: z.object({}),
    execute: async () => {
      begun()
      await held
      return 'held'
    },
  })
  const client = await today(await serve([hold], { maxCalls: 1 }))
  const first = client.call('hold')
  await started
  expect(await client.call('hold')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Too many concurrent calls') }],
  })
  release()
  expect(await first).toMatchObject({ content: [{ text: 'held' }] })
  expect(await client.call('hold')).toMatchObject({ content: [{ text: 'held' }] })
})

test('refuses a body that is too large before reading it', async () => {
  const url = await serve([add], { maxBodyBytes: 1000 })
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { x: 'x'.repeat(10_000) },
  })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(413)
})

test.each([
  ['text that is not JSON', '{', 400],
  ['JSON that is not a request', '5', 400],
  ['an unknown method before a session', '{"jsonrpc":"2.0","id":1,"method":"x"}', 400],
])('responds to %s with its own status', async (_what, body, status) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const response = await fetch(await serve([add]), { method: 'POST', headers, body })
  expect(response.status).toBe(status)
})

test('the client gets the whole result, without maxResultBytes', async () => {
  const long = tool({
    name: 'long',
    description: 'Goes on',
    parameters: z.object({}),
    maxResultBytes: 256,
    execute: () => ({ words: 'x'.repeat(100_000) }),
  })
  const client = await today(await serve([long]))
  expect(await client.call('long')).toMatchObject({ structuredContent: { words: 'x'.repeat(100_000) } })
})

test('rejects duplicate names and handoffs', () => {
  const other = new Agent({ name: 'other', model: scriptedModel([]) })
  expect(() => mcpServer([add, add])).toThrow('Duplicate tool name "add"')
  expect(() => mcpServer([handoff(other)])).toThrow('"transfer_to_other" hands the conversation over')
})

test.each([
  ['throws', () => new TypeError('secret internals'), 'api'],
  [
    'reports',
    () => new CapstanError('network', 'http://10.0.0.5:8080 does not answer: secret internals.'),
    'network',
  ],
])('of the error that a failing model %s, the client gets only the code', async (_how, failure, code) => {
  const model = { name: 'm', complete: () => Promise.reject(failure()) }
  const errors: string[] = []
  const agent = new Agent({ model })
  const client = await today(await serve([agent], { onError: ({ message }) => errors.push(message) }))
  expect(await client.call('ask_agent', { input: 'x' })).toMatchObject({
    content: [{ type: 'text', text: `"ask_agent" failed (${code}).` }],
    isError: true,
  })
  expect(errors.join()).toContain('secret internals')
})
