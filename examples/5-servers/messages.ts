// Messages: a model behind Anthropic's interface. Signed thinking goes back to its server as it came.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, tool } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import * as z from 'zod'

const server = await startServer()
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

const { text, steps, usage } = await agent.run('What is the weather in Oslo?')
console.log(`${steps[0]?.reasoning} ${text}`)
console.log(`${usage.cachedInputTokens} of ${usage.inputTokens} input tokens were cached`)
for (const turn of server.lastTurns()) console.log(turn)
await server.close()

/** Two scripted replies, in place of a real server. */
async function startServer() {
  const script = [
    [
      { type: 'thinking', thinking: 'A tool has the weather.', signature: 'EqQBCgIYAhIM' },
      { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
    ],
    [{ type: 'text', text: 'It is 7 degrees.' }],
  ]
  const usage = { input_tokens: 20, cache_read_input_tokens: 1000, output_tokens: 9 }
  let turns: readonly { role: string; content: readonly { type: string }[] }[] = []
  const server = createServer(async (request, response) => {
    turns = JSON.parse((await request.toArray()).join('')).messages
    const stop_reason = script.length > 1 ? 'tool_use' : 'end_turn'
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ type: 'message', content: script.shift(), stop_reason, usage }))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    lastTurns: () =>
      turns.map(({ role, content }) => `${role}: ${content.map(({ type }) => type).join(', ')}`),
    close: () => new Promise((closed) => server.close(closed)),
  }
}
