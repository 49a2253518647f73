// A model behind your openai client: requests use the client's URL, key, proxy and fetch.
import { Agent, tool } from '@capstan/core'
import { openaiModel } from '@capstan/core/openai'
import { startService } from '@capstan/service'
import OpenAI from 'openai'
import * as z from 'zod'

const roll = tool({
  name: 'roll_dice',
  description: 'Rolls dice and returns the sum',
  parameters: z.object({ dice: z.int().min(1).max(10).describe('How many dice') }),
  execute: ({ dice }) => ({ dice, sum: dice * 4 }),
})

async function main(): Promise<void> {
  const service = await startService()
  const client = new OpenAI(service)
  const agent = new Agent({ model: openaiModel(client, 'planner'), tools: [roll] })
  const { text } = await agent.run('Roll 3 dice.')
  console.log(text)
  await service.close()
}

main()
