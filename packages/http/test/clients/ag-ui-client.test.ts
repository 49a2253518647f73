import { HttpAgent, type RunAgentParameters } from '@ag-ui/client'
import { Agent, agentTool, memorySessions } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { describe, expect, test } from 'vitest'
import type { AgentHandler } from '../../src/agent-handler.js'
import { book, handlerOf, pixel, scripted, toRequest, weather } from '../requests.js'

/** A client of the protocol, and what it heard. */
function clientOf(handler: AgentHandler, { threadId = 'thread', agent: name = '' } = {}) {
  const agent = new HttpAgent({
    url: `http://house.test/ag-ui/${name}`,
    headers: { authorization: 'Bearer user-ann' },
    threadId,
    fetch: (url, init) => handler(new Request(url, init)),
  })
  const heard: { readonly type: string; readonly [field: string]: unknown }[] = []
  return {
    agent,
    heard,
    say(content: string, parameters: RunAgentParameters = {}) {
      agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
      return this.resumeRun(parameters)
    },
    resumeRun(parameters: RunAgentParameters = {}) {
      return agent.runAgent(parameters, { onEvent: ({ event }) => void heard.push({ ...event }) })
    },
    lastWords: () => agent.messages.at(-1)?.content,
    answerAll(payload: unknown) {
      const resume = agent.pendingInterrupts.map(({ id }) => ({
        interruptId: id,
        status: 'resolved' as const,
        payload,
      }))
      return this.resumeRun({ resume })
    },
  }
}

test('a run with two tools, an image and an approval', async () => {
  const steps = [
    reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('draw', { what: 'a fjord' })),
    reply.call('book_room', { city: 'Oslo' }),
    reply.text('All is done.'),
  ]
  const handler = handlerOf(scripted(steps))
  const client = clientOf(handler)
  await client.say('Weather, picture, room.')
  const made = client.heard.find(({ name }) => name === 'artifact')?.value as { readonly url: string }
  const shown = await handler(toRequest(made.url))
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(pixel)
  expect(client.agent.pendingInterrupts).toMatchObject([
    {
      reason: 'tool_call',
      message: '"book_room" needs approval.',
      metadata: { toolCallName: 'book_room', arguments: { city: 'Oslo' } },
    },
  ])
  await client.answerAll({ approved: true })
  expect(client.lastWords()).toBe('All is done.')
  expect(client.agent.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', toolCalls: [{ function: { name: 'get_weather' } }, { function: { name: 'draw' } }] },
    { role: 'tool', content: '{"city":"Oslo","degrees":4}' },
    { role: 'tool' },
    { role: 'assistant', toolCalls: [{ function: { name: 'book_room', arguments: '{"city":"Oslo"}' } }] },
    { role: 'tool', content: 'booked in Oslo' },
    { role: 'assistant', content: 'All is done.' },
  ])
  const finished = client.heard.filter(({ type }) => type === 'RUN_FINISHED')
  expect(finished).toMatchObject([
    { outcome: { type: 'interrupt' }, usage: [{ totalTokens: 30 }] },
    {
      outcome: { type: 'success' },
      usage: [{ totalTokens: 15 }],
      result: { stopReason: 'done', stepCount: 3 },
    },
  ])
})

test.each([
  [{ approved: false, reason: 'too cold' }, 'too cold'],
  [false, 'The user did not approve.'],
  ['yes', 'The user did not approve.'],
])('anything but an approval denies: %j', async (payload, reason) => {
  const model = scriptedModel([reply.call('book_room', { city: 'Oslo' }), reply.text('Then not.')])
  const client = clientOf(handlerOf(new Agent({ name: 'helper', model, tools: [book] })))
  await client.say('A room.')
  await client.answerAll(payload)
  expect(client.lastWords()).toBe('Then not.')
  expect(model.requests[1]?.messages.at(-1)?.content).toContain(reason)
})

describe('a page tool', () => {
  const tools = [
    { name: 'position', description: 'Where the user is', parameters: { type: 'object', properties: {} } },
  ]

  test.each([
    ['kept by the page', {}],
    ['kept here', { sessions: memorySessions() }],
  ])('gets its result from the page; the conversation is %s', async (_, options) => {
    const model = scriptedModel([reply.call('position'), reply.text('You are in Oslo.')])
    const client = clientOf(handlerOf(new Agent({ name: 'helper', model, tools: [weather] }), options))
    await client.say('Where am I?', { tools })
    expect(client.heard.at(-1)).toMatchObject({
      outcome: { type: 'success', pendingToolCallIds: ['call_1_1'] },
    })
    client.agent.addMessage({ id: 'r', role: 'tool', toolCallId: 'call_1_1', content: 'Oslo' })
    await client.resumeRun({ tools })
    expect(client.lastWords()).toBe('You are in Oslo.')
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Oslo' })
    expect(client.agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(1)
  })

  test.each([
    ['kept by the page', {}],
    ['kept here', { sessions: memorySessions() }],
  ])('may get its result later than others; the conversation is %s', async (_, options) => {
    const asks = reply.calls(
      reply.call('position'),
      reply.call('book_room', { city: 'Oslo' }),
      reply.call('position', { at: 'noon' }),
    )
    const model = scriptedModel([asks, reply.text('In Oslo, then in Bergen.')])
    const client = clientOf(handlerOf(new Agent({ name: 'helper', model, tools: [book] }), options))
    const answer = async (toolCallId: string, content: string) => {
      client.agent.addMessage({ id: `r ${toolCallId}`, role: 'tool', toolCallId, content })
      await client.resumeRun({ tools })
    }
    await client.say('Where am I, and where at noon?', { tools })
    await client.answerAll(true)
    expect(client.heard.at(-1)).toMatchObject({ outcome: { pendingToolCallIds: ['call_1_1', 'call_1_3'] } })
    await answer('call_1_1', 'Oslo')
    expect(client.heard.at(-1)).toMatchObject({ outcome: { pendingToolCallIds: ['call_1_3'] } })
    expect(model.requests).toHaveLength(1)
    await answer('call_1_3', 'Bergen')
    expect(client.lastWords()).toBe('In Oslo, then in Bergen.')
    const told = model.requests[1]?.messages.flatMap(({ role, content }) =>
      role === 'tool' ? [content] : [],
    )
    expect(told).toEqual(['Oslo', 'booked in Oslo', 'Bergen'])
  })

  test('two threads with the same call ids stay apart', async () => {
    const said = ['one', 'two']
    const steps = (name: string) => [
      reply.call('position', {}, { id: 'call_0' }),
      reply.text(`I am ${name}.`),
    ]
    const handler = handlerOf(said.map((name) => new Agent({ name, model: scriptedModel(steps(name)) })))
    const clients = said.map((name) => clientOf(handler, { threadId: name, agent: name }))
    for (const client of clients) await client.say('Where am I?', { tools })
    for (const client of clients) {
      client.agent.addMessage({ id: 'r', role: 'tool', toolCallId: 'call_0', content: 'Oslo' })
      await client.resumeRun({ tools })
    }
    expect(clients.map((client) => client.lastWords())).toEqual(['I am one.', 'I am two.'])
  })

  test('gets its result even if the run is no longer known', async () => {
    const model = scriptedModel([reply.call('position'), reply.text('You are in Oslo.')])
    const agent = new Agent({ name: 'helper', model })
    const client = clientOf(handlerOf(agent))
    await client.say('Where am I?', { tools })
    client.agent.addMessage({ id: 'r', role: 'tool', toolCallId: 'call_1_1', content: 'Oslo' })
    const elsewhere = clientOf(handlerOf(agent))
    elsewhere.agent.setMessages(client.agent.messages)
    await elsewhere.resumeRun({ tools })
    expect(elsewhere.lastWords()).toBe('You are in Oslo.')
  })
})

test('the page may add context and files', async () => {
  const model = scriptedModel([reply.text('A pixel.')])
  const client = clientOf(handlerOf(new Agent({ name: 'helper', model })))
  const source = { type: 'data' as const, value: pixel.toString('base64'), mimeType: 'image/png' }
  client.agent.addMessage({
    id: 'u',
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image', source },
    ],
  })
  client.agent.addMessage({ id: 's', role: 'system', content: 'Be brief.' })
  await client.resumeRun({ context: [{ description: 'Page', value: 'gallery' }] })
  expect(model.requests[0]?.messages.at(-1)?.content).toMatch(
    /^What is it\?\n\nFrom the page:\nPage: gallery\nBe brief\.\n\nAttached: img_\w+ \(image\/png, 70 bytes\)$/,
  )
})

test('a stored thread takes only the newest message', async () => {
  const model = scriptedModel([reply.text('Hello.'), reply.text('Yes.')])
  const agent = new Agent({ name: 'helper', model })
  const sessions = memorySessions()
  await clientOf(handlerOf(agent, { sessions })).say('Hi.')
  const elsewhere = clientOf(handlerOf(agent, { sessions }))
  await elsewhere.say('Still there?')
  expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual(['Hi.', 'Hello.', 'Still there?'])
})

test('text is not repeated after a retry; different text is a message of its own', async () => {
  const client = (words: string) => {
    const steps = [reply.fail('api', { after: words }), reply.text('It is four degrees.')]
    return clientOf(handlerOf(new Agent({ name: 'helper', model: scriptedModel(steps, { retries: 1 }) })))
  }
  const [same, other] = [client('It is '), client('Well, ')]
  await same.say('Oslo?')
  await other.say('Oslo?')
  const said = ({ agent }: typeof same) => agent.messages.slice(1).map(({ content }) => content)
  expect(said(same)).toEqual(['It is four degrees.'])
  expect(said(other)).toEqual(['Well, ', 'It is four degrees.'])
})

test("reports a failure without the server's message", async () => {
  const client = clientOf(
    handlerOf(scripted([reply.fail('auth', { message: 'The key sk-secret is wrong.' })])),
  )
  await client.say('Hi.').catch(() => {})
  expect(client.heard.at(-1)).toMatchObject({
    type: 'RUN_ERROR',
    code: 'auth',
    message: 'The agent failed (auth).',
  })
})

test('a nested agent requests approval, and its text stays out of the reply', async () => {
  const inner = new Agent({
    name: 'desk',
    model: scriptedModel([reply.call('book_room', { city: 'Oslo' }), reply.text('Inner words.')]),
    tools: [book],
  })
  const model = scriptedModel([reply.call('desk', { input: 'A room.' }), reply.text('Your room is booked.')])
  const client = clientOf(
    handlerOf(new Agent({ name: 'helper', model, tools: [agentTool(inner, { description: 'Books' })] })),
  )
  await client.say('A room.')
  await client.answerAll(true)
  expect(client.agent.messages.slice(-2)).toMatchObject([
    { role: 'tool', content: 'Inner words.' },
    { role: 'assistant', content: 'Your room is booked.' },
  ])
  const told = client.heard.filter(({ name }) => name === 'agent').map(({ value }) => value)
  expect(told).toContainEqual({ toolCallId: 'call_1_1', toolCallName: 'book_room', status: 'ok' })
})

test('after a model failure behind an approved call, the same approval resumes', async () => {
  const steps = [reply.call('book_room', { city: 'Oslo' }), reply.fail('api'), reply.text('Booked.')]
  const model = scriptedModel(steps)
  const client = clientOf(handlerOf(new Agent({ name: 'helper', model, tools: [book] })))
  await client.say('A room.')
  const resume = client.agent.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: 'resolved' as const,
    payload: true,
  }))
  await client.resumeRun({ resume }).catch(() => {})
  expect(client.heard.at(-1)).toMatchObject({ type: 'RUN_ERROR' })
  await client.resumeRun({ resume })
  expect(client.lastWords()).toBe('Booked.')
  expect(client.agent.messages.filter(({ role }) => role === 'tool')).toMatchObject([
    { content: 'booked in Oslo' },
  ])
})

test("state and forwardedProps of a page reach the run's context", async () => {
  const seen: unknown[] = []
  const context = (
    _request: Request,
    { id }: { id: string },
    { state, forwardedProps }: Record<string, unknown>,
  ) => {
    seen.push({ id, state, forwardedProps })
  }
  const client = clientOf(handlerOf(scripted([reply.text('Hello.')]), { context }))
  client.agent.setState({ city: 'Oslo' })
  await client.say('Hi.', { forwardedProps: { theme: 'dark' } })
  expect(seen).toEqual([{ id: 'ann', state: { city: 'Oslo' }, forwardedProps: { theme: 'dark' } }])
  expect(client.heard.some(({ type }) => String(type).startsWith('STATE'))).toBe(false)
})

test('rejects a decision without a pending call', async () => {
  const body = {
    threadId: 't',
    runId: 'r',
    messages: [],
    resume: [{ interruptId: 'a:b', status: 'resolved' }],
  }
  const response = await handlerOf(scripted([]))(toRequest('/ag-ui', { body }))
  expect([response.status, (await response.json()).error.code]).toEqual([409, 'not_waiting'])
})

test('the path names one of several agents', async () => {
  const agents = ['one', 'the other'].map(
    (name) => new Agent({ name, model: scriptedModel([reply.text(`I am ${name}.`)]) }),
  )
  const body = { threadId: 't', runId: 'r', messages: [{ id: 'u', role: 'user', content: 'Who?' }] }
  const response = await handlerOf(agents)(toRequest('/ag-ui/the%20other', { body }))
  expect(await response.text()).toContain('other.')
  expect((await handlerOf(agents)(toRequest('/ag-ui/none', { body }))).status).toBe(404)
})
