// An agent behind a server, as a model for clients of three protocols: chat completions, Responses and Messages.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { once } from 'node:events'
import { createServer } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import { Agent } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'
import OpenAI from 'openai'
import { weather } from '../tools.js'

// #region serve
const agent = new Agent({ name: 'weather', model: 'planner', tools: [weather] })
const keyOf = ({ headers }: Request) =>
  headers.get('x-api-key') ?? headers.get('authorization')?.replace('Bearer ', '')
const handler = agentHandler(agent, {
  authenticate: (request) => (keyOf(request) === 'the-key-of-ann' ? { id: 'ann' } : undefined),
})
// #endregion
const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as { port: number }
const address = `http://127.0.0.1:${port}`
const apiKey = 'the-key-of-ann'

// #region ask
const openai = new OpenAI({ baseURL: `${address}/v1`, apiKey })
const stream = openai.responses.stream({ model: 'weather', input: 'What is the weather in Oslo?' })
for await (const event of stream)
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)
console.log()

const anthropic = new Anthropic({ baseURL: address, apiKey })
const message = await anthropic.messages.create({
  model: 'weather',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'What is the weather in Rome?' }],
})
for (const block of message.content) if (block.type === 'text') console.log(block.text)
// #endregion

// Nothing is stored: the conversation is in each request.
await openai.responses
  .create({ model: 'weather', input: 'And in Rome?', previous_response_id: 'resp_1' })
  .catch(({ message }) => console.log(message))

await handler.close()
server.close()
