// A run that reaches a limit: nothing more is run, and the model gives its best answer from what is known.
import { Agent, chatModel, tool } from '@capstan/core'
import { startService } from '@capstan/service'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  effects: 'read',
  execute: ({ city }) => ({ city, degrees: city.length }),
})

async function main(): Promise<void> {
  const service = await startService()
  const agent = new Agent({
    model: chatModel('planner', service),
    tools: [weather],
    limits: { toolCalls: 2, seconds: 60 },
  })
  const result = await agent.run('What is the weather in Oslo, in Rome and in Lisbon?')
  console.log(result.stopReason, result.limit)
  for (const { status, content } of result.toolCalls) console.log(status, content)
  console.log(result.text)
  await service.close()
}

main()
