import { Agent, chatModel, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import OpenAI from 'openai'
import OpenAI7 from 'openai7'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { asksWeather, book, handlerOf, hello, scripted, toRequest, weather } from '../../test/requests.js'
import type { AgentHandler } from '../agent-handler.js'

const over = (handler: AgentHandler) => (input: string | URL | Request, init?: RequestInit) =>
  handler(new Request(input, init))

const options = { baseURL: 'http://house.test/v1', apiKey: 'user-ann', maxRetries: 0 }
const clients = {
  'openai 6': (handler: AgentHandler) => new OpenAI({ ...options, fetch: over(handler) as typeof fetch }),
  'openai 7': (handler: AgentHandler) =>
    new OpenAI7({ ...options, fetch: over(handler) as typeof fetch }) as unknown as OpenAI,
}

const send = {
  type: 'function',
  function: {
    name: 'send_mail',
    description: 'Sends',
    parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  },
} as const
const approval = {
  type: 'function',
  function: { name: 'request_approval', parameters: { type: 'object', properties: {} } },
} as const
const user = (content: string) => ({ role: 'user', content }) as const
const model = 'helper'

/** Returns all text in a response, streamed or not. */
function wordsIn(text: string): string {
  const bodies = text.startsWith('{')
    ? [text]
    : (text.match(/^data: \{.*$/gm) ?? []).map((line) => line.slice(6))
  return bodies
    .map((body) => JSON.parse(body).choices[0])
    .map((choice) => (choice?.message ?? choice?.delta)?.content ?? '')
    .join('')
}

describe.each(Object.entries(clients))('%s', (_, clientOf) => {
  test('gets the same text and usage, whole and streamed', async () => {
    const chat = () => clientOf(handlerOf(asksWeather())).chat.completions
    const whole = await chat().create({ model, messages: [user('Oslo?')] })
    const stream = chat().stream({
      model,
      messages: [user('Oslo?')],
      stream_options: { include_usage: true },
    })
    const { choices, usage } = await stream.finalChatCompletion()
    expect(whole.choices[0]?.message.content).toBe('Four degrees.')
    expect(choices[0]?.message.content).toBe('Four degrees.')
    expect(choices[0]?.finish_reason).toBe('stop')
    expect(usage).toEqual(whole.usage)
    expect(whole.usage?.total_tokens).toBe(30)
  })

  test('sends results of its own tools, and the agent resumes', async () => {
    const agent = scripted([
      reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('send_mail', { to: 'Bo' })),
      reply.text('Sent.'),
    ])
    const client = clientOf(handlerOf(agent))
    const said: string[] = []
    const mail = {
      ...send.function,
      parse: JSON.parse,
      function: ({ to }: { to: string }) => `sent ${said.push(to)}`,
    }
    const runner = client.chat.completions.runTools({
      model,
      messages: [user('Tell Bo about Oslo.')],
      tools: [{ type: 'function', function: mail } as never],
    })
    expect(await runner.finalContent()).toBe('Sent.')
    expect(said).toEqual(['Bo'])
  })

  test('gets calls of its own tools in the stream', async () => {
    const client = clientOf(handlerOf(scripted([reply.call('send_mail', { to: 'Bo' }, { id: 'call_x' })])))
    const stream = client.chat.completions.stream({ model, messages: [user('Go.')], tools: [send] })
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(choices[0]?.message.tool_calls).toMatchObject([
      { id: 'call_x', function: { name: 'send_mail', arguments: '{"to":"Bo"}' } },
    ])
  })

  test('lists the agents as models', async () => {
    const client = clientOf(handlerOf([hello(), new Agent({ name: 'other', model: scriptedModel([]) })]))
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toEqual(['helper', 'other'])
    expect((await client.models.retrieve('other')).id).toBe('other')
  })

  test('gets error messages', async () => {
    const client = clientOf(handlerOf(hello()))
    const chat = client.chat.completions
    await expect(chat.create({ model: 'nobody', messages: [user('Hi')] })).rejects.toMatchObject({
      status: 404,
    })
    await expect(chat.create({ model, messages: [] })).rejects.toMatchObject({ status: 400 })
    await expect(chat.create({ model, messages: [user('Hi')], n: 2 })).rejects.toMatchObject({ status: 400 })
    const failing = clientOf(
      handlerOf(scripted([reply.fail('quota', { message: 'key sk-house-0123456789abcdef is used up' })])),
    )
    const error = await failing.chat.completions
      .create({ model, messages: [user('Hi')] })
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ status: 503, code: 'quota' })
    expect(String(error)).not.toContain('used up')
  })
})

test('another Capstan agent uses it as a model, with its own tools', async () => {
  const handler = handlerOf(
    scripted([
      reply.call('get_weather', { city: 'Oslo' }),
      reply.call('send_mail', { to: 'Bo' }),
      reply.text('Bo knows.'),
    ]),
  )
  const mail = tool({
    name: 'send_mail',
    description: 'Sends',
    parameters: z.object({ to: z.string() }),
    execute: ({ to }) => `sent to ${to}`,
  })
  for (const streamed of [false, true]) {
    const agent = new Agent({
      model: chatModel('helper', {
        baseURL: 'http://house.test/v1',
        apiKey: 'user-ann',
        fetch: over(
          handlerOf(
            scripted([
              reply.call('get_weather', { city: 'Oslo' }),
              reply.call('send_mail', { to: 'Bo' }),
              reply.text('Bo knows.'),
            ]),
          ),
        ) as typeof fetch,
      }),
      tools: [mail],
    })
    const { text: said, toolCalls } = streamed
      ? await agent.stream('Tell Bo.').result
      : await agent.run('Tell Bo.')
    expect(said).toBe('Bo knows.')
    expect(toolCalls.map(({ name, status }) => [name, status])).toEqual([['send_mail', 'ok']])
  }
  await handler.close()
})

describe('a call that needs approval', () => {
  const asked = async (handler: AgentHandler, body: object) =>
    (await handler(toRequest('/v1/chat/completions', { body: { model, ...body } }))).json()
  const booking = () =>
    scripted([
      reply.call('book_room', { city: 'Oslo' }),
      ({ messages }) => reply.text(`It says: ${messages.at(-1)?.content}`),
    ])

  test.each([false, true])(
    'is denied if the client cannot be asked, and the model is told (streamed: %s)',
    async (stream) => {
      const response = await handlerOf(booking())(
        toRequest('/v1/chat/completions', { body: { model, stream, messages: [user('Book.')] } }),
      )
      expect(wordsIn(await response.text())).toContain('This run cannot request approvals')
    },
  )

  test.each([
    ['approve', 'It says: booked in Oslo'],
    ['too dear', 'too dear'],
  ])('is sent as a call of request_approval if the client offers that: "%s"', async (said, expected) => {
    const handler = handlerOf(booking())
    const tools = [approval]
    const first = await asked(handler, { tools, messages: [user('Book.')] })
    const { message, finish_reason } = first.choices[0]
    expect(finish_reason).toBe('tool_calls')
    const [{ id, function: called }] = message.tool_calls
    expect(called.name).toBe('request_approval')
    expect(JSON.parse(called.arguments)).toMatchObject({ name: 'book_room', arguments: { city: 'Oslo' } })
    const messages = [user('Book.'), message, { role: 'tool', tool_call_id: id, content: said }]
    const second = await asked(handler, { tools, messages })
    expect(second.choices[0].message.content).toContain(expected)
  })

  test('can be decided only by its own user, and once', async () => {
    const handler = handlerOf(
      scripted([
        reply.call('book_room', { city: 'Oslo' }),
        reply.text('one'),
        reply.text('two'),
        reply.text('three'),
      ]),
    )
    const tools = [approval]
    const { message } = (await asked(handler, { tools, messages: [user('Book.')] })).choices[0]
    const messages = [
      user('Book.'),
      message,
      { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'approve' },
    ]
    const bobs = await handler(
      toRequest('/v1/chat/completions', { user: 'bob', body: { model, tools, messages } }),
    )
    // Bob's request is treated as a new conversation: its call has a result, so no tool runs.
    expect((await bobs.json()).choices[0].message.content).toBe('one')
    expect((await asked(handler, { tools, messages })).choices[0].message.content).toBe('two')
    expect((await asked(handler, { tools, messages })).choices[0].message.content).toBe('two')
  })
})

describe.each([false, true])('when the model fails after an approved call (streamed: %s)', (stream) => {
  const conversation = async () => {
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
    const model = scriptedModel([
      reply.call('book_room'),
      reply.fail('api'),
      ({ messages }) => reply.text(`It says: ${messages.at(-1)?.content}`),
      reply.text('As if for the first time.'),
    ])
    const handler = handlerOf(new Agent({ name: 'helper', model, tools: [room] }))
    const ask = async (messages: readonly object[], name = 'ann', streamed = stream) => {
      const body = { model: 'helper', messages, tools: [approval], stream: streamed }
      const response = await handler(toRequest('/v1/chat/completions', { user: name, body }))
      const told = await response.text()
      return streamed && !told.includes('"error"') ? wordsIn(told) : told
    }
    const { choices } = JSON.parse(await ask([user('Book.')], 'ann', false))
    const said = (content: string) => [
      user('Book.'),
      choices[0].message,
      { role: 'tool', tool_call_id: choices[0].message.tool_calls[0].id, content },
    ]
    return { ask, said, booked }
  }

  test('the same request resumes after the call', async () => {
    const { ask, said, booked } = await conversation()
    expect(await ask(said('approve'))).toContain('The agent failed (api)')
    expect(await ask(said('approve'))).toContain('It says: Room 5.')
    expect(await ask(said('approve'))).toContain('It says: Room 5.')
    expect(booked).toEqual(['room'])
  })

  test('another user starts a new run, another decision is refused', async () => {
    const { ask, said, booked } = await conversation()
    await ask(said('approve'))
    expect(await ask(said('approve'), 'bob')).toContain('It says: approve')
    expect(await ask(said('no'))).toContain('already_decided')
    expect(booked).toEqual(['room'])
  })
})

test('joins the text of steps alike, whole and streamed, without text repeated by a retry', async () => {
  const agent = () =>
    new Agent({
      name: 'helper',
      model: scriptedModel(
        [
          () => ({
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
  const body = { model, messages: [user('Oslo?')] }
  const whole = await (await handlerOf(agent())(toRequest('/v1/chat/completions', { body }))).json()
  const stream = await handlerOf(agent())(
    toRequest('/v1/chat/completions', { body: { ...body, stream: true } }),
  )
  const streamed = wordsIn(await stream.text())
  expect(whole.choices[0].message.content).toBe('Let me look.\n\nFour degrees.')
  expect(streamed).toBe('Let me look.\n\nFour degrees.')
})

test("the reply names the run's artifacts, and its user can fetch them", async () => {
  const handler = handlerOf(scripted([reply.call('draw', { what: 'a cat' }), reply.text('There.')]))
  const body = { model, messages: [user('Draw.')] }
  const { choices } = await (await handler(toRequest('/v1/chat/completions', { body }))).json()
  const [{ id }] = choices[0].message.artifacts
  const picture = await handler(toRequest(`/artifacts/${id}`))
  expect(picture.headers.get('content-type')).toBe('image/png')
  expect((await handler(toRequest(`/artifacts/${id}`, { user: 'bob' }))).status).toBe(404)
})

test('tool_choice forces a tool or allows none', async () => {
  const agent = scripted([reply.call('send_mail', { to: 'Bo' }), reply.text('No.')])
  const handler = handlerOf(agent)
  const ask = async (further: object) =>
    (
      await handler(
        toRequest('/v1/chat/completions', {
          body: { model, messages: [user('Go.')], tools: [send], ...further },
        }),
      )
    ).json()
  const forced = await ask({ tool_choice: { type: 'function', function: { name: 'send_mail' } } })
  expect(forced.choices[0].message.tool_calls).toHaveLength(1)
  expect((await ask({ tool_choice: 'none' })).choices[0].message.content).toBe('No.')
  expect((await ask({ tool_choice: { type: 'function', function: { name: 'nothing' } } })).error.code).toBe(
    'unknown_tool',
  )
})

test("rejects a client tool with the name of an agent's tool", async () => {
  const tools = [
    { type: 'function', function: { name: book.name, parameters: { type: 'object', properties: {} } } },
  ]
  const response = await handlerOf(hello())(
    toRequest('/v1/chat/completions', { body: { model, messages: [user('Hi')], tools } }),
  )
  expect(response.status).toBe(400)
  expect((await response.json()).error.message).toContain('book_room')
})
