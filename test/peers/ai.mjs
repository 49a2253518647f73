// Both sides of the AI SDK: a chat of a page reads the stream of the handler, and a provider is the model of an agent.
import assert from 'node:assert/strict'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, tool } from '@capstan/core'
import { aiSdkModel } from '@capstan/core/ai-sdk'
import { agentHandler } from '@capstan/http'
import { DefaultChatTransport, readUIMessageStream } from 'ai'
import * as z from 'zod'

const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = process.env
const provider = createOpenAICompatible({ name: 'local', baseURL, apiKey, includeUsage: true })
const getWeather = tool({
  name: 'get_weather',
  description: 'Returns the current weather of a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  execute: ({ city }) => `${city}: light snow`,
})
const agent = new Agent({ model: aiSdkModel(provider('planner')), tools: [getWeather] })
const handler = agentHandler(agent, { authenticate: () => ({ id: 'ann' }) })

const transport = new DefaultChatTransport({
  api: 'http://house.test/ui',
  fetch: (url, init) => handler(new Request(url, init)),
})
const asked = { id: '1', role: 'user', parts: [{ type: 'text', text: 'What is the weather in Oslo?' }] }
const stream = await transport.sendMessages({
  trigger: 'submit-message',
  chatId: 'chat',
  messages: [asked],
  abortSignal: undefined,
})
let last
for await (const message of readUIMessageStream({ stream })) last = message
const parts = last.parts.map(({ type, state, text }) => [type, state, text])
assert.ok(
  parts.some(([type, state]) => type === 'tool-get_weather' && state === 'output-available'),
  JSON.stringify(parts),
)
assert.ok(
  parts.some(([, , text]) => text?.includes('light snow')),
  JSON.stringify(parts),
)
await handler.close()
