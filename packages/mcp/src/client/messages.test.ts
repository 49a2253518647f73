import { Agent, type CapstanError } from '@capstan/core'
import { toBase64 } from '@capstan/core/internal'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { picture } from '../../test/picture.js'
import { serveHttp } from '../../test/serve-http.js'
import { type McpTools, mcpTools } from './mcp-tools.js'
import { repairEnvelope, repairMessage } from './messages.js'
import { limitMessages } from './transport.js'

// A server that sends the given response, as one body or as an event stream.
const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
}
const object = { type: 'object' }
const good = { name: 'good', description: 'Says yes.', inputSchema: object }

interface Answers {
  readonly initialize?: unknown
  readonly list?: unknown
  readonly call?: unknown
  /** Fields to add to the response to a call. */
  readonly envelope?: object
  readonly isStream?: boolean
}

async function connect({
  initialize = initialized,
  list = { tools: [good] },
  call,
  envelope,
  isStream,
}: Answers): Promise<McpTools> {
  const results: Record<string, unknown> = { initialize, 'tools/list': list, 'tools/call': call }
  const { url } = await serveHttp(async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const { id, method } = (await request.json()) as { id?: number; method: string }
    if (id === undefined) return new Response(null, { status: 202 })
    const result = results[method]
    const error = { code: -32601, message: 'Method not found' }
    const message = {
      jsonrpc: '2.0',
      id,
      ...(result === undefined ? { error } : { result, ...(method === 'tools/call' && envelope) }),
    }
    if (!isStream) return Response.json(message)
    // An event's data may have several lines.
    const data = JSON.stringify(message, null, 1).replaceAll('\n', '\ndata: ')
    return new Response(`event: message\r\ndata: ${data}\r\n\r\n`.replace(/\r?\n/g, '\r\n'), {
      headers: { 'content-type': 'text/event-stream' },
    })
  })
  const server = await mcpTools({ url, settings: () => ({ effects: 'read' }) })
  onTestFinished(() => server.close())
  return server
}

/** Returns the text that a model gets for a call. */
async function heard(call: unknown, more: Answers = {}): Promise<string> {
  const server = await connect({ ...more, call })
  const model = scriptedModel([reply.call('good'), reply.text('Done.')])
  const { toolCalls } = await new Agent({ model, tools: server.tools }).run('Go')
  return toolCalls[0]?.content ?? ''
}

test.each<[string, object]>([
  ['nextCursor', { nextCursor: null, tools: [good] }],
  ['_meta', { _meta: null, tools: [good] }],
  ['title', { tools: [{ ...good, title: null }] }],
  ['description', { tools: [{ ...good, description: null }] }],
  ['annotations', { tools: [{ ...good, annotations: null }] }],
  ['a hint', { tools: [{ ...good, annotations: { readOnlyHint: null, title: null } }] }],
  ['outputSchema', { tools: [{ ...good, outputSchema: null }] }],
  ['icons', { tools: [{ ...good, icons: null, _meta: null, execution: null }] }],
  ['properties', { tools: [{ ...good, inputSchema: { ...object, properties: null, required: null } }] }],
  [
    'keywords of a parameter',
    {
      tools: [
        {
          ...good,
          inputSchema: {
            ...object,
            $schema: null,
            properties: { a: { type: 'string', enum: null, description: null, default: null, items: null } },
          },
        },
      ],
    },
  ],
])('a tool of a list with %s as null can be used', async (_what, list) => {
  const server = await connect({ list })
  expect([server.tools.map(({ name }) => name), server.skipped]).toEqual([['good'], []])
})

test.each<[string, unknown, string]>([
  ['null', null, ''],
  ['a string', 'good', ''],
  ['without a name', { inputSchema: object }, ''],
  ['with an empty name', { ...good, name: '' }, ''],
  ['with a name that is null', { ...good, name: null }, ''],
  ['with a number as its title', { ...good, name: 'bad', title: 5 }, 'bad'],
  ['with an array as its description', { ...good, name: 'bad', description: [] }, 'bad'],
  ['with annotations that are not an object', { ...good, name: 'bad', annotations: 'read' }, 'bad'],
  ['with a hint that is a string', { ...good, name: 'bad', annotations: { readOnlyHint: 'yes' } }, 'bad'],
  ['without an inputSchema', { name: 'bad' }, 'bad'],
  ['with an inputSchema that is null', { name: 'bad', inputSchema: null }, 'bad'],
  ['with an inputSchema that is an array', { name: 'bad', inputSchema: [] }, 'bad'],
  ['with an inputSchema without a type', { name: 'bad', inputSchema: {} }, 'bad'],
  [
    'with a parameter that is null',
    { name: 'bad', inputSchema: { ...object, properties: { a: null } } },
    'bad',
  ],
  ['with a number in required', { name: 'bad', inputSchema: { ...object, required: [5] } }, 'bad'],
  [
    'with an enum that is a string',
    { name: 'bad', inputSchema: { ...object, properties: { a: { enum: 'x' } } } },
    'bad',
  ],
])('a tool of a list that is %s costs only that tool', async (_what, bad, name) => {
  const server = await connect({ list: { tools: [bad, good] } })
  expect(server.tools.map((tool) => tool.name)).toEqual(['good'])
  expect(server.skipped).toEqual([{ name, reason: expect.stringMatching(/.{10,}\.$/) }])
})

test('a schema of results that cannot be used leaves the tool', async () => {
  const list = {
    tools: [
      { ...good, outputSchema: { type: 'array' } },
      { ...good, name: 'b', outputSchema: 5 },
    ],
  }
  const server = await connect({ list })
  expect(server.tools.map(({ name }) => name)).toEqual(['good', 'b'])
})

test('a server whose description of itself has nulls can be connected to', async () => {
  const initialize = {
    ...initialized,
    capabilities: { tools: { listChanged: null }, prompts: null },
    serverInfo: { ...initialized.serverInfo, title: null },
    instructions: null,
    _meta: null,
  }
  expect((await connect({ initialize })).tools).toHaveLength(1)
})

const words = { type: 'text', text: 'the words' }

test.each<[string, object]>([
  ['structuredContent', { content: [words], structuredContent: null }],
  ['isError', { content: [words], isError: null }],
  ['_meta', { content: [words], _meta: null }],
  ['annotations', { content: [{ ...words, annotations: null, _meta: null }] }],
  ['a block', { content: [null, words] }],
])('a result with %s as null is its words', async (_what, result) => {
  expect(await heard(result)).toBe('the words')
  expect(await heard(result, { isStream: true })).toBe('the words')
})

test.each<[string, object, string]>([
  ['a string', { content: 'the words' }, 'the words'],
  ['one block', { content: words }, 'the words'],
  ['null beside an array', { content: null, structuredContent: ['the words'] }, '["the words"]'],
  ['null beside an object', { content: null, structuredContent: { a: 1 } }, '{"structured":{"a":1}}'],
])('content that is %s is read', async (_what, result, expected) => {
  expect(await heard(result)).toBe(expected)
})

test.each<[string, object]>([
  ['of an unknown type', { type: 'video', uri: 'demo://film', mimeType: 'video/mp4' }],
  ['without a type', { url: 'demo://film' }],
  ['an image with a misspelt field', { type: 'image', data: 'aGk=', mime_type: 'image/png' }],
  ['a text that is a number', { type: 'text', text: 5 }],
  ['a resource without content', { type: 'resource', resource: { uri: 'demo://a' } }],
])('a block that is %s is kept as JSON beside the words', async (_what, block) => {
  expect(await heard({ content: [words, block] })).toBe(`the words\n${JSON.stringify(block)}`)
})

test('the JSON of an unknown block has at most 2 kB', async () => {
  const content = await heard({ content: [{ type: 'film', title: 'é'.repeat(5000) }] })
  expect(new TextEncoder().encode(content).byteLength).toBeLessThanOrEqual(2048)
  expect(content).toMatch(/^\{"type":"film","title":"é+…$/)
})

test('the model reads the words of an error in an unknown block', async () => {
  const content = [{ type: 'error', text: 'No such city.' }]
  expect(await heard({ content, isError: true })).toBe('Error: {"type":"error","text":"No such city."}')
  expect(await heard({ structuredContent: { reason: 'busy' }, isError: true })).toBe(
    'Error: {"reason":"busy"}',
  )
})

test.each([false, true])(
  'an envelope with an error that is null has its result, streamed: %s',
  async (isStream) => {
    expect(await heard({ content: [words] }, { envelope: { error: null }, isStream })).toBe('the words')
  },
)

test.each([false, true])(
  'a result that is no object is invalid_response at once, streamed: %s',
  async (isStream) => {
    const server = await connect({ call: 'yes', isStream })
    const error = (await server.tools[0]?.call({}).catch((error: unknown) => error)) as CapstanError
    expect([error.code, error.retryable]).toEqual(['invalid_response', false])
  },
)

test.each<[string, object]>([
  ['a _meta that is a number', { content: [words], _meta: 5 }],
  ['a _meta that is an array', { content: [words], _meta: [] }],
])('a result with %s is invalid_response at once', async (_what, call) => {
  for (const isStream of [false, true]) {
    const server = await connect({ call, isStream })
    await expect(server.tools[0]?.call({})).rejects.toMatchObject({
      code: 'invalid_response',
      retryable: false,
    })
  }
})

test.each([false, true])('an error that is a string is told, streamed: %s', async (isStream) => {
  const server = await connect({ call: null, envelope: { error: 'No such city' }, isStream })
  await expect(server.tools[0]?.call({})).rejects.toThrow(/No such city/)
})

test('null in data of the server stays', () => {
  const structuredContent = { a: null, _meta: null }
  const message = { jsonrpc: '2.0', id: 1, result: { content: [], structuredContent } }
  expect(repairMessage(message)).toEqual(message)
  const text = JSON.stringify(message)
  expect(JSON.parse(repairEnvelope(text))).toEqual(message)
})

test.each(['\n', '\r\n', '\r'])(
  'only the event that needs it is changed, with lines ended by %j',
  async (end) => {
    const plain = `id: 1${end}data: {"jsonrpc":"2.0","id":1,"result":{"a":1}}${end}${end}`
    const broken = `id: 2${end}data: {"jsonrpc":"2.0",${end}data: "id":2,"result":{"_meta":null}}${end}${end}`
    const body = new Response(plain + broken + plain, { headers: { 'content-type': 'text/event-stream' } })
    const text = await (await limitMessages(async () => body, 1000)('http://localhost/')).text()
    expect(text).toBe(`${plain}id: 2\ndata:{"jsonrpc":"2.0","id":2,"result":{}}\n\n${plain}`)
  },
)

test('the warning about base64 tells the user of the tool what to do', async () => {
  const warnings: Error[] = []
  const listener = (warning: Error) => warnings.push(warning)
  process.on('warning', listener)
  onTestFinished(() => void process.off('warning', listener))
  const text = `data:image/png;base64,${toBase64(Uint8Array.of(...picture, ...new Uint8Array(2000)))}`
  expect(await heard({ content: [{ type: 'text', text }] })).toMatch(/^img_\w+ \(image\/png/)
  const found = () => warnings.find(({ message }) => message.includes('became an artifact'))?.message
  await vi.waitFor(() => expect(found()).toMatch(/Ask its authors to send a file block/))
  expect(found()).not.toContain('ctx.artifacts')
})

test.each(['constructor', 'toString', '__proto__'])('a field %s that is left out is absent', async (name) => {
  const schema = { type: 'object', properties: Object.fromEntries([[name, { type: 'string' }]]) }
  const tools = [{ ...good, inputSchema: schema, outputSchema: schema }]
  const structuredContent = { other: 1 }
  const server = await connect({ list: { tools }, call: { content: [], structuredContent } })
  expect(await server.tools[0]?.call({})).toEqual(structuredContent)
})
