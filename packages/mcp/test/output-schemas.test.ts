import { Agent, jsonSchema, tool } from '@capstan/core'
import { mcpServer, mcpTools } from '@capstan/mcp'
import { reply, scriptedModel } from '@capstan/testing'
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'

const tides = { harbour: 'Bergen', high: ['04:12'] }
const outputSchema = { harbour: z.string(), high: z.array(z.string()) }

/** Connects to a server of the SDK whose tool returns this. */
async function connect(answer: CallToolResult, isChecked = true) {
  const server = new OlderServer({ name: 'harbours', version: '1' })
  server.registerTool('get_tides', { description: 'Tides', outputSchema }, async () => answer)
  // As a server that does not check its own results.
  if (!isChecked) Object.assign(server, { validateToolOutput: async () => {} })
  const connected = await mcpTools({
    transport: async () => {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      await server.connect(theirs as never)
      return ours
    },
  })
  onTestFinished(() => connected.close())
  return connected.tools
}

async function run(answer: CallToolResult, isChecked?: boolean) {
  const model = scriptedModel([reply.call('get_tides', {}), reply.text('Done.')])
  const agent = new Agent({ model, tools: await connect(answer, isChecked) })
  const { toolCalls } = await agent.run('When is high water?')
  return toolCalls[0]
}

test('the structured content of a tool with an output schema is its result', async () => {
  const call = await run({
    content: [{ type: 'text', text: JSON.stringify(tides) }],
    structuredContent: tides,
  })
  expect(call).toMatchObject({ status: 'ok', result: tides, content: JSON.stringify(tides) })
  const [getTides] = await connect({ content: [], structuredContent: tides })
  expect(await getTides?.call({})).toEqual(tides)
  expect(getTides?.output).toMatchObject({ schema: { properties: { harbour: { type: 'string' } } } })
})

test('the model reads what comes beside structured content', async () => {
  const data = Buffer.from('no picture').toString('base64')
  const image = { type: 'image' as const, data, mimeType: 'image/png' }
  const call = await run({
    content: [{ type: 'text', text: 'Springs.' }, image],
    structuredContent: tides,
  })
  expect(call?.result).toEqual(tides)
  expect(JSON.parse(call?.content ?? '')).toEqual({
    text: 'Springs.',
    structured: tides,
    artifacts: [{ artifact: expect.stringMatching(/^img_/), mediaType: 'image/png' }],
  })
  expect(call?.artifacts).toHaveLength(1)
})

test('a result that does not match the output schema is an error of the call', async () => {
  const call = await run({ content: [], structuredContent: { harbour: 'Bergen', high: 412 } }, false)
  expect(call).toMatchObject({
    status: 'error',
    content: expect.stringContaining('does not match its output'),
  })
  expect(call?.content).toContain('high')
})

test('a text that is the structured content counts as one, and any other is an error', async () => {
  const call = await run({ content: [{ type: 'text', text: JSON.stringify(tides) }] }, false)
  expect(call?.result).toEqual(tides)
  const other = await run({ content: [{ type: 'text', text: 'At 04:12.' }] }, false)
  expect(other).toMatchObject({ status: 'error', content: expect.stringContaining('no structuredContent') })
})

const getTides = tool({
  name: 'get_tides',
  description: 'Tides',
  parameters: z.object({}),
  output: z.object(outputSchema),
  execute: () => tides,
  toModel: ({ harbour }) => `High water at ${harbour}: 04:12`,
})

type Listing = { readonly name: string; readonly outputSchema?: object | undefined }
interface Asking {
  listTools(): Promise<{ readonly tools: readonly Listing[] }>
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<object>
}

/** A client of 2026. It checks results against the schemas that the server declares. */
async function today(url: URL, send: typeof fetch): Promise<Asking> {
  const client = new Client({ name: 'today', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: send }))
  onTestFinished(() => client.close())
  return client as Asking
}

async function older(url: URL, send: typeof fetch): Promise<Asking> {
  const client = new OlderClient({ name: 'older', version: '1' })
  await client.connect(new OlderTransport(url, { fetch: send }) as never)
  onTestFinished(() => client.close())
  return client as Asking
}

const clients = [
  ['a client of 2026', today],
  ['the SDK', older],
] as const

test.each(clients)('%s gets output schemas of tools, and structured content beside text', async (_, open) => {
  const plain = tool({ name: 'plain', description: 'x', parameters: z.object({}), execute: () => ({ a: 1 }) })
  const listed = tool({
    name: 'listed',
    description: 'x',
    parameters: z.object({}),
    output: jsonSchema({ type: 'array', items: { type: 'string' } }),
    execute: () => ['a'],
  })
  const server = mcpServer([getTides, plain, listed], { authenticate: () => ({ id: 'ann' }) })
  onTestFinished(() => server.close())
  const send = (url: string | URL | Request, init?: RequestInit) => server.fetch(new Request(url, init))
  const client = await open(new URL('http://localhost/mcp'), send)
  const { tools } = await client.listTools()
  expect(tools.map(({ name, outputSchema }) => [name, outputSchema])).toEqual([
    ['get_tides', expect.objectContaining({ type: 'object', required: ['harbour', 'high'] })],
    ['plain', undefined],
    // The protocol has objects alone.
    ['listed', undefined],
  ])
  expect(await client.callTool({ name: 'get_tides', arguments: {} })).toMatchObject({
    content: [{ type: 'text', text: 'High water at Bergen: 04:12' }],
    structuredContent: tides,
  })
  expect(await client.callTool({ name: 'listed', arguments: {} })).toMatchObject({
    content: [{ text: '["a"]' }],
  })
})

test.each(['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'])(
  'a served tool keeps the $schema %s of its schemas',
  async ($schema) => {
    const schema = {
      $schema,
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'number' } } },
    }
    const sum = tool({
      name: 'sum',
      description: 'Adds',
      parameters: jsonSchema<{ a?: number[] }>(schema),
      output: jsonSchema<{ a?: number[] }>(schema),
      execute: ({ a = [] }) => ({ a: [a.reduce((sum, one) => sum + one, 0)] }),
    })
    const server = mcpServer([sum])
    const fetch = (url: string | URL, init?: RequestInit) => server.fetch(new Request(url, init))
    const url = new URL('http://localhost/mcp')
    const older = new OlderClient({ name: 'older', version: '1' })
    await older.connect(new OlderTransport(url, { fetch }) as never)
    const client = new Client({ name: 'client', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url, { fetch }))
    onTestFinished(async () => {
      await older.close()
      await client.close()
      await server.close()
    })
    for (const { tools } of [await older.listTools(), await client.listTools()]) {
      expect(tools[0]?.inputSchema).toMatchObject(schema)
      expect(tools[0]?.outputSchema).toMatchObject(schema)
    }
    const called = await client.callTool({ name: 'sum', arguments: { a: [1, 2] } })
    expect(called.structuredContent).toEqual({ a: [3] })
  },
)
