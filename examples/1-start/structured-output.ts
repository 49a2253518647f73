// An answer in a form: checked against a schema, typed, and readable while it is written.
import { Agent, chatModel } from '@capstan/core'
import { startService } from '@capstan/service'
import * as z from 'zod'

const booking = z.object({
  guest: z.string().describe('Name of the guest'),
  nights: z.int().describe('How many nights'),
  room: z.enum(['single', 'double']).describe('Kind of room'),
})

async function main(): Promise<void> {
  const service = await startService()
  const agent = new Agent({ model: chatModel('planner', service), output: booking })
  const run = agent.stream('Give the final answer for the guest Ada Lovelace: 3 nights in a double room.')
  let parts = 0
  for await (const part of run.partialOutput) if (part.guest !== undefined) parts++
  const { output } = (await run.result).orThrow()
  console.log(output)
  console.log(`${output.guest}: ${output.nights} nights, seen in ${parts > 1 ? 'parts' : 'one piece'}`)
  await service.close()
}

main()
