// One agent behind several hosts. Another agent, with this one as its model, sends one request to each host.
import '../local-service.js'
import { Agent, chatModel } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { getWeather } from '../1-start/illustrator/tools.js'
import { authenticate } from './hosts/authenticate.js'
import { hosts, startServer } from './hosts/servers.js'

const agent = new Agent({ name: 'forecaster', model: 'planner', tools: [getWeather] })
const handler = agentHandler(agent, { basePath: '/agent', authenticate })

for (const [name, toServer] of Object.entries(hosts)) {
  const { origin, close } = await startServer(await toServer(handler))
  console.log(`${name}: ${await ask(origin, fetch)}`)
  await close()
}

const { POST } = await import('./hosts/next-route.js')
const throughNext = (input: string | URL | Request, init?: RequestInit) => POST(new Request(input, init))
console.log(`Next: ${await ask('http://localhost', throughNext)}`)

async function ask(origin: string, fetch: typeof globalThis.fetch): Promise<string> {
  const model = chatModel('forecaster', { baseURL: `${origin}/agent/v1`, apiKey: 'user-ann', fetch })
  const { text } = await new Agent({ model }).run('What is the weather in Oslo?')
  return text
}
