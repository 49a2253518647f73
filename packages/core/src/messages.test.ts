import { inspect } from 'node:util'
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { z } from 'zod'
import { type Line, startScriptedServer } from '../test/scripted-server.js'
import {
  Agent,
  type ChatModel,
  chatModel,
  type Message,
  type ModelDelta,
  type ModelRequest,
  type RunEvent,
  tool,
} from './index.js'
import { type MessagesModelOptions, messagesModel } from './messages.js'

afterEach(() => vi.unstubAllEnvs())

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: false,
  signal: new AbortController().signal,
  idempotencyKey: 'run/step0/request',
}

const usage = { input_tokens: 10, output_tokens: 5 }
const message = (content: readonly object[], fields: object = {}) => ({
  ...{
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm-1',
    content,
    stop_reason: 'end_turn',
    usage,
  },
  ...fields,
})
const text = (words: string) => ({ type: 'text', text: words })
const says = (words: string): Line => ({ status: 200, body: message([text(words)]) })
const calls = (name: string, input: object): Line => ({
  status: 200,
  body: message([{ type: 'tool_use', id: 'toolu_1', name, input }], { stop_reason: 'tool_use' }),
})
const events =
  (...list: readonly object[]): Line =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(list.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
  }
const start = { type: 'message_start', message: message([], { stop_reason: null }) }
const opens = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block })
const adds = (delta: object, index = 0) => ({ type: 'content_block_delta', index, delta })
const ends = (stop_reason = 'end_turn', count: object = { output_tokens: 5 }) => [
  { type: 'message_delta', delta: { stop_reason }, usage: count },
  { type: 'message_stop' },
]

/** Collects what a model behind this fetch is asked. */
function recorded(options: MessagesModelOptions = {}) {
  const seen: { url: string; body: Record<string, unknown> }[] = []
  const send: typeof fetch = async (url, init) => {
    seen.push({ url: String(url), body: await new Response(init?.body).json() })
    return Response.json(message([text('Hi.')]))
  }
  return { seen, model: messagesModel('m', { apiKey: 'k', fetch: send, ...options }) }
}

describe('the address and the key', () => {
  test('come from the environment, with the headers of the interface', async () => {
    await using server = await startScriptedServer([says('Hi.')])
    vi.stubEnv('ANTHROPIC_BASE_URL', server.baseURL.replace('/v1', ''))
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-1')
    const reply = await messagesModel('m').complete(request)
    expect(reply).toMatchObject({
      message: { role: 'assistant', content: 'Hi.' },
      finishReason: 'stop',
      tokens: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
      response: { id: 'msg_1', model: 'm-1' },
    })
    expect(server.requests[0]?.headers).toMatchObject({
      'x-api-key': 'sk-ant-1',
      'anthropic-version': '2023-06-01',
      'idempotency-key': 'run/step0/request',
    })
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test.each([
    [undefined, 'https://api.anthropic.com/v1/messages'],
    ['https://a.test', 'https://a.test/v1/messages'],
    ['https://a.test/v1/', 'https://a.test/v1/messages'],
    ['https://a.test/anthropic', 'https://a.test/anthropic/v1/messages'],
    ['https://a.test/api/v2?x=1', 'https://a.test/api/v2/messages?x=1'],
    ['https://a.test/?x=1', 'https://a.test/v1/messages?x=1'],
  ])('%j is asked at %s', async (baseURL, address) => {
    vi.stubEnv('ANTHROPIC_BASE_URL', '')
    const { seen, model } = recorded(baseURL === undefined ? {} : { baseURL })
    await model.complete(request)
    expect(seen[0]?.url).toBe(address)
  })

  test('a missing key is an error with its name', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', '')
    const error = await messagesModel('m')
      .complete(request)
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('ANTHROPIC_API_KEY') })
  })

  test('an empty key is not sent, and a header of the user wins', async () => {
    await using server = await startScriptedServer([says('Hi.')])
    const headers = { 'Anthropic-Version': '2027-01-01', authorization: 'Bearer x' }
    await messagesModel('m', { baseURL: server.baseURL, apiKey: '', headers }).complete(request)
    expect(server.requests[0]?.headers).toMatchObject({
      'anthropic-version': '2027-01-01',
      authorization: 'Bearer x',
    })
    expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key')
  })
})

test.each([
  [{ url: 'https://a.test' }, 'baseURL'],
  [{ cache: 'yes' }, 'cache'],
  [{ dialect: 'openai' }, "'anthropic' or 'plain'"],
  [{ baseURL: 5 }, 'baseURL'],
  [{ baseURL: 'a.test' }, 'not an http(s) URL'],
  [{ baseURL: 'https://u:p@a.test' }, 'a login for'],
  [[], 'expects an options object'],
])('the options %j are an error', (options, words) => {
  expect(() => messagesModel('m', options as MessagesModelOptions)).toThrow(words)
})

test('a missing name is an error that shows how to make such a model', () => {
  expect(() => messagesModel('')).toThrow('messagesModel(')
})

test('options are typed', () => {
  expectTypeOf(
    messagesModel('m', { cache: true, dialect: 'anthropic', maxRetries: 1 }),
  ).toEqualTypeOf<ChatModel>()
  // @ts-expect-error Other dialects are those of other models.
  expect(() => messagesModel('m', { dialect: 'openai' })).toThrow()
})

describe('a key that the server repeats', () => {
  const key = 'sk-ant-7f3a9b2c4d5e6f708192a3b4c5d6e7f8'
  const failure = { type: 'error', error: { type: key, message: `invalid x-api-key: ${key}` } }
  test.each<[string, Line]>([
    ['a refusal', { status: 401, body: failure }],
    ['a body', { status: 200, body: { ...failure, type: 'x' } }],
    ['an event', events(start, failure)],
    ['an event that is none', events(start, { ...opens({}), content_block: key })],
    ['arguments of no call', events(start, adds({ type: 'input_json_delta', partial_json: key }))],
    ['a body of another kind', { status: 200, body: { content: null, [key]: 1 } }],
  ])('in %s is in no error and no event', async (_place, line) => {
    await using server = await startScriptedServer([line])
    const told: RunEvent[] = []
    const model = messagesModel('m', { baseURL: server.baseURL, apiKey: key, maxRetries: 0 })
    const agent = new Agent({ model, observe: (event) => told.push(event) })
    const error = await agent.stream('Go.').result.catch((thrown) => thrown)
    expect(error.code).toBeTruthy()
    expect(inspect([error, error.stack, error.state, told], { depth: 20, showHidden: true })).not.toContain(
      key.slice(0, 16),
    )
  })
})

test('an overload within a stream is retried, and the text so far is void', async () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  await using server = await startScriptedServer([
    events(start, opens(text('')), adds({ type: 'text_delta', text: 'It' }), overloaded),
    events(start, opens(text('')), adds({ type: 'text_delta', text: 'Snow.' }), ...ends()),
  ])
  const deltas: ModelDelta[] = []
  const reply = await messagesModel('m', server).complete({ ...request, stream: true }, (one) =>
    deltas.push(one),
  )
  expect(reply.message.content).toBe('Snow.')
  expect(deltas).toMatchObject([
    { type: 'text', text: 'It' },
    { type: 'retry', attempt: 1, code: 'api' },
    { type: 'text', text: 'Snow.' },
  ])
})

test('the input of usage has what was read from the cache and written to it', async () => {
  const input = {
    input_tokens: 3,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 20,
    output_tokens: 1,
  }
  const last = { output_tokens: 50, input_tokens: 0, output_tokens_details: { thinking_tokens: 30 } }
  await using server = await startScriptedServer([
    events(
      { ...start, message: message([], { usage: input }) },
      opens(text('Hi.')),
      ...ends('end_turn', last),
    ),
  ])
  const { tokens } = await messagesModel('m', server).complete({ ...request, stream: true })
  expect(tokens).toEqual({
    inputTokens: 123,
    outputTokens: 50,
    totalTokens: 173,
    cachedInputTokens: 100,
    cacheWriteTokens: 20,
    reasoningTokens: 30,
  })
})

test('thinking is the reasoning of the step, and streamed as such', async () => {
  await using server = await startScriptedServer([
    events(
      start,
      opens({ type: 'thinking', thinking: '', signature: '' }),
      adds({ type: 'thinking_delta', thinking: 'One.' }),
      adds({ type: 'signature_delta', signature: 'c2ln' }),
      opens({ type: 'thinking', thinking: 'Two.', signature: 'c2ln' }, 1),
      opens(text(''), 2),
      adds({ type: 'text_delta', text: 'Snow.' }, 2),
      ...ends(),
    ),
  ])
  let streamed = ''
  const agent = new Agent({
    model: messagesModel('m', server),
    observe: (event) => {
      if (event.type === 'reasoning-delta') streamed += event.text
    },
  })
  const { steps } = await agent.stream('Go.').result
  expect(steps[0]?.reasoning).toBe('One.\n\nTwo.')
  expect(streamed).toBe('One.\n\nTwo.')
})

test('opaque blocks go back to their own server and model alone', async () => {
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' }
  await using server = await startScriptedServer([
    { status: 200, body: message([thinking, text('Snow.')]) },
    says('A'),
    says('B'),
    { text: 'C' },
  ])
  const first = messagesModel('m', server)
  const { state } = await new Agent({ model: first }).run('Go.')
  const messages: Message[] = [...state.messages, { role: 'user', content: 'And?' }]
  await first.complete({ ...request, messages })
  await messagesModel('other', server).complete({ ...request, messages })
  await chatModel('m', server).complete({ ...request, messages })
  const [, same, other, chat] = server.requests.map(({ body }) => JSON.stringify(body.messages[1]))
  expect(same).toBe(JSON.stringify({ role: 'assistant', content: [thinking, text('Snow.')] }))
  expect(other).toBe(JSON.stringify({ role: 'assistant', content: [text('Snow.')] }))
  expect(chat).toBe(JSON.stringify({ role: 'assistant', content: 'Snow.' }))
})

describe('marks for the cache', () => {
  const add = { type: 'function', function: { name: 'add', description: '', parameters: {} } } as const
  const later: Message[] = [
    ...request.messages,
    { role: 'assistant', content: 'Hi.' },
    { role: 'user', content: 'Go.' },
  ]
  const home = 'https://api.anthropic.com'
  test.each<[string, MessagesModelOptions, Partial<ModelRequest>, boolean]>([
    ['a first request without tools', { baseURL: home }, {}, false],
    ['a request with tools', { baseURL: home }, { tools: [add] }, true],
    ['a later request', { baseURL: home }, { messages: later }, true],
    ['a last request', { baseURL: home }, { tools: [add], toolChoice: 'none' }, false],
    [
      'a request with marks of its own',
      { baseURL: home },
      { tools: [add], settings: { cache_control: {} } },
      false,
    ],
    [
      'a message with marks of its own',
      { baseURL: home },
      {
        tools: [add],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.', cache_control: {} }] }],
      },
      false,
    ],
    ['another server', { baseURL: 'https://a.test' }, { tools: [add] }, false],
    ['another server, with cache: true', { baseURL: 'https://a.test', cache: true }, {}, true],
    ['cache: false', { baseURL: home, cache: false }, { tools: [add] }, false],
  ])('%s', async (_which, options, given, isMarked) => {
    const { seen, model } = recorded(options)
    await model.complete({ ...request, ...given })
    expect(JSON.stringify(seen[0]?.body).includes('"cache_control":{"type":"ephemeral"}')).toBe(isMarked)
  })
})

describe('structured output', () => {
  const output = z.object({ degrees: z.number().min(-50) })

  test('is a tool, unless the server enforces a schema', async () => {
    await using server = await startScriptedServer([calls('final_answer', { degrees: 7 })])
    const result = await new Agent({ model: messagesModel('m', server), output }).run('Go.')
    expect(result.output).toEqual({ degrees: 7 })
    expect(server.requests[0]?.body.tools).toMatchObject([{ name: 'final_answer' }])
  })

  test('is the output format for the dialect anthropic', async () => {
    await using server = await startScriptedServer([says('{"degrees":7}')])
    const model = messagesModel('m', { ...server, dialect: 'anthropic' })
    const result = await new Agent({ model, output }).run('Go.')
    expect(result.output).toEqual({ degrees: 7 })
    expect(server.requests[0]?.body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { degrees: { type: 'number' } },
          required: ['degrees'],
          additionalProperties: false,
        },
      },
    })
  })

  test('is a tool for a schema that the server would not enforce', async () => {
    await using server = await startScriptedServer([calls('final_answer', { degrees: 7 })])
    const model = messagesModel('m', { ...server, dialect: 'anthropic' })
    const open = z.object({ degrees: z.number().optional() })
    const result = await new Agent({ model, output: open }).run('Go.')
    expect(result.output).toEqual({ degrees: 7 })
    expect(server.requests).toHaveLength(1)
  })

  test('is the output format by default for api.anthropic.com alone', () => {
    vi.stubEnv('ANTHROPIC_BASE_URL', '')
    expect(messagesModel('m').structuredOutput).toBe(true)
    expect(messagesModel('m', { dialect: 'plain' }).structuredOutput).toBe(false)
    expect(messagesModel('m', { baseURL: 'https://a.test' }).structuredOutput).toBe(false)
  })
})

describe('a reply that the server pauses', () => {
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } }
  const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
  const cites = { type: 'web_search_result_location', url: 'https://a.test', cited_text: 'snow' }
  const paused = message([text('I look. '), search], { stop_reason: 'pause_turn' })

  test('is continued, and all parts are one reply', async () => {
    const rest = message([found, { ...text('Snow.'), citations: [cites] }])
    await using server = await startScriptedServer([
      { status: 200, body: paused },
      { status: 200, body: rest },
    ])
    const reply = await messagesModel('m', server).complete(request)
    expect(reply).toMatchObject({
      message: { content: 'I look. Snow.' },
      finishReason: 'stop',
      tokens: { inputTokens: 20, outputTokens: 10 },
      hostedCalls: [{ type: 'web_search', id: 's1', status: 'completed' }],
      sources: [{ url: 'https://a.test', text: 'snow', start: 8, end: 13 }],
    })
    expect(server.requests[1]?.body.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [text('I look. '), search],
    })
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'run/step0/request',
      'run/step0/request/continued-1',
    ])
  })

  test('is streamed again from its beginning when its continuation is retried', async () => {
    await using server = await startScriptedServer([
      { status: 200, body: paused },
      { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
      says('Snow.'),
    ])
    let shown = ''
    await messagesModel('m', server).complete({ ...request, stream: true }, (delta) => {
      if (delta.type === 'retry') shown = ''
      if (delta.type === 'text') shown += delta.text
    })
    expect(shown).toBe('I look. Snow.')
  })

  test('is incomplete when it never ends', async () => {
    await using server = await startScriptedServer(Array(9).fill({ status: 200, body: paused }))
    const reply = await messagesModel('m', server).complete(request)
    expect(reply).toMatchObject({ incomplete: true, message: { content: 'I look. '.repeat(6) } })
    expect(server.requests).toHaveLength(6)
  })

  test('goes on with the results of calls of our own', async () => {
    const add = tool({
      name: 'add',
      description: 'Adds',
      parameters: z.object({ a: z.number() }),
      // A search of the server is not trusted.
      effects: 'read',
      execute: ({ a }) => a + 1,
    })
    const body = message([search, { type: 'tool_use', id: 't1', name: 'add', input: { a: 1 } }], {
      stop_reason: 'pause_turn',
    })
    await using server = await startScriptedServer([{ status: 200, body }, says('Two.')])
    const result = await new Agent({ model: messagesModel('m', server), tools: [add] }).run('Go.')
    expect(result.text).toBe('Two.')
    expect(server.requests[1]?.body.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: '2' },
    ])
  })
})

test('a refusal ends the run, and none of its blocks goes back', async () => {
  const body = message([{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }, text('To do')], {
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: 'bio', explanation: 'This could cause harm.' },
  })
  await using server = await startScriptedServer([{ status: 200, body }])
  const result = await new Agent({ model: messagesModel('m', server) }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'refusal', refusal: 'This could cause harm.' })
  expect(result.state.messages.at(-1)).not.toHaveProperty('message_blocks')
  expect(result.steps[0]?.response).toMatchObject({ stop_details: { category: 'bio' } })
})

test('thinking that the server cannot verify is left out, at once and later', async () => {
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
  const invalid = {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    },
  }
  await using server = await startScriptedServer([
    { status: 200, body: message([thinking, text('Snow.')]) },
    { status: 400, body: invalid },
    says('A'),
    says('B'),
  ])
  const model = messagesModel('m', server)
  const { message: said } = await model.complete(request)
  const messages: Message[] = [...request.messages, said, { role: 'user', content: 'And?' }]
  await model.complete({ ...request, messages })
  await model.complete({ ...request, messages })
  const withThinking = server.requests.map(({ body }) => JSON.stringify(body).includes('signature'))
  expect(withThinking).toEqual([false, true, false, false])
})
