// One agent over three protocols of the local service. The conversation goes on over the next one each time.
import { Agent, chatModel, type Message, tool } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { responsesModel } from '@capstan/core/responses'
import { startService } from '@capstan/service'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: city.length }),
})

const service = await startService()

// #region models
const models = {
  '/chat/completions': chatModel('planner', service),
  '/responses': responsesModel('planner', service),
  '/messages': messagesModel('planner', service),
}
// #endregion

let messages: readonly Message[] = []
for (const [path, model] of Object.entries(models)) {
  const city = ['Oslo', 'Rome', 'Lima'][messages.length / 4] ?? ''
  const agent = new Agent({ model, tools: [weather] })
  const result = await agent.run([
    ...messages,
    { role: 'user', content: `What is the weather in ${city}?` },
  ])
  messages = result.messages
  console.log(`${path}: ${result.text}`)
}
await service.close()
