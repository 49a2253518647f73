// One agent behind several hosts: each is asked once, by another agent that has it as its model.
import { Agent, chatModel } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { startService } from '@capstan/service'
import { getWeather } from '../1-start/illustrator/tools.js'
import { authenticate } from './hosts/authenticate.js'
import { hosts, startServer } from './hosts/servers.js'

async function main(): Promise<void> {
  const service = await startService()
  const model = chatModel('planner', service)
  const agent = new Agent({ name: 'forecaster', model, tools: [getWeather] })
  const handler = agentHandler(agent, { basePath: '/agent', authenticate })

  for (const [name, toServer] of Object.entries(hosts)) {
    const { origin, close } = await startServer(await toServer(handler))
    console.log(`${name}: ${await ask(origin, fetch)}`)
    await close()
  }

  Object.assign(process.env, { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey })
  const { POST } = await import('./hosts/next-route.js')
  const throughNext = (input: string | URL | Request, init?: RequestInit) => POST(new Request(input, init))
  console.log(`Next: ${await ask('http://localhost', throughNext)}`)
  await service.close()
}

async function ask(origin: string, fetch: typeof globalThis.fetch): Promise<string> {
  const model = chatModel('forecaster', { baseURL: `${origin}/agent/v1`, apiKey: 'user-ann', fetch })
  const { text } = await new Agent({ model }).run('What is the weather in Oslo?')
  return text
}

main()
