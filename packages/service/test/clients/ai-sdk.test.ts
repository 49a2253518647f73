import {
  generateText as generateText6,
  jsonSchema as jsonSchema6,
  stepCountIs,
  streamText as streamText6,
} from 'ai6'
import { createAnthropic as createAnthropic6 } from 'ai6-anthropic'
import { createOpenAI as createOpenAI6 } from 'ai6-openai'
import { generateText as generateText7, streamText as streamText7 } from 'ai7'
import { createAnthropic as createAnthropic7 } from 'ai7-anthropic'
import { createOpenAI as createOpenAI7 } from 'ai7-openai'
import { afterAll, describe, expect, test } from 'vitest'
import { startService } from '../../src/start-service.js'

// Programs of the AI SDK with their usual providers, which speak Responses and Messages by default.

// Strict: the fields that clients send are known.
const service = await startService({ strict: true })
afterAll(() => service.close())
const { baseURL, apiKey } = service

const get_weather = {
  description: 'The weather in a city.',
  inputSchema: jsonSchema6<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }),
  execute: async ({ city }: { city: string }) => `21 degrees in ${city}`,
}
const sdk6 = { generateText: generateText6, streamText: streamText6 }
// The types of the two differ in details that are not used here.
const sdk7 = { generateText: generateText7, streamText: streamText7 } as unknown as typeof sdk6

type Model = Parameters<typeof generateText6>[0]['model']

describe.each([
  ['ai 6 with @ai-sdk/openai', sdk6, createOpenAI6({ baseURL, apiKey })('gpt-4o')],
  ['ai 6 with @ai-sdk/openai and a reasoning model', sdk6, createOpenAI6({ baseURL, apiKey })('gpt-5')],
  ['ai 6 with @ai-sdk/anthropic', sdk6, createAnthropic6({ baseURL, apiKey })('claude-sonnet-5')],
  ['ai 7 with @ai-sdk/openai', sdk7, createOpenAI7({ baseURL, apiKey })('gpt-4o') as unknown as Model],
  [
    'ai 7 with @ai-sdk/anthropic',
    sdk7,
    createAnthropic7({ baseURL, apiKey })('claude-sonnet-5') as unknown as Model,
  ],
] as const)('%s', (_, { generateText, streamText }, model) => {
  const settings = { model, tools: { get_weather }, stopWhen: stepCountIs(3), maxRetries: 0 }

  test('calls tools, and has taken over the conversation', async () => {
    const first = { role: 'user' as const, content: 'What is the weather in Paris and in Rome?' }
    const { text, steps, response } = await generateText({ ...settings, messages: [first] })
    expect(steps.map(({ toolCalls }) => toolCalls.length)).toEqual([2, 0])
    expect(text).toContain('21 degrees in Rome')
    // Texts of earlier replies go back as references to their ids.
    const next = { role: 'user' as const, content: 'And in Oslo?' }
    const again = await generateText({ ...settings, messages: [first, ...response.messages, next] })
    expect(again.text).toContain('21 degrees in Oslo')
  })

  test('streams', async () => {
    const stream = streamText({ ...settings, prompt: 'What is the weather in Paris?' })
    let text = ''
    for await (const delta of stream.textStream) text += delta
    expect(text).toContain('21 degrees in Paris')
    expect(await stream.finishReason).toBe('stop')
    expect((await stream.totalUsage).inputTokens).toBeGreaterThan(0)
  })
})
