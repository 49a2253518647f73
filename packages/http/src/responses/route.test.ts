import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { asksWeather, eventsIn, handlerOf, hello, scripted, toRequest, weather } from '../../test/requests.js'
import type { AgentHandler } from '../agent-handler.js'

const path = '/v1/responses'
const model = 'helper'
const user = (content: unknown) => ({ role: 'user', content })
const send = {
  type: 'function',
  name: 'send_mail',
  description: 'Sends',
  parameters: { type: 'object', properties: { to: { type: 'string' } } },
}
const approval = {
  type: 'function',
  name: 'request_approval',
  parameters: { type: 'object', properties: {} },
}

async function ask(handler: AgentHandler, body: object, name = 'ann') {
  const response = await handler(toRequest(path, { user: name, body: { model, ...body } }))
  return { status: response.status, ...(await response.json()) }
}

async function stream(handler: AgentHandler, body: object) {
  const response = await handler(toRequest(path, { body: { model, stream: true, ...body } }))
  const events = eventsIn(await response.text())
  const parsed = events.map(({ data }) => JSON.parse(data))
  expect(parsed.map(({ type }) => type)).toEqual(events.map(({ event }) => event))
  expect(parsed.map(({ sequence_number: number }) => number)).toEqual(parsed.map((_, index) => index))
  return parsed
}

test('sends the same response, whole and streamed', async () => {
  const agent = () =>
    new Agent({
      name: 'helper',
      model: scriptedModel(
        [
          async () => ({
            message: {
              role: 'assistant',
              content: 'Let me look.',
              tool_calls: [
                {
                  id: 'a',
                  type: 'function',
                  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
                },
              ],
            },
          }),
          reply.fail('truncated', { after: 'Four deg' }),
          reply.text('Four degrees.'),
        ],
        { retries: 1 },
      ),
      tools: [weather],
    })
  const asked = { input: 'Oslo?', instructions: 'Be brief.', metadata: { a: 'b' } }
  const whole = await ask(handlerOf(agent()), asked)
  const events = await stream(handlerOf(agent()), asked)
  expect(whole).toMatchObject({
    object: 'response',
    status: 'completed',
    model,
    store: false,
    instructions: 'Be brief.',
    metadata: { a: 'b' },
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'Let me look.\n\nFour degrees.' }] }],
    usage: { total_tokens: expect.any(Number) },
  })
  const { response } = events.at(-1)
  const { usage, output } = whole
  expect(response).toMatchObject({ usage, status: 'completed', output: [{ content: output[0].content }] })
  expect(events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
})

test('reasoning and a refusal are items of their own', async () => {
  const agent = () =>
    scripted([
      async () => ({
        message: { role: 'assistant', content: '', reasoning_content: 'Hm, no.', refusal: 'I will not.' },
      }),
    ])
  const items = [
    { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm, no.' }] },
    { type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] },
  ]
  const events = await stream(handlerOf(agent()), { input: 'Go.' })
  expect(events.at(-1).response.output).toMatchObject(items)
  const names = ['response.reasoning_text.delta', 'response.reasoning_text.done', 'response.refusal.done']
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(names))
  expect((await ask(handlerOf(agent()), { input: 'Go.' })).output).toMatchObject(items)
})

test('calls of the client are items, and their outputs resume the run', async () => {
  const handler = handlerOf(
    scripted([
      reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('send_mail', { to: 'Bo' })),
      reply.text('Sent.'),
    ]),
  )
  const input = [user('Tell Bo about Oslo.')]
  const first = await ask(handler, { input, tools: [send] })
  expect(first.output).toMatchObject([
    { type: 'function_call', name: 'send_mail', arguments: '{"to":"Bo"}', status: 'completed' },
  ])
  const [{ call_id }] = first.output
  const results = [{ type: 'function_call_output', call_id, output: [{ type: 'input_text', text: 'sent' }] }]
  const second = await ask(handler, { input: [...input, ...first.output, ...results], tools: [send] })
  expect(second.output).toMatchObject([{ content: [{ text: 'Sent.' }] }])
})

test('the same request resumes after an approved call when the model failed', async () => {
  const booked: string[] = []
  const room = tool({
    name: 'book_room',
    description: 'Books a room',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => {
      booked.push('room')
      return 'Room 5.'
    },
  })
  const steps = [
    reply.call('book_room'),
    reply.fail('api'),
    ({ messages }: { messages: readonly { content?: unknown }[] }) =>
      reply.text(`It says: ${messages.at(-1)?.content}`),
  ]
  const handler = handlerOf(new Agent({ name: 'helper', model: scriptedModel(steps), tools: [room] }))
  const tools = [approval]
  const { output } = await ask(handler, { input: 'Book.', tools })
  const answer = { type: 'function_call_output', call_id: output[0].call_id, output: 'approve' }
  const again = { input: [user('Book.'), ...output, answer], tools }
  const failed = await stream(handler, again)
  const fields = { code: 'api', message: 'The agent failed (api).', param: null }
  expect(failed.at(-1)).toMatchObject({
    type: 'error',
    ...fields,
    error: { ...fields, type: 'server_error' },
  })
  expect((await ask(handler, again)).output).toMatchObject([{ content: [{ text: 'It says: Room 5.' }] }])
  expect(booked).toEqual(['room'])
})

test('the id of an item stands for it, for its own user, until it is forgotten', async () => {
  const seen = scriptedModel([reply.text('Four degrees.'), reply.text('Yes.'), reply.text('No.')])
  const handler = handlerOf(new Agent({ name: 'helper', model: seen }))
  const { output } = await ask(handler, { input: 'Oslo?' })
  const { id } = output[0]
  const input = [
    user('Oslo?'),
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    { type: 'item_reference', id },
    user('Sure?'),
  ]
  const answered = await ask(handler, { input, store: false })
  expect(answered.output).toMatchObject([{ content: [{ text: 'Yes.' }] }])
  expect(seen.requests.at(-1)?.messages).toMatchObject([
    user('Oslo?'),
    { role: 'assistant', content: 'Four degrees.' },
    user('Sure?'),
  ])
  const refused = { status: 400, error: { code: 'item_not_found' } }
  expect(await ask(handler, { input }, 'bob')).toMatchObject(refused)
  const unstored = [user('Oslo?'), { type: 'item_reference', id: answered.output[0].id }]
  expect(await ask(handler, { input: unstored })).toMatchObject(refused)
})

test("pictures become the user's artifacts, and the reply names those of the run", async () => {
  const png = Buffer.alloc(3000, 7)
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const url = `data:image/png;base64,${png.toString('base64')}`
  const seen = scriptedModel([reply.call('send_mail', { to: 'Bo' }), reply.text('Cat.')])
  const handler = handlerOf(new Agent({ name: 'helper', model: seen }))
  const picture = { type: 'input_image', image_url: url, detail: 'low' }
  const input = [user([{ type: 'input_text', text: 'What is it?' }, picture])]
  const { output } = await ask(handler, { input, tools: [send] })
  const shown = { type: 'image_url', image_url: { url, detail: 'low' } }
  expect(seen.requests[0]?.messages[0]?.content).toEqual(expect.arrayContaining([shown]))
  const result = { type: 'function_call_output', call_id: output[0].call_id, output: [picture] }
  await ask(handler, { input: [...input, ...output, result], tools: [send] })
  expect(String(seen.requests[1]?.messages.at(-1)?.content)).toMatch(/img_\w+/)
  expect(String(seen.requests[1]?.messages.at(-1)?.content)).not.toMatch(/[A-Za-z0-9+/]{1000}/)

  const drawing = handlerOf(scripted([reply.call('draw', { what: 'a cat' }), reply.text('There.')]))
  const { artifacts } = await ask(drawing, { input: 'Draw.' })
  expect((await drawing(toRequest(`/artifacts/${artifacts[0].id}`))).status).toBe(200)
})

test('a choice forces a tool, allows some, or none', async () => {
  const seen = scriptedModel([
    reply.call('send_mail', { to: 'Bo' }),
    reply.text('No.'),
    reply.call('send_mail', { to: 'Bo' }),
  ])
  const handler = handlerOf(new Agent({ name: 'helper', model: seen }))
  const tools = [send, { ...send, name: 'send_fax' }]
  const offered = () => seen.requests.at(-1)?.tools?.map(({ function: { name } }) => name) ?? []
  await ask(handler, { input: 'Go.', tools, tool_choice: { type: 'function', name: 'send_mail' } })
  expect(seen.requests.at(-1)?.toolChoice).toEqual({ type: 'function', function: { name: 'send_mail' } })
  await ask(handler, { input: 'Go.', tools, tool_choice: 'none' })
  expect(offered()).toEqual([])
  const allowed = {
    type: 'allowed_tools',
    mode: 'required',
    tools: [{ type: 'function', name: 'send_mail' }],
  }
  await ask(handler, { input: 'Go.', tools, tool_choice: allowed })
  expect(offered()).toEqual(['send_mail'])
})

const output = { type: 'function_call_output', call_id: 'a', output: 'x' }

test.each<[object, number, string]>([
  [{ input: 'Hi', previous_response_id: 'resp_1' }, 400, 'previous_response_not_found'],
  [{ input: 'Hi', conversation: 'conv_1' }, 400, 'invalid_request'],
  [{ input: 'Hi', background: true }, 400, 'invalid_request'],
  [{ input: 'Hi', prompt: { id: 'p' } }, 400, 'invalid_request'],
  [{}, 400, 'invalid_request'],
  [{ input: [] }, 400, 'invalid_request'],
  [{ input: [5] }, 400, 'invalid_request'],
  [{ input: [{ role: 'user' }] }, 400, 'invalid_request'],
  [{ input: [{ role: 'king', content: 'x' }] }, 400, 'invalid_request'],
  [{ input: [{ role: 'user', content: [5] }] }, 400, 'invalid_request'],
  [{ input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }, 400, 'invalid_request'],
  [{ input: [{ type: 'song' }] }, 400, 'invalid_request'],
  [
    { input: [user('Hi'), { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }] },
    400,
    'invalid_request',
  ],
  [
    { input: [user('Hi'), { type: 'function_call', call_id: 5, name: {}, arguments: {} }, output] },
    400,
    'invalid_request',
  ],
  [{ input: [user('Hi'), output] }, 400, 'invalid_request'],
  [{ input: 'Hi', tools: [{ type: 'web_search' }] }, 400, 'invalid_request'],
  [{ input: 'Hi', tools: [null] }, 400, 'invalid_request'],
  [{ input: 'Hi', tools: 5 }, 400, 'invalid_request'],
  [{ input: 'Hi', tool_choice: { type: 'mcp' } }, 400, 'invalid_request'],
  [{ input: 'Hi', model: 'nobody' }, 404, 'not_found'],
])('refuses %j', async (body, status, code) => {
  expect(await ask(handlerOf(hello()), body)).toMatchObject({ status, error: { code, param: null } })
})

test('needs authentication, and stores no response', async () => {
  const handler = handlerOf(asksWeather())
  expect(await ask(handler, { input: 'Hi' }, '')).toMatchObject({ status: 401 })
  expect((await handler(toRequest(path))).status).toBe(405)
  const { id } = await ask(handler, { input: 'Oslo?' })
  const stored = await handler(toRequest(`${path}/${id}`))
  expect([stored.status, (await stored.json()).error.message]).toEqual([
    404,
    expect.stringContaining('stores no responses'),
  ])
})
