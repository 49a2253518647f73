// Responses: a model behind `/responses`. The server keeps nothing: its reasoning goes back encrypted.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, tool } from '@capstan/core'
import { responsesModel } from '@capstan/core/responses'
import * as z from 'zod'

const server = await startServer()
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

const { text, usage } = await agent.run('What is the weather in Oslo?')
console.log(text)
console.log(`${usage.reasoningTokens} tokens of reasoning`)
console.log('sent back:', server.lastInput().join(', '))
await server.close()

/** Two scripted replies, in place of a real server. */
async function startServer() {
  const script = [
    [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAB...' },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
    ],
    [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is 7 degrees.' }] }],
  ]
  const usage = { input_tokens: 20, output_tokens: 9, output_tokens_details: { reasoning_tokens: 5 } }
  let input: readonly { type?: string; role?: string }[] = []
  const server = createServer(async (request, response) => {
    input = JSON.parse((await request.toArray()).join('')).input
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'response', status: 'completed', output: script.shift(), usage }))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    lastInput: () => input.map(({ type, role }) => type ?? role),
    close: () => new Promise((closed) => server.close(closed)),
  }
}
