// Six media tools in an agent: what one makes, the next takes by its id.
import { Agent, chatModel } from '@capstan/core'
import { mediaTools } from '@capstan/media'
import { startService } from '@capstan/service'

async function main(): Promise<void> {
  const service = await startService()
  const tools = mediaTools({ client: service })
  const agent = new Agent({ model: chatModel('planner', service), tools })
  const { toolCalls } = await agent.run(
    'Draw a red sailboat at sunset, then add a moon to it, then say "Good night" aloud.',
  )
  for (const { name, content } of toolCalls) console.log(name, content)
  await service.close()
}

main()
