// An agent behind a server: any chat client can use it as a model, and add its own tools.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Agent } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'
import OpenAI from 'openai'
import { weather } from '../tools.js'

// #region serve
const agent = new Agent({ name: 'weather', model: 'planner', tools: [weather] })
const handler = agentHandler(agent, {
  authenticate: (request) =>
    request.headers.get('authorization') === 'Bearer the-key-of-ann' ? { id: 'ann' } : undefined,
})
const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
// #endregion
await once(server, 'listening')
const { port } = server.address() as { port: number }

// #region ask
const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'the-key-of-ann' })
const { choices } = await client.chat.completions.create({
  model: 'weather',
  messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
})
console.log(choices[0]?.message.content)
// #endregion

const intruder = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'a-guess', maxRetries: 0 })
await intruder.models.list().catch(({ message }) => console.log(message))

await handler.close()
server.close()
