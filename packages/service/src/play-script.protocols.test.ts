import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Service, startService } from './start-service.js'

let service: Service
let openai: OpenAI
let anthropic: Anthropic

beforeAll(async () => {
  service = await startService()
  const { baseURL, apiKey } = service
  openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  anthropic = new Anthropic({ baseURL: new URL(baseURL).origin, apiKey, maxRetries: 0 })
})
afterAll(() => service.close())
beforeEach(() => service.reset())

const input = 'Book a room.'
const asked = {
  model: 'claude-opus-5',
  max_tokens: 500,
  messages: [{ role: 'user' as const, content: input }],
}

test('a rule replies in each protocol, and the journal has the requests', async () => {
  const calls = [{ name: 'book', arguments: { city: 'Oslo' } }]
  service.setRules([{ when: { role: 'user', text: 'room' }, answer: 'I will.', calls }])
  const response = await openai.responses.create({ model: 'gpt-5', input })
  expect(response.output).toMatchObject([
    { type: 'message', content: [{ text: 'I will.' }] },
    { type: 'function_call', name: 'book', arguments: '{"city":"Oslo"}' },
  ])
  expect(await anthropic.messages.create(asked)).toMatchObject({
    content: [
      { type: 'text', text: 'I will.' },
      { type: 'tool_use', name: 'book', input: { city: 'Oslo' } },
    ],
    stop_reason: 'tool_use',
  })
  expect(service.requests).toMatchObject([
    { path: '/v1/responses', status: 200, body: { model: 'gpt-5', input } },
    { path: '/v1/messages', status: 200, body: asked, headers: { authorization: '***' } },
  ])
})

test('a rule names a result, a finish reason and an error', async () => {
  service.setRules([
    { when: { tool: 'book' }, answer: 'Half of', finish: 'length' },
    { when: 'filter', answer: '', finish: 'content_filter' },
    { when: 'pause', answer: 'Wait.', finish: 'pause_turn' },
    { when: '', error: { status: 529, message: 'Too many.', retryAfter: 7 } },
  ])
  const call = { type: 'function_call' as const, call_id: 'a', name: 'book', arguments: '{}' }
  const output = { type: 'function_call_output' as const, call_id: 'a', output: 'Room 5' }
  expect(await openai.responses.create({ model: 'gpt-5', input: [call, output] })).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  })
  const messages = [
    {
      role: 'assistant' as const,
      content: [{ type: 'tool_use' as const, id: 'a', name: 'book', input: {} }],
    },
    {
      role: 'user' as const,
      content: [{ type: 'tool_result' as const, tool_use_id: 'a', content: 'Room 5' }],
    },
  ]
  const stopOf = async (body: Partial<typeof asked>) =>
    (await anthropic.messages.stream({ ...asked, ...body }).finalMessage()).stop_reason
  expect(await stopOf({ messages: messages as never })).toBe('max_tokens')
  const user = (content: string) => ({ messages: [{ role: 'user' as const, content }] })
  expect([await stopOf(user('filter')), await stopOf(user('pause'))]).toEqual(['refusal', 'pause_turn'])
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Too many.' } }
  await expect(anthropic.messages.create(asked)).rejects.toMatchObject({ status: 529, error })
  await expect(openai.responses.create({ model: 'gpt-5', input })).rejects.toMatchObject({
    status: 529,
    code: 'scripted_error',
  })
})

test('arguments that are no JSON are sent as they are; only a whole message cannot', async () => {
  service.setRules([{ when: '', calls: [{ name: 'book', arguments: '{"city":"Os' }], finish: 'length' }])
  const response = await openai.responses.create({ model: 'gpt-5', input })
  expect(response.output).toMatchObject([{ arguments: '{"city":"Os', status: 'incomplete' }])
  expect((await anthropic.messages.create(asked)).content).toMatchObject([{ name: 'book', input: {} }])
  let json = ''
  for await (const event of await anthropic.messages.create({ ...asked, stream: true }))
    if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
      json += event.delta.partial_json
  expect(json).toBe('{"city":"Os')
})

test('a pace changes no event', async () => {
  const textOf = async (pace?: object) => {
    service.setRules([{ when: '', answer: 'One two three.', ...(pace && { pace }) }])
    const response = await openai.responses.stream({ model: 'gpt-5', input }).finalResponse()
    const message = await anthropic.messages.stream(asked).finalMessage()
    return [response.output, message.content]
  }
  expect(await textOf({ firstTokenMs: 1, tokensPerSecond: 10_000 })).toEqual(await textOf())
})

test('a stream has a text of white space alone', async () => {
  service.setRules([{ when: 'room', answer: ' \n ' }])
  let chat = ''
  const messages = asked.messages
  for await (const { choices } of await openai.chat.completions.create({
    model: 'gpt-5',
    messages,
    stream: true,
  }))
    chat += choices[0]?.delta.content ?? ''
  let response = ''
  for await (const event of await openai.responses.create({ model: 'gpt-5', input, stream: true }))
    if (event.type === 'response.output_text.delta') response += event.delta
  const message = await anthropic.messages.stream(asked).finalText()
  expect([chat, response, message]).toEqual([' \n ', ' \n ', ' \n '])
})
