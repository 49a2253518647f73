import Anthropic from '@anthropic-ai/sdk'
import { afterAll, expect, test } from 'vitest'
import { startService } from '../../src/start-service.js'

// The Messages protocol, with what programs for the real service write.

// Strict: the fields that clients send are known.
const service = await startService({ strict: true })
afterAll(() => service.close())
const address = service.baseURL.replace(/\/v1$/, '')
const client = () => new Anthropic({ baseURL: address, apiKey: service.apiKey, maxRetries: 0 })

const weather = {
  name: 'get_weather',
  description: 'The weather in a city.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
}
const model = 'claude-sonnet-5'
const asked = (content: string) => ({
  model,
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content }],
  tools: [weather],
})
const question = 'What is the weather in Paris and in Rome?'

test('creates a message, and another with the results of its calls', async () => {
  const { messages } = client()
  const called = await messages.create({ ...asked(question), system: 'Be brief.' })
  expect(called).toMatchObject({
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: 'tool_use',
    stop_sequence: null,
    content: [
      { type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } },
      { type: 'tool_use', name: 'get_weather', input: { city: 'Rome' } },
    ],
    usage: { cache_read_input_tokens: 0, cache_creation_input_tokens: 0, service_tier: 'standard' },
  })
  expect(called._request_id).toMatch(/^req_/)
  const results = called.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: '21 degrees' }]
      : [],
  )
  const answered = await messages.create({
    ...asked(question),
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: called.content },
      { role: 'user', content: results },
    ],
  })
  expect(answered).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text' }] })
  expect(JSON.stringify(answered.content)).toContain('21 degrees')
})

test('streams events in the order of the real service, to the same message', async () => {
  const { messages } = client()
  for (const content of [question, 'Hello']) {
    const stream = messages.stream(asked(content))
    const types: string[] = []
    for await (const { type } of stream) if (type !== types.at(-1)) types.push(type)
    const block = ['content_block_start', 'content_block_delta', 'content_block_stop']
    const blocks = content === question ? [...block, ...block] : block
    expect(types).toEqual(['message_start', ...blocks, 'message_delta', 'message_stop'])
    const whole = await messages.create(asked(content))
    expect(await stream.finalMessage()).toMatchObject({
      id: whole.id,
      content: whole.content,
      stop_reason: whole.stop_reason,
      usage: { input_tokens: whole.usage.input_tokens, output_tokens: whole.usage.output_tokens },
    })
  }
})

test('a forced call, one call at a time, a cut reply and a stop sequence', async () => {
  const { messages } = client()
  const any = await messages.create({ ...asked('Hello in Oslo'), tool_choice: { type: 'any' } })
  expect(any.stop_reason).toBe('tool_use')
  const single = { type: 'auto' as const, disable_parallel_tool_use: true }
  expect((await messages.create({ ...asked(question), tool_choice: single })).content).toHaveLength(1)
  const cut = await messages.create({ ...asked('Hello'), max_tokens: 3 })
  expect(cut).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 3 } })
  const stopped = await messages.create({ ...asked('Hello'), stop_sequences: ['zzz', ' '] })
  expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: ' ' })
})

test('fills a format, or refuses', async () => {
  const { messages } = client()
  const schema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }
  const output_config = { format: { type: 'json_schema' as const, schema } }
  const filled = await messages.create({ ...asked('The price is 12.'), tools: [], output_config })
  expect(filled).toMatchObject({ stop_reason: 'end_turn', content: [{ text: '{"price":12}' }] })
  const refused = await messages.create({ ...asked('Hello'), tools: [], output_config })
  expect(refused.stop_reason).toBe('refusal')
})

test('counts tokens, as usage does, and lists chat models', async () => {
  const { messages, models } = client()
  const { max_tokens: _, ...rest } = asked(question)
  const { input_tokens } = await messages.countTokens(rest)
  expect((await messages.create(asked(question))).usage.input_tokens).toBe(input_tokens)
  const names: string[] = []
  for await (const { id } of models.list()) names.push(id)
  expect(names).toContain('planner')
  expect(names).not.toContain('whisper-1')
  expect((await models.retrieve('planner')).display_name).toBe('planner')
})

test('errors have the form of the protocol', async () => {
  const { messages } = client()
  const unanswered = {
    ...asked(question),
    messages: [
      { role: 'user' as const, content: question },
      {
        role: 'assistant' as const,
        content: [{ type: 'tool_use' as const, id: 'toolu_1', name: 'get_weather', input: {} }],
      },
    ],
  }
  await expect(messages.create(unanswered)).rejects.toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    error: { type: 'error', error: { message: expect.stringContaining('toolu_1') } },
  })
  const intruder = new Anthropic({ baseURL: address, apiKey: 'a-guess', maxRetries: 0 })
  await expect(intruder.messages.create(asked('Hello'))).rejects.toMatchObject({
    status: 401,
    type: 'authentication_error',
  })
  await expect(messages.create({ ...asked('Hello'), max_tokens: 0 })).rejects.toMatchObject({ status: 400 })
})
