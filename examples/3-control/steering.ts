// Steering: words sent while a run works are read by the model before its next answer.
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
  const agent = new Agent({ model: chatModel('planner', service), tools: [weather] })
  const run = agent.stream('What is the weather in Oslo?')
  for await (const event of run) {
    if (event.type === 'tool-start') console.log('asked for', event.arguments)
    if (event.type === 'tool-end' && event.step === 0) run.send('What is the weather in Rome?')
    if (event.type === 'message-delivered')
      console.log(`delivered before answer ${event.step}: ${event.text}`)
    if (event.type === 'text-delta') process.stdout.write(event.text)
  }
  const { undelivered = [] } = await run.result
  console.log(`\n${undelivered.length} came too late`)
  await service.close()
}

main()
