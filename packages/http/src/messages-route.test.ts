import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { eventsIn, handlerOf, hello, scripted, toRequest } from '../test/requests.js'
import type { AgentHandler } from './agent-handler.js'

const path = '/v1/messages'
const model = 'helper'
const user = (content: unknown) => ({ role: 'user', content })
const send = {
  name: 'send_mail',
  description: 'Sends',
  input_schema: { type: 'object', properties: { to: { type: 'string' } } },
}

async function ask(handler: AgentHandler, body: object, name = 'ann') {
  const sent = { model, max_tokens: 500, messages: [user('Hi')], ...body }
  const response = await handler(toRequest(path, { user: name, body: sent }))
  return { status: response.status, ...(await response.json()) }
}

async function stream(handler: AgentHandler, body: object) {
  const sent = { model, max_tokens: 500, messages: [user('Hi')], stream: true, ...body }
  const response = await handler(toRequest(path, { body: sent }))
  const events = eventsIn(await response.text())
  const parsed = events.map(({ data }) => JSON.parse(data))
  expect(parsed.map(({ type }) => type)).toEqual(events.map(({ event }) => event))
  return parsed
}

const thinks = () =>
  scripted([
    async () => ({
      message: {
        role: 'assistant',
        content: 'Let me look.',
        reasoning_content: 'Oslo, then.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
        ],
      },
    }),
    reply.text('Four degrees.', { tokens: { inputTokens: 100, cachedInputTokens: 60 } }),
  ])

test('sends the same message, whole and streamed', async () => {
  const whole = await ask(handlerOf(thinks()), {})
  const events = await stream(handlerOf(thinks()), {})
  expect(whole).toMatchObject({
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'Let me look.\n\nFour degrees.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { cache_read_input_tokens: 60 },
  })
  expect(events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  expect(events.map(({ delta }) => delta?.text ?? '').join('')).toBe(whole.content[0].text)
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: whole.usage })
})

test('sends thinking to a client that asks for it', async () => {
  const events = await stream(handlerOf(thinks()), { thinking: { type: 'enabled', budget_tokens: 1024 } })
  const blocks = events.flatMap(({ content_block: block }) => block ?? [])
  expect(blocks).toMatchObject([{ type: 'thinking', signature: '' }, { type: 'text' }])
  expect(events.map(({ delta }) => delta?.thinking ?? '').join('')).toBe('Oslo, then.')
})

test('calls of the client are blocks, and their results resume the run', async () => {
  const seen = scriptedModel([
    reply.calls(reply.call('send_mail', { to: 'Bo' }), reply.call('send_mail', { to: 'Di' })),
    reply.text('Sent.'),
  ])
  const handler = handlerOf(new Agent({ name: 'helper', model: seen }))
  const messages = [user([{ type: 'text', text: 'Tell them.', cache_control: { type: 'ephemeral' } }])]
  const first = await ask(handler, { messages, tools: [send], tool_choice: { type: 'any' } })
  expect(seen.requests[0]?.toolChoice).toBe('required')
  expect(first).toMatchObject({
    stop_reason: 'tool_use',
    content: [
      { type: 'tool_use', name: 'send_mail', input: { to: 'Bo' } },
      { type: 'tool_use', name: 'send_mail', input: { to: 'Di' } },
    ],
  })
  const [one, other] = first.content
  const results = [
    { type: 'tool_result', tool_use_id: one.id, content: [{ type: 'text', text: 'sent' }] },
    { type: 'tool_result', tool_use_id: other.id, content: 'no address', is_error: true },
  ]
  const thought = { type: 'thinking', thinking: 'Hm.', signature: '' }
  const said = { role: 'assistant', content: [thought, ...first.content] }
  const second = await ask(handler, { messages: [...messages, said, user(results)], tools: [send] })
  expect(second.content).toMatchObject([{ type: 'text', text: 'Sent.' }])
  expect(seen.requests[1]?.messages.slice(-2)).toMatchObject([
    { role: 'tool', content: 'sent' },
    { role: 'tool', content: 'Error: no address' },
  ])
})

test('system, pictures and documents reach the model', async () => {
  const png = Buffer.alloc(3000, 7)
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = png.toString('base64')
  const seen = scriptedModel([reply.text('Cat.')])
  const handler = handlerOf(new Agent({ name: 'helper', model: seen, instructions: 'Be kind.' }))
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A page.' } },
  ]
  const system = [{ type: 'text', text: 'Be brief.' }]
  const shown = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
    { type: 'text', text: 'A page.' },
  ]
  expect((await ask(handler, { messages: [user(content)], system })).status).toBe(200)
  expect(seen.requests[0]?.messages).toMatchObject([
    { role: 'system', content: 'Be kind.' },
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: expect.arrayContaining(shown) },
  ])
})

test('documents of text blocks and search results reach the model as text', async () => {
  const blocks = [{ type: 'text', text: 'A page.' }]
  const content = [
    { type: 'document', source: { type: 'content', content: 'A page.' }, citations: { enabled: true } },
    { type: 'document', source: { type: 'content', content: blocks } },
    { type: 'search_result', source: 'https://a.example', title: 'A', content: blocks },
  ]
  const found = JSON.stringify({ title: 'A', source: 'https://a.example', text: 'A page.' })
  const seen = scriptedModel([reply.text('Read.')])
  const handler = handlerOf(new Agent({ name: 'helper', model: seen }))
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] }
  const result = { type: 'tool_result', tool_use_id: 'c', content }
  const messages = [user(content), call, user([result])]
  expect((await ask(handler, { messages })).status).toBe(200)
  expect(seen.requests[0]?.messages).toMatchObject([
    { role: 'user', content: ['A page.', 'A page.', found].map((text) => ({ type: 'text', text })) },
    { role: 'assistant' },
    { role: 'tool', content: `A page.\nA page.\n${found}` },
  ])
  const file = { type: 'document', source: { type: 'file', file_id: 'file-1' } }
  const hidden = { type: 'document', source: { type: 'content', content: [file] } }
  expect((await ask(handler, { messages: [user([hidden])] })).status).toBe(400)
})

test('a refusal is text, and the stop reason says so', async () => {
  const agent = () =>
    scripted([async () => ({ message: { role: 'assistant', content: 'Hm.', refusal: 'I will not.' } })])
  const whole = await ask(handlerOf(agent()), {})
  expect(whole).toMatchObject({ stop_reason: 'refusal', content: [{ text: 'Hm.\n\nI will not.' }] })
  const events = await stream(handlerOf(agent()), {})
  expect(events.map(({ delta }) => delta?.text ?? '').join('')).toBe('Hm.\n\nI will not.')
})

test('errors have the form of the protocol, before a stream and in it', async () => {
  const handler = handlerOf(hello())
  const refused = (type: string) => ({ type: 'error', error: { type, message: expect.any(String) } })
  expect(await ask(handler, {}, '')).toEqual({ status: 401, ...refused('authentication_error') })
  expect(await ask(handler, { model: 'nobody' })).toEqual({ status: 404, ...refused('not_found_error') })
  expect(await ask(handler, { messages: [] })).toEqual({ status: 400, ...refused('invalid_request_error') })
  const wrong = await handler(toRequest(`${path}/count_tokens`, { body: {} }))
  expect([wrong.status, await wrong.json()]).toEqual([404, refused('not_found_error')])
  const failing = handlerOf(scripted([reply.fail('quota', { message: 'key sk-house-0123456789abcdef' })]))
  const [, ...rest] = await stream(failing, {})
  const message = 'The agent failed (quota).'
  expect(rest).toEqual([{ type: 'error', error: { type: 'overloaded_error', message } }])
})

const use = { type: 'tool_use', id: 'a', name: 'f', input: {} }

test.each([
  { messages: 'Hi' },
  { messages: [5] },
  { messages: [user(5)] },
  { messages: [user([5])] },
  { messages: [user([{ type: 'song' }])] },
  { messages: [user([{ type: 'image', source: { type: 'file', file_id: 'f' } }])] },
  { messages: [{ role: 'king', content: 'x' }] },
  { messages: [user('Hi'), { role: 'assistant', content: [use] }] },
  { messages: [user([{ type: 'tool_result', tool_use_id: 'a', content: 'x' }])] },
  { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  { tools: [null] },
  { tools: 5 },
  { system: 5 },
  { tool_choice: 'auto' },
  { tool_choice: { type: 'tool' } },
])('refuses %j', async (body) => {
  const error = { type: 'invalid_request_error' }
  expect(await ask(handlerOf(hello()), body)).toMatchObject({ status: 400, type: 'error', error })
})
