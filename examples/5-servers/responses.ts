// Responses: a model behind `/responses`. The server stores nothing: its reasoning is sent back encrypted.
import { Agent, tool } from '@capstan/core'
import { responsesModel } from '@capstan/core/responses'
import * as z from 'zod'
import { startServer } from './protocols/start-server.js'

const usage = { input_tokens: 20, output_tokens: 9, output_tokens_details: { reasoning_tokens: 5 } }
const server = await startServer([
  {
    object: 'response',
    status: 'completed',
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAB...' },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
    ],
    usage,
  },
  {
    object: 'response',
    status: 'completed',
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is 7 degrees.' }] },
    ],
    usage,
  },
])
const agent = new Agent({
  model: responsesModel('gpt-5-mini', { baseURL: server.url, apiKey: '' }),
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
console.log(result.text)
console.log(`${result.usage.reasoningTokens} tokens of reasoning`)
const input = server.lastBody().input.map(({ type, role }) => type ?? role)
console.log('sent back:', input.join(', '))
await server.close()
