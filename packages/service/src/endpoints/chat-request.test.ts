import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { localService } from '../../test/local-service.js'

const { client, service } = localService()

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming

const weather = {
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const tools = [{ type: 'function', function: weather }] as const
const user = (content: string): OpenAI.ChatCompletionMessageParam => ({ role: 'user', content })

async function ask(content: string, more: Partial<Body> = {}) {
  const messages = [user(content)]
  const { choices } = await client.chat.completions.create({ model: 'planner', messages, ...more })
  const [choice] = choices
  if (!choice) throw new Error('no choice')
  return choice
}

async function failure(more: object): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'planner', messages: [user('Hello')], ...more })
  const response = await fetch(`${service.baseURL}/chat/completions`, { method: 'POST', headers, body })
  const { error } = (await response.json()) as { error: { param: string } }
  return [response.status, error.param]
}

test('rejects invalid fields by name', async () => {
  const wrong = {
    n: 2,
    stop: '',
    max_tokens: -1,
    stream_options: 'yes',
    modalities: ['text', 'audio'],
    parallel_tool_calls: 'no',
  }
  for (const [field, value] of Object.entries(wrong))
    expect(await failure({ [field]: value })).toEqual([400, field])
  expect(await failure({ response_format: { type: 'xml' } })).toEqual([400, 'response_format.type'])
  expect(await failure({ response_format: { type: 'json_schema', json_schema: { name: 'x' } } })).toEqual([
    400,
    'response_format.json_schema.schema',
  ])
  expect(await failure({ functions: [weather], tools })).toEqual([400, 'functions'])
  expect(await failure({ functions: [{ name: 'a b' }] })).toEqual([400, 'functions[0].name'])
  expect(await failure({ functions: [weather], function_call: { name: 'fly' } })).toEqual([
    400,
    'function_call',
  ])
})

test('rejects a field nested too deep by name, also an unknown one', async () => {
  const deep = JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`)
  expect(await failure({ metadata: deep })).toEqual([400, 'metadata'])
  expect(await failure({ messages: [{ role: 'user', content: 'Hello', extra: deep }] })).toEqual([
    400,
    'messages',
  ])
})

test('replies to functions with function_call and reads their results', async () => {
  const functions = [weather]
  const { message, finish_reason } = await ask('Weather in Oslo and Rome?', { functions })
  expect([finish_reason, message.function_call]).toEqual([
    'function_call',
    { name: 'get_weather', arguments: '{"city":"Oslo"}' },
  ])
  expect(message.tool_calls).toBeUndefined()
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    user('Weather in Oslo?'),
    {
      role: 'assistant',
      content: null,
      function_call: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
    },
    { role: 'function', name: 'get_weather', content: '{"temperature":-3}' },
  ]
  const next = await ask('', { functions, messages })
  expect(next.message.content).toBe('get_weather (city Oslo): temperature -3.')
})

test('streams a function call in the older format', async () => {
  const messages = [user('Weather in Oslo?')]
  const stream = await client.chat.completions.create({
    model: 'planner',
    messages,
    functions: [weather],
    stream: true,
  })
  const parts: OpenAI.ChatCompletionChunk.Choice.Delta.FunctionCall[] = []
  for await (const { choices } of stream) parts.push(choices[0]?.delta.function_call ?? {})
  expect(parts.map((part) => part.name ?? '').join('')).toBe('get_weather')
  expect(parts.map((part) => part.arguments ?? '').join('')).toBe('{"city":"Oslo"}')
})

test('calls only allowed tools', async () => {
  const time = { ...weather, name: 'get_time', description: 'Local time in a city' }
  const both = [...tools, { type: 'function', function: time }] as const
  const tool_choice = {
    type: 'allowed_tools',
    allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'get_time' } }] },
  } satisfies OpenAI.ChatCompletionAllowedToolChoice
  const { message } = await ask('Weather in Oslo?', { tools: [...both], tool_choice })
  expect(message.tool_calls).toMatchObject([{ function: { name: 'get_time', arguments: '{"city":"Oslo"}' } }])
})

test('a required call is filled from the request only, and refused if it lacks a value', async () => {
  const parameters = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', minimum: 1 },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
      detailed: { type: 'boolean' },
    },
    required: ['city', 'days', 'unit', 'detailed'],
  }
  const tool = { type: 'function', function: { ...weather, parameters, strict: true } } as const
  const named = { type: 'function', function: { name: 'get_weather' } } as const
  for (const tool_choice of ['required', named] as const) {
    const { message } = await ask('whatever suits', { tools: [tool], tool_choice })
    expect(message).toMatchObject({
      content: null,
      refusal: expect.stringContaining('must have "city", "days", "unit" and "detailed"'),
    })
    expect(message.tool_calls).toBeUndefined()
  }
  const { message } = await ask('A detailed one in celsius for Oslo, 3 days', {
    tools: [tool],
    tool_choice: named,
  })
  const [call] = message.tool_calls ?? []
  expect(call?.type === 'function' && JSON.parse(call.function.arguments)).toEqual({
    city: 'Oslo',
    days: 3,
    unit: 'celsius',
    detailed: true,
  })
})

test('truncates a call in its arguments, complete and streamed', async () => {
  const { message, finish_reason } = await ask('Weather in Oslo?', { tools: [...tools], max_tokens: 5 })
  expect(finish_reason).toBe('length')
  expect(message.tool_calls).toMatchObject([{ function: { name: 'get_weather', arguments: '{"city":"' } }])
  const stream = await client.chat.completions.create({
    model: 'planner',
    messages: [user('Hello')],
    max_completion_tokens: 3,
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  let last: OpenAI.ChatCompletionChunk | undefined
  let reason: string | null = null
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    reason = chunk.choices[0]?.finish_reason ?? reason
    last = chunk
  }
  expect([text.length, reason, last?.usage?.completion_tokens]).toEqual([12, 'length', 3])
})

test('accepts images and recordings, and reports that they are ignored', async () => {
  const content = [
    { type: 'text', text: 'What is in this picture?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
  ] as const
  const { message } = await ask('', { messages: [{ role: 'user', content: [...content] }] })
  expect(message.content).toContain('I can neither see nor hear: the picture and the recording')
})

test('an assistant message may contain only a refusal', async () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'developer', content: 'Be brief.' },
    user('Fly'),
    { role: 'assistant', content: null, refusal: 'I cannot fly.' },
    user('Weather in Oslo?'),
  ]
  const { message } = await ask('', { messages, tools: [...tools] })
  expect(message.tool_calls).toHaveLength(1)
})
