// A conversation over several runs: a session keeps all of it, and each request shows what fits.
import { Agent, chatModel, memorySessions, tool, trimHistory } from '@capstan/core'
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
    compact: trimHistory({ maxMessages: 6 }),
    observe: (event) => {
      if (event.type === 'context-trimmed')
        console.log(`  (${event.after} of ${event.before} messages are shown)`)
    },
  })
  const session = { store: memorySessions(), id: 'ada' }
  for (const city of ['Oslo', 'Rome', 'Lisbon']) {
    const { text } = await agent.run(`What is the weather in ${city}?`, { session })
    console.log(text)
  }
  const { messages, version } = await session.store.load('ada')
  console.log(`${messages.length} messages are kept, version ${version}`)
  await service.close()
}

main()
