import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { png } from '../test/media-server.js'
import { calls, type ResponsesLine, says, startResponsesServer, thinks } from '../test/responses-server.js'
import { startScriptedServer } from '../test/scripted-server.js'
import { Agent, chatModel } from './index.js'
import { responsesModel } from './responses.js'
import { tool } from './tools/tool.js'
import type { RunEvent } from './types/event.js'
import type { ChatModel } from './types/model.js'

const weather = tool({
  name: 'get_weather',
  description: 'The weather',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `sunny in ${city}`,
})

const picture = Buffer.concat([png, Buffer.alloc(2000)]).toString('base64')
const drawing = {
  ...{ id: 'ig_1', type: 'image_generation_call', status: 'completed', output_format: 'png' },
  ...{ revised_prompt: 'A cat.', result: picture },
}

async function asking(script: readonly ResponsesLine[], options: { readonly stream?: boolean } = {}) {
  const server = await startResponsesServer(script)
  const events: RunEvent[] = []
  const agent = new Agent({
    model: responsesModel('m', { ...server, maxRetries: 0 }),
    instructions: 'Be brief.',
    tools: [weather],
    observe: (event) => events.push(event),
  })
  const result = await (options.stream ? agent.stream('Oslo?').result : agent.run('Oslo?'))
  return { agent, server, result, events, requests: server.requests }
}

describe.each([{ stream: false }, { stream: true }])('streamed: $stream', (options) => {
  test('a run with reasoning sends each item back in its place, and keeps nothing on the server', async () => {
    const first = [thinks('They ask for Oslo.'), says('Let me look.'), calls('get_weather', { city: 'Oslo' })]
    const { server, result, requests } = await asking([first, [says('It is sunny.')]], options)
    await using _ = server
    expect(result).toMatchObject({ text: 'It is sunny.', stopReason: 'done', stepCount: 2 })
    expect(result.steps[0]).toMatchObject({
      reasoning: 'They ask for Oslo.',
      finishReason: 'tool_calls',
      response: { id: 'resp_1', model: 'scripted-1' },
    })
    expect(result.usage).toMatchObject({
      ...{
        inputTokens: 40,
        outputTokens: 14,
        cachedInputTokens: 16,
        cacheWriteTokens: 8,
        reasoningTokens: 6,
      },
    })
    expect(requests.map(({ url }) => url)).toEqual(['/v1/responses', '/v1/responses'])
    expect(requests[0]?.body).toMatchObject({
      ...{ model: 'm', store: false, include: ['reasoning.encrypted_content'], instructions: 'Be brief.' },
      ...{ tool_choice: 'auto', input: [{ role: 'user', content: 'Oslo?' }] },
      tools: [{ type: 'function', name: 'get_weather', strict: false }],
    })
    expect(requests[0]?.body).not.toHaveProperty('previous_response_id')
    expect(requests[1]?.body.input.slice(1)).toEqual([
      first[0],
      {
        ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
        content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }],
      },
      {
        ...{ id: 'fc_call_1', type: 'function_call' },
        ...{ call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny in Oslo' },
    ])
  })

  test('a picture that the server made is an artifact, and not in the history', async () => {
    const { server, result, events } = await asking([[drawing, says('A cat.')]], options)
    await using _ = server
    expect(result.artifacts).toMatchObject([{ kind: 'image', mediaType: 'image/png' }])
    expect(result.text).toBe('A cat.')
    expect(JSON.stringify([result, events])).not.toContain(picture.slice(0, 200))
  })
})

test('hosted calls and sources are on the reply, pictures without their bytes', async () => {
  const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { query: 'Oslo' } }
  const cited = { type: 'url_citation', url: 'https://a.test/', title: 'A', start_index: 0, end_index: 5 }
  const script = [[search, drawing, says('Look: '), says('Sunny.', [cited])]]
  await using server = await startResponsesServer(script)
  const reply = await responsesModel('m', server).complete(request)
  expect(reply.hostedCalls).toMatchObject([
    { type: 'web_search_call', id: 'ws_1', status: 'completed', details: search },
    { type: 'image_generation_call', id: 'ig_1', details: { revised_prompt: 'A cat.' } },
  ])
  expect(JSON.stringify(reply.hostedCalls)).not.toContain(picture.slice(0, 100))
  expect(reply.sources).toEqual([{ url: 'https://a.test/', title: 'A', start: 6, end: 11 }])
  expect(reply.extra).toEqual({ service_tier: 'default' })
})

const request = {
  ...{ messages: [{ role: 'user' as const, content: 'Hi.' }], tools: [], stream: false },
  ...{ signal: new AbortController().signal, idempotencyKey: 'run/step0/request' },
}

test('a conversation goes on over chat completions, without the items', async () => {
  const first = [thinks('Hm.'), calls('get_weather', { city: 'Oslo' })]
  const { server, result } = await asking([first, [says('It is sunny.')]])
  await using _ = server
  await using chat = await startScriptedServer([{ text: 'Warm.' }])
  const agent = new Agent({ model: chatModel('m', chat), tools: [weather] })
  await agent.run([...result.messages, { role: 'user', content: 'And tomorrow?' }])
  const sent = chat.requests[0]?.body.messages ?? []
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  expect(JSON.stringify(sent)).not.toMatch(/response_items|b3BhcXVl|reasoning|server/)
})

test('another server and another model get the calls, without the items', async () => {
  const first = [thinks('Hm.'), calls('get_weather', { city: 'Oslo' })]
  const { server, result } = await asking([first, [says('It is sunny.')], [says('Warm.')]])
  await using _ = server
  const agent = new Agent({ model: responsesModel('n', server), tools: [weather] })
  await agent.run([...result.messages, { role: 'user', content: 'And tomorrow?' }])
  expect(server.requests[2]?.body.input).toEqual([
    { role: 'user', content: 'Oslo?' },
    {
      ...{ type: 'function_call', call_id: 'call_1', name: 'get_weather' },
      arguments: '{"city":"Oslo"}',
    },
    { type: 'function_call_output', call_id: 'call_1', output: 'sunny in Oslo' },
    { role: 'assistant', content: 'It is sunny.' },
    { role: 'user', content: 'And tomorrow?' },
  ])
})

test('output is asked for by a schema in text.format', async () => {
  await using server = await startResponsesServer([[says('{"degrees":7}')]])
  const model = responsesModel('m', { ...server, dialect: 'openai' })
  const agent = new Agent({ model, output: z.object({ degrees: z.number() }) })
  const { output } = await agent.run('Oslo?')
  expect(output).toEqual({ degrees: 7 })
  expect(server.requests[0]?.body.text).toMatchObject({
    format: { type: 'json_schema', name: expect.any(String), schema: { type: 'object' }, strict: true },
  })
  expect(server.requests[0]?.body).not.toHaveProperty('response_format')
})

test('a server that does not encrypt reasoning is asked again without it, and not a third time', async () => {
  const refusal = {
    error: { message: 'Encrypted content is not supported with this model.', param: 'include' },
  }
  await using server = await startResponsesServer([
    { status: 400, body: refusal },
    [says('One.')],
    [says('Two.')],
  ])
  const model = responsesModel('m', server)
  await model.complete(request)
  await model.complete(request)
  expect(server.requests.map(({ body }) => 'include' in body)).toEqual([true, false, false])
  expect(server.requests[1]?.headers['idempotency-key']).toBe('run/step0/request/withoutInclude')
})

test.each([
  [400, "Item 'rs_1' of type 'reasoning' was provided without its required item."],
  [404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."],
])('a server that cannot read its items again gets the plain message: %i', async (status, message) => {
  const refusal = { status, body: { error: { message } } }
  const script = [[thinks(''), calls('get_weather', { city: 'Oslo' })], refusal]
  const { server, result, requests } = await asking([...script, [says('It is sunny.')]])
  await using _ = server
  expect(result.text).toBe('It is sunny.')
  expect(requests).toHaveLength(3)
  expect(requests[2]?.body.input.map(({ type, role }) => type ?? role)).toEqual([
    ...['user', 'function_call', 'function_call_output'],
  ])
})

test('a model that the server does not have is asked for once', async () => {
  const refusal = { status: 404, body: { error: { message: "The model 'm' does not exist." } } }
  await using server = await startResponsesServer([refusal, [says('No.')]])
  await expect(responsesModel('m', server).complete(request)).rejects.toMatchObject({ code: 'not_found' })
  expect(server.requests).toHaveLength(1)
})

test('the texts of two messages are joined as the official client joins them', async () => {
  await using server = await startResponsesServer([[says('One. '), says('Two.')]])
  const { message } = await responsesModel('m', server).complete(request)
  expect(message.content).toBe('One. Two.')
})

test('a failure says nothing of the key, and is retried when that can help', async () => {
  const key = 'sk-very-secret-0123456789'
  const body = { error: { message: `Overloaded, ${key} must wait.`, code: 'server_is_overloaded' } }
  await using server = await startResponsesServer([
    { status: 503, body },
    { status: 503, body },
    [says('Fine.')],
  ])
  const once = responsesModel('m', { baseURL: server.baseURL, apiKey: key, maxRetries: 0 })
  const error = await once.complete(request).catch((thrown: Error) => thrown)
  expect(`${error} ${JSON.stringify(error)}`).not.toContain(key)
  expect(error).toMatchObject({ code: 'api', retryable: true, status: 503 })
  const model = responsesModel('m', { baseURL: server.baseURL, apiKey: key })
  expect((await model.complete(request)).message.content).toBe('Fine.')
  expect(server.requests[2]?.headers.authorization).toBe(`Bearer ${key}`)
})

test('a model says its name and that it has hosted tools, and rejects a misspelt option', () => {
  const model = responsesModel('gpt-5-mini', { baseURL: 'https://api.openai.com/v1', apiKey: '' })
  expectTypeOf(model).toEqualTypeOf<ChatModel>()
  expect(model).toMatchObject({ name: 'gpt-5-mini', hostedTools: true, structuredOutput: true })
  expect(() => responsesModel('')).toThrow('Pass one: responsesModel("gpt-5-mini").')
  // @ts-expect-error misspelt
  expect(() => responsesModel('m', { baseUrl: 'http://a.test' })).toThrow(/responsesModel.*baseURL/)
})
