import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../src/index.js'

let strict: Service
let usual: Service

beforeAll(async () => {
  strict = await startService({ strict: true })
  usual = await startService()
})
afterAll(() => Promise.all([strict.close(), usual.close()]))

const messages = [{ role: 'user', content: 'Hello' }]

async function post({ baseURL, apiKey }: Service, path: string, body: object): Promise<unknown[]> {
  const isForm = body instanceof FormData
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(!isForm && { 'content-type': 'application/json' }),
  }
  const response = await fetch(baseURL + path, {
    method: 'POST',
    headers,
    body: isForm ? body : JSON.stringify(body),
  })
  const { error } = (await response.json()) as { error?: { code: string; param: string } }
  return error ? [response.status, error.code, error.param] : [response.status]
}

const chat = '/chat/completions'
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }

test.each([
  [chat, { messages, temprature: 1 }, 'unknown_parameter', 'temprature'],
  [chat, { messages, __proto: 1 }, 'unknown_parameter', '__proto'],
  [chat, { messages, constructor: 1 }, 'unknown_parameter', 'constructor'],
  [
    chat,
    { messages: [{ role: 'user', content: 'x', reasoning: 'y' }] },
    'unknown_parameter',
    'messages[0].reasoning',
  ],
  [chat, { messages, tools: [{ ...tool, strict: true }] }, 'unknown_parameter', 'tools[0].strict'],
  [chat, { messages, stream_options: { usage: true } }, 'unknown_parameter', 'stream_options.usage'],
  [chat, { messages, temperature: 2.5 }, 'invalid_value', 'temperature'],
  [chat, { messages, top_p: -1 }, 'invalid_value', 'top_p'],
  [chat, { messages, reasoning_effort: 'much' }, 'invalid_value', 'reasoning_effort'],
  [chat, { messages, metadata: { a: 1 } }, 'invalid_value', 'metadata'],
  [chat, { messages, logit_bias: { 1: 'x' } }, 'invalid_value', 'logit_bias'],
  ['/responses', { input: 'Hi', max_tokens: 9 }, 'unknown_parameter', 'max_tokens'],
  [
    '/responses',
    { input: [{ role: 'user', content: 'x', name: 'y', mood: 'z' }] },
    'unknown_parameter',
    'input[0].mood',
  ],
  [
    '/responses',
    { input: 'Hi', text: { format: { type: 'text', json: 1 } } },
    'unknown_parameter',
    'text.format.json',
  ],
  ['/responses', { input: 'Hi', tools: [tool] }, 'unknown_parameter', 'tools[0].function'],
  ['/responses', { input: 'Hi', truncation: 'middle' }, 'invalid_value', 'truncation'],
  ['/images/generations', { prompt: '?', size: '16x16', steps: 4 }, 'unknown_parameter', 'steps'],
  [
    '/images/generations',
    { prompt: '?', size: '16x16', partial_images: 9 },
    'invalid_value',
    'partial_images',
  ],
  ['/audio/speech', { input: 'Hi', emotion: 'glad' }, 'unknown_parameter', 'emotion'],
  ['/embeddings', { input: 'Hi', truncate: true }, 'unknown_parameter', 'truncate'],
])('strict: %s refuses %j', async (path, fields, code, param) => {
  expect(await post(strict, path, { model: 'any-model', ...fields })).toEqual([400, code, param])
})

test.each([
  [{ temprature: 1 }, 'temprature'],
  [{ messages: [{ role: 'user', content: 'x', name: 'y' }] }, 'messages[0].name'],
  [{ tools: [{ name: 'f', parameters: { type: 'object' } }] }, 'tools[0].parameters'],
  [{ temperature: 2 }, 'temperature'],
])('strict: a message with %j names %s', async (fields, name) => {
  const body = { model: 'm', max_tokens: 9, messages, ...fields }
  const headers = { 'x-api-key': strict.apiKey, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${strict.baseURL}/messages`, init)
  expect([response.status, await response.json()]).toEqual([
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: expect.stringContaining(name) } },
  ])
})

test('without strict, unknown fields and values out of bounds pass', async () => {
  const fields = { temprature: 1, temperature: 2.5, reasoning_effort: 'much', metadata: { a: 1 } }
  expect(await post(usual, chat, { model: 'any-model', messages, ...fields })).toEqual([200])
  const named = [{ role: 'user', content: 'x', reasoning: 'y' }]
  expect(await post(usual, chat, { model: 'any-model', messages: named })).toEqual([200])
})

test('a wrong type is refused with and without strict', async () => {
  for (const service of [strict, usual]) {
    const refused = await post(service, chat, { model: 'm', messages, temperature: 'warm' })
    expect(refused).toEqual([400, 'invalid_type', 'temperature'])
    const named = [{ role: 'user', content: 'x', name: 5 }]
    expect(await post(service, chat, { model: 'm', messages: named })).toEqual([
      400,
      'invalid_type',
      'messages[0].name',
    ])
  }
})

test('strict: every known field of a chat passes, and so does a reply that is sent back', async () => {
  const client = new OpenAI({ ...strict, maxRetries: 0 })
  const question = { role: 'user' as const, content: 'What is the weather in Paris?', name: 'someone' }
  const weather = {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      description: 'The weather in a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      strict: false,
    },
  }
  const asked = {
    model: 'gpt-4o',
    tools: [weather],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    response_format: { type: 'text' },
    temperature: 0,
    top_p: 1,
    seed: 7,
    n: 1,
    stop: null,
    frequency_penalty: 0,
    presence_penalty: 0,
    logit_bias: { '50256': -100 },
    logprobs: false,
    top_logprobs: 0,
    max_tokens: 500,
    max_completion_tokens: 500,
    metadata: { a: 'b' },
    store: true,
    user: 'u',
    service_tier: 'auto',
    reasoning_effort: 'low',
    verbosity: 'low',
    modalities: ['text'],
    prediction: { type: 'content', content: 'x' },
    safety_identifier: 's',
    prompt_cache_key: 'k',
    web_search_options: {},
  } as const
  const { stop: _, ...rest } = asked
  const first = await client.chat.completions.create({
    ...rest,
    modalities: ['text'],
    tools: [weather],
    messages: [question],
  })
  const message = first.choices[0]?.message
  const result = {
    role: 'tool' as const,
    tool_call_id: message?.tool_calls?.[0]?.id ?? '',
    content: '21 degrees',
  }
  const body = { model: 'gpt-4o', messages: [question, ...(message ? [message] : []), result] }
  const second = await client.chat.completions.create(body)
  expect(second.choices[0]?.message.content).toContain('21 degrees')
})

test('strict: forms of the official client pass, and unknown fields and files do not', async () => {
  const client = new OpenAI({ ...strict, maxRetries: 0 })
  const file = await toFile(Buffer.from('no sound'), 'a.wav')
  const asked = {
    model: 'gpt-4o-transcribe',
    file,
    temperature: 0.5,
    include: ['logprobs' as const],
    chunking_strategy: { type: 'server_vad' as const, threshold: 0.5 },
    prompt: 'x',
  }
  // Every field passes: only the file is refused.
  await expect(client.audio.transcriptions.create(asked)).rejects.toMatchObject({ param: 'file' })
  const form = (fields: Record<string, string | Blob>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries({ model: 'm', file: new Blob(['x']), ...fields }))
      body.append(name, value)
    return body
  }
  const path = '/audio/transcriptions'
  expect(await post(strict, path, form({ diarize: 'yes' }))).toEqual([400, 'unknown_parameter', 'diarize'])
  expect(await post(strict, path, form({ voice: new Blob(['x']) }))).toEqual([
    400,
    'unknown_parameter',
    'voice',
  ])
  expect(await post(strict, path, form({ prompt: new Blob(['x']) }))).toEqual([400, 'invalid_type', 'prompt'])
  expect(await post(usual, path, form({ prompt: new Blob(['x']) }))).toEqual([400, 'invalid_type', 'prompt'])
})
