import { Agent, backgroundCalls, CapstanError, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { handlerOf, toRequest } from '../test/requests.js'

const draw = tool({
  name: 'draw',
  description: 'D',
  parameters: z.object({}),
  background: true,
  execute: () => 'a cat',
})

test.each([
  ['/ui', { messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Draw.' }] }] }],
  ['/runs', { input: 'Draw.', stream: true }],
  [
    '/ag-ui',
    {
      threadId: 't',
      runId: 'r',
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
      messages: [{ id: 'm', role: 'user', content: 'Draw.' }],
    },
  ],
])('a stream has the outcome of a background call: %s', async (path, body) => {
  const model = scriptedModel([reply.calls(reply.call('draw', {}, { id: 'c1' })), reply.text('Soon.')])
  const handler = handlerOf(
    new Agent({ name: 'helper', model, tools: [draw], middleware: [backgroundCalls()] }),
  )
  const text = await (await handler(toRequest(path, { body }))).text()
  expect(text).toContain('Started in the background as c1.')
  expect(text).toContain('a cat')
})

test('an AG-UI history with both results of a background call has its outcome alone', async () => {
  const model = scriptedModel([reply.text('Yes.')])
  const handler = handlerOf(
    new Agent({ name: 'helper', model, tools: [draw], middleware: [backgroundCalls()] }),
  )
  const toolCalls = [{ id: 'c1', type: 'function', function: { name: 'draw', arguments: '{}' } }]
  const messages = [
    { id: '1', role: 'user', content: 'Draw.' },
    { id: '2', role: 'assistant', content: '', toolCalls },
    { id: '3', role: 'tool', toolCallId: 'c1', content: 'Started.' },
    { id: '4', role: 'assistant', content: 'Soon.' },
    { id: '5', role: 'tool', toolCallId: 'c1', content: 'a cat' },
    { id: '6', role: 'user', content: 'Done?' },
  ]
  const run = { threadId: 't', runId: 'r', tools: [], context: [], state: {}, forwardedProps: {} }
  const response = await handler(toRequest('/ag-ui', { body: { ...run, messages } }))
  expect(await response.text()).toContain('Yes.')
  expect(model.requests[0]?.messages.map(({ content }) => content)).toEqual([
    'Draw.',
    null,
    'a cat',
    'Soon.',
    'Done?',
  ])
})

test.each([
  ['plain', false, false],
  ['in the background', true, false],
  ['in the background, streamed', true, true],
])(
  'an approved call that is %s is paid once when its client repeats a request that failed',
  async (_, background, stream) => {
    const keys: string[] = []
    const pay = tool({
      name: 'pay',
      description: 'P',
      parameters: z.object({}),
      background,
      needsApproval: true,
      execute: (_args, { idempotencyKey }) => {
        keys.push(idempotencyKey)
        return 'paid'
      },
    })
    const down = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      throw new CapstanError('api', 'The server is down.')
    }
    const model = scriptedModel([
      reply.calls(reply.call('pay', {}, { id: 'c1' })),
      down,
      down,
      reply.text('Paid.'),
    ])
    const middleware = background ? [backgroundCalls()] : []
    const handler = handlerOf(new Agent({ name: 'helper', model, tools: [pay], middleware }))
    const asking = {
      type: 'function',
      function: { name: 'request_approval', parameters: { type: 'object' } },
    }
    const post = async (messages: readonly object[], stream = false) => {
      const body = { model: 'helper', messages, tools: [asking], stream }
      return (await handler(toRequest('/v1/chat/completions', { body }))).text()
    }
    const user = { role: 'user', content: 'Pay.' }
    const { choices } = JSON.parse(await post([user]))
    const [{ id }] = choices[0].message.tool_calls
    const again = [user, choices[0].message, { role: 'tool', tool_call_id: id, content: 'approve' }]
    expect(await post(again, stream)).not.toContain('Paid.')
    expect(await post(again, stream)).not.toContain('Paid.')
    expect(await post(again, stream)).toContain('Paid.')
    expect(keys).toHaveLength(1)
    const told = model.requests.at(-1)?.messages.filter(({ content }) => String(content).includes('paid'))
    expect(told).toHaveLength(1)
  },
)

test.each([
  ['plain', false],
  ['in the background', true],
])(
  'a client of runs may repeat decisions whose run failed, and the call is paid once: %s',
  async (_, background) => {
    const keys: string[] = []
    const pay = tool({
      name: 'pay',
      description: 'P',
      parameters: z.object({}),
      background,
      needsApproval: true,
      execute: (_args, { idempotencyKey }) => void keys.push(idempotencyKey),
    })
    const down = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      throw new CapstanError('api', 'The server is down.')
    }
    const model = scriptedModel([
      reply.calls(reply.call('pay', {}, { id: 'c1' })),
      down,
      down,
      reply.text('Paid.'),
    ])
    const handler = handlerOf(
      new Agent({ name: 'helper', model, tools: [pay], middleware: [backgroundCalls()] }),
    )
    const post = async (body: object) => {
      const response = await handler(toRequest('/runs', { body: { stream: false, ...body } }))
      return { status: response.status, ...((await response.json()) as { runId: string; text?: string }) }
    }
    const { runId } = await post({ input: 'Pay.' })
    const decided = { run: runId, decisions: { c1: { type: 'approve' } } }
    expect(await post(decided)).toMatchObject({ status: 500 })
    expect(await post({ ...decided, decisions: { c1: { type: 'deny', reason: 'no' } } })).toMatchObject({
      status: 409,
    })
    expect(await post(decided)).toMatchObject({ status: 500 })
    expect(await post(decided)).toMatchObject({ status: 200, text: 'Paid.' })
    expect(await post(decided)).toMatchObject({ status: 200, text: 'Paid.' })
    expect(keys).toEqual([`${runId}/step0/call0`])
  },
)
