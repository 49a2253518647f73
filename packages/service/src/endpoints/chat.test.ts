import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { localService } from '../../test/local-service.js'

const { client, service } = localService()

type Message = OpenAI.ChatCompletionMessageParam
type Tool = OpenAI.ChatCompletionFunctionTool

const tool = (name: string, description: string, parameter: string): Tool => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
  },
})
const weather = tool('get_weather', 'Current weather in a city', 'city')
const draw = tool('generate_image', 'Generate an image from a prompt', 'prompt')
const tools = [weather, draw]
const user = (content: string): Message => ({ role: 'user', content })
const request = { model: 'planner', tools, messages: [user('Weather in Oslo and Rome, and draw a cat')] }

test('calls tools in parallel in a chat completion', async () => {
  const { data, response } = await client.chat.completions.create(request).withResponse()
  const [choice] = data.choices
  const calls = choice?.message.tool_calls ?? []
  expect(choice).toMatchObject({
    index: 0,
    finish_reason: 'tool_calls',
    message: { role: 'assistant', content: null },
  })
  expect(
    calls.map(
      (call) => call.type === 'function' && [call.function.name, JSON.parse(call.function.arguments)],
    ),
  ).toEqual([
    ['get_weather', { city: 'Oslo' }],
    ['get_weather', { city: 'Rome' }],
    ['generate_image', { prompt: 'a cat' }],
  ])
  expect(calls).toMatchObject([{ index: 0 }, { index: 1 }, { index: 2 }])
  expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  for (const { id } of calls) expect(id).toMatch(/^call_[0-9a-f]{24}$/)
  expect(data).toMatchObject({
    object: 'chat.completion',
    model: 'planner',
    system_fingerprint: 'capstan-planner-rules',
  })
  expect(data.usage?.total_tokens).toBe(
    (data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0),
  )
  expect(response.headers.get('x-capstan-engine')).toBe('planner; rules')
})

test('a stream has the same reply: role, names, fragments, reason, usage', async () => {
  const stream = await client.chat.completions.create({
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
  const pieces = deltas.flatMap(({ tool_calls }) => tool_calls ?? [])
  expect(deltas[0]).toMatchObject({ role: 'assistant', content: null })
  expect(pieces.filter(({ id }) => id).map((piece) => [piece.index, piece.function?.name])).toEqual([
    [0, 'get_weather'],
    [1, 'get_weather'],
    [2, 'generate_image'],
  ])
  const fragments = pieces.filter(({ id }) => !id).map((piece) => piece.function?.arguments ?? '')
  expect(Math.max(...fragments.map(({ length }) => length))).toBeLessThanOrEqual(12)
  const joined = [0, 1, 2].map((index) =>
    pieces
      .filter((piece) => piece.index === index)
      .map((piece) => piece.function?.arguments)
      .join(''),
  )
  const whole = await client.chat.completions.create(request)
  const calls = whole.choices[0]?.message.tool_calls ?? []
  expect(joined).toEqual(calls.map((call) => call.type === 'function' && call.function.arguments))
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls')
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: whole.usage && { prompt_tokens: whole.usage.prompt_tokens },
  })
})

test('streamed text joins to the whole reply', async () => {
  const asked = { model: 'planner', messages: [user('Hello')] }
  const stream = await client.chat.completions.create({ ...asked, stream: true })
  const words: string[] = []
  for await (const { choices } of stream) words.push(choices[0]?.delta.content ?? '')
  const whole = await client.chat.completions.create(asked)
  expect(words.join('')).toBe(whole.choices[0]?.message.content)
  expect(words.length).toBeGreaterThan(10)
  expect(whole.choices[0]?.message.content).toContain('not a language model')
})

test('a conversation continues from results to a text reply', async () => {
  const first = await client.chat.completions.create({
    ...request,
    messages: [user('What is the weather in Oslo?')],
  })
  const message = first.choices[0]?.message
  const [call] = message?.tool_calls ?? []
  if (!message || !call) throw new Error('no call')
  const messages: Message[] = [
    user('What is the weather in Oslo?'),
    message,
    { role: 'tool', tool_call_id: call.id, content: '{"temperature":-3}' },
  ]
  for (const offered of [{ tools }, {}]) {
    const last = await client.chat.completions.create({ model: 'planner', messages, ...offered })
    expect(last.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'get_weather (city Oslo): temperature -3.' },
    })
  }
})

test('a forced tool is called, "none" calls nothing, and calls can be kept one at a time', async () => {
  const names = async (more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>) => {
    const { choices } = await client.chat.completions.create({ ...request, ...more })
    return (choices[0]?.message.tool_calls ?? []).map(
      (call) => call.type === 'function' && call.function.name,
    )
  }
  const forced = { type: 'function', function: { name: 'generate_image' } } as const
  expect(await names({ tool_choice: forced, messages: [user('Hello')] })).toEqual(['generate_image'])
  expect(await names({ tool_choice: 'none' })).toEqual([])
  expect(
    await names({ tool_choice: 'required', messages: [user('Whatever the weather of Oslo, tell me')] }),
  ).toEqual(['get_weather'])
  expect(await names({ tool_choice: 'required', messages: [user('Hello')] })).toEqual([])
  expect(await names({ parallel_tool_calls: false })).toEqual(['get_weather'])
})

test('reads text parts of a message and ignores images', async () => {
  const content = [
    { type: 'text', text: 'What is the weather' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    { type: 'text', text: 'in Oslo?' },
  ] as const
  const messages: Message[] = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [...content] },
  ]
  const { choices } = await client.chat.completions.create({ ...request, messages })
  expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"city":"Oslo"}' } }])
})

async function failure(body: object): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const response = await fetch(`${service.baseURL}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const { error } = (await response.json()) as { error: { code: string; param: string; message: string } }
  return [response.status, error.code, error.param, error.message]
}

test('errors in messages and tools name the place', async () => {
  const orphan = { role: 'tool', tool_call_id: 'a', content: 'ok' }
  expect(await failure({ ...request, messages: [user('Hello'), orphan] })).toMatchObject({
    0: 400,
    1: 'invalid_messages',
    2: 'messages[1].tool_call_id',
  })
  expect(await failure({ ...request, tools: [weather, weather] })).toMatchObject({
    0: 400,
    1: 'invalid_tools',
    2: 'tools[1].function.name',
  })
  expect(await failure({ ...request, tool_choice: 'always' })).toMatchObject({
    0: 400,
    1: 'invalid_tool_choice',
  })
})

test('a missing model is a 400', async () => {
  const { model: _, ...rest } = request
  expect(await failure(rest)).toMatchObject({ 0: 400, 1: 'missing_model' })
  expect(await failure({ ...request, stream: 'yes' })).toMatchObject({ 0: 400, 2: 'stream' })
})

test('accepts fields that the planner does not use', async () => {
  const { choices } = await client.chat.completions.create({
    ...request,
    temperature: 0.2,
    seed: 7,
    user: 'u',
  })
  expect(choices[0]?.finish_reason).toBe('tool_calls')
})

test('the service works after a client disconnects during a stream', async () => {
  const long = {
    model: 'planner',
    messages: [user('Hello')],
    tools: Array.from({ length: 120 }, (_, index) => tool(`a_tool_with_a_long_name_${index}`, '', 'x')),
  }
  const stream = await client.chat.completions.create({ ...long, stream: true })
  for await (const _ of stream) break
  expect((await client.chat.completions.create(request)).choices).toHaveLength(1)
})
