// A server of agents, in a process of its own: node --conditions=development --import=tsx FILE BASE_URL_OF_MODELS
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, chatModel, tool } from '@capstan/core'
import * as z from 'zod'
import { agentHandler } from '../../src/agent-handler.js'
import { toNodeListener } from '../../src/node-listener.js'
import { authenticate } from '../requests.js'

const [baseURL = ''] = process.argv.slice(2)
const count = tool({
  name: 'count',
  description: 'Counts',
  parameters: z.object({}),
  async *execute() {
    const circle: { self?: unknown } = {}
    circle.self = circle
    yield 10n
    yield { at: 10n }
    yield circle
    yield {
      toJSON: () => {
        throw new Error('it has no JSON')
      },
    }
    return 'counted'
  },
})
const agents = ['nested', 'endless', 'counting', 'failing', 'polite'].map((name) => {
  const model = chatModel(name, { baseURL, apiKey: 'key', maxRetries: 0, maxBytes: 2 ** 20 })
  return new Agent({ name, model, tools: [count] })
})
const handler = agentHandler(agents, {
  authenticate,
  onError: async () => {
    throw new Error('the reporter is away')
  },
})
const server = createServer(toNodeListener(handler))
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
