import { Agent, chatModel, tool } from '@capstan/core'
import { mediaTools } from '@capstan/media'
import { startService } from '@capstan/service'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, conditions: 'light snow', degrees: -2 }),
})

async function main() {
  const service = await startService() // the local one: no key, no network
  const tools = [weather, ...mediaTools({ client: service })] as const
  const agent = new Agent({ model: chatModel('planner', service), tools })
  const { text, artifacts } = await agent.run('Look up the weather in Oslo, draw it, and say "Brrr" aloud.')
  console.log(text)
  for (const { id, mediaType, size } of artifacts) console.log(id, mediaType, size, 'bytes')
  await service.close()
}

main()
