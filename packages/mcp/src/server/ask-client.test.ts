import { Agent, jsonSchema, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { askCity, serveAsking } from '../../test/asking-servers.js'
import { serveHttp } from '../../test/serve-http.js'
import { mcpTools } from '../client/mcp-tools.js'
import { mcpServer } from './mcp-server.js'
import type { McpServerOptions, Served } from './options.js'

const paid: number[] = []

const pay = tool({
  name: 'pay',
  description: 'Pays',
  parameters: z.object({ sum: z.number() }),
  needsApproval: true,
  execute: ({ sum }) => {
    paid.push(sum)
    return `Paid ${sum}.`
  },
})

const weigh = tool({
  name: 'weigh',
  description: 'Weighs',
  parameters: jsonSchema({ type: 'object' }),
  output: z.object({ grams: z.number() }),
})

async function serve(served: Served, options: McpServerOptions = {}) {
  paid.length = 0
  const server = mcpServer(served, options)
  onTestFinished(() => server.close())
  const { url } = await serveHttp(server.fetch)
  return { url, server }
}

interface Asked {
  readonly message: string
  readonly requestedSchema?: { readonly properties: object }
}

type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, never> }
type Answers = (asked: Asked) => object

async function today(url: string, answer?: Answers, headers: Record<string, string> = {}) {
  const client = new Client(
    { name: 'today', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: answer ? { elicitation: {} } : {} },
  )
  if (answer)
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params as never) as Answer)
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return (name: string, args: object = {}) => client.callTool({ name, arguments: { ...args } })
}

async function older(url: string, answer?: Answers) {
  const client = new OlderClient(
    { name: 'older', version: '1' },
    { capabilities: answer ? { elicitation: {} } : {} },
  )
  if (answer) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params as never) as Answer)
  await client.connect(new OlderTransport(new URL(url)) as never)
  onTestFinished(() => client.close())
  return (name: string, args: object = {}) => client.callTool({ name, arguments: { ...args } })
}

const clients = [
  ['a client of 2026', today],
  ['a client of 2025', older],
] as const

const accept = (content: object) => ({ action: 'accept', content })

test.each(clients)('%s is asked for an approval', async (_which, connect) => {
  const { url } = await serve([pay])
  const asked: Asked[] = []
  const call = await connect(url, (params) => {
    asked.push(params)
    return accept({ approve: true })
  })
  expect(await call('pay', { sum: 5 })).toMatchObject({ content: [{ text: 'Paid 5.' }] })
  expect(asked).toMatchObject([
    {
      message: 'Run pay with {"sum":5}?\n"pay" needs approval.',
      requestedSchema: { properties: { approve: { type: 'boolean' } }, required: ['approve'] },
    },
  ])
  expect(paid).toEqual([5])
})

const refusals = [
  [{ action: 'decline' }, "The client's user declined."],
  [{ action: 'cancel' }, "The client's user declined."],
  [accept({ approve: false, reason: 'Too much.' }), 'Too much.'],
  [accept({}), "The client's user declined."],
] as const

for (const [which, connect] of clients)
  test.each(refusals)(`what ${which} does not approve is denied: %j`, async (answer, reason) => {
    const { url } = await serve([pay])
    const call = await connect(url, () => answer)
    expect(await call('pay', { sum: 5 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(reason) }],
    })
    expect(paid).toEqual([])
  })

test.each(clients)(
  '%s gives results of tools without a function, also of agents',
  async (_which, connect) => {
    const model = scriptedModel([
      reply.calls(reply.call('weigh', {}), reply.call('pay', { sum: 7 })),
      ({ messages }) =>
        reply.text(
          messages
            .slice(-2)
            .map(({ content }) => content)
            .join(' '),
        ),
    ])
    const { url } = await serve([weigh, new Agent({ name: 'clerk', model, tools: [weigh, pay] })])
    const call = await connect(url, ({ message }) =>
      message.startsWith('Run') ? accept({ approve: true }) : accept({ result: '{"grams":3}' }),
    )
    expect(await call('weigh')).toMatchObject({ content: [{ text: '{"grams":3}' }] })
    expect(await call('ask_clerk', { input: 'Go.' })).toMatchObject({
      content: [{ text: '{"grams":3} Paid 7.' }],
    })
  },
)

test.each(clients)('for %s that cannot ask, decide decides', async (_which, connect) => {
  const decide: McpServerOptions['decide'] = ({ kind }) =>
    kind === 'approval' ? { type: 'approve' } : { type: 'result', value: { grams: 1 } }
  const { url } = await serve([pay, weigh], { decide })
  const call = await connect(url)
  expect(await call('pay', { sum: 5 })).toMatchObject({ content: [{ text: 'Paid 5.' }] })
  expect(await call('weigh')).toMatchObject({ content: [{ text: '{"grams":1}' }] })
})

test('questions of another server reach the client through both ends', async () => {
  const { url: inner } = await serveAsking(({ answers }) =>
    answers
      ? JSON.stringify(answers)
      : { resultType: 'input_required', inputRequests: { city: askCity }, requestState: 's' },
  )
  const tools = await mcpTools({ url: inner })
  onTestFinished(() => tools.close())
  const { url } = await serve([...tools.tools])
  const call = await today(url, ({ message }) =>
    message === 'Which city?' ? accept({ city: 'Oslo' }) : { action: 'decline' },
  )
  expect(await call('book')).toMatchObject({
    content: [{ text: '{"city":{"action":"accept","content":{"city":"Oslo"}}}' }],
  })
})

test('an agent with our tools of our server asks its own user', async () => {
  const { url } = await serve([pay])
  const server = await mcpTools({ url })
  onTestFinished(() => server.close())
  const model = scriptedModel([
    reply.call('pay', { sum: 9 }, { id: 'c1' }),
    ({ messages }) => reply.text(String(messages.at(-1)?.content)),
  ])
  const agent = new Agent({ model, tools: server.tools })
  const first = await agent.run('Pay.')
  expect(first.pending).toMatchObject([{ callId: 'c1/question1', kind: 'input' }])
  const decisions = { 'c1/question1': { type: 'result', value: { approve: true } } } as const
  expect((await agent.run(first.state, { decisions })).text).toBe('Paid 9.')
})

test('an answer counts once, and only from the caller of the call', async () => {
  const { url } = await serve([pay], {
    authenticate: ({ headers }) => headers.get('authorization') ?? undefined,
  })
  const call = async (caller: string, more: object = {}) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const params = { name: 'pay', arguments: { sum: 5 }, _meta: meta, ...more }
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: caller,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'pay',
      },
    })
    const text = await response.text()
    return JSON.parse(text.replace(/^[\s\S]*?data: /, '')).result
  }
  const { requestState, inputRequests } = await call('ann')
  const [callId = ''] = Object.keys(inputRequests)
  const answer = { requestState, inputResponses: { [callId]: accept({ approve: true }) } }
  const late = { isError: true, content: [{ text: expect.stringContaining('came too late') }] }
  expect(await call('bob', answer)).toMatchObject(late)
  expect(await call('ann', { ...answer, requestState: crypto.randomUUID() })).toMatchObject(late)
  expect(paid).toEqual([])
  expect(await call('ann', answer)).toMatchObject({ content: [{ text: 'Paid 5.' }] })
  expect(await call('ann', answer)).toMatchObject(late)
  expect(paid).toEqual([5])
})
