// Messages: a model behind Anthropic's interface. Signed thinking is sent back to its server unchanged.
import { Agent, tool } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import * as z from 'zod'
import { startServer } from './protocols/start-server.js'

const usage = { input_tokens: 20, cache_read_input_tokens: 1000, output_tokens: 9 }
const server = await startServer([
  {
    type: 'message',
    content: [
      { type: 'thinking', thinking: 'A tool has the weather.', signature: 'EqQBCgIYAhIM' },
      { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
    ],
    stop_reason: 'tool_use',
    usage,
  },
  {
    type: 'message',
    content: [{ type: 'text', text: 'It is 7 degrees.' }],
    stop_reason: 'end_turn',
    usage,
  },
])
const agent = new Agent({
  model: messagesModel('claude-sonnet-5', { baseURL: server.url, apiKey: '', cache: true }),
  instructions: 'Be brief.',
  settings: { reasoningEffort: 'low', maxTokens: 2000 },
  tools: [
    tool({
      name: 'get_weather',
      description: 'The weather in a city',
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => `7 degrees in ${city}`,
    }),
  ],
})

const result = await agent.run('What is the weather in Oslo?')
console.log(`${result.steps[0]?.reasoning} ${result.text}`)
console.log(`${result.usage.cachedInputTokens} of ${result.usage.inputTokens} input tokens were cached`)
for (const { role, content } of server.lastBody().messages)
  console.log(`${role}: ${content.map(({ type }) => type).join(', ')}`)
await server.close()
