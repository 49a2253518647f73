// One agent over three protocols of the local service. Each run continues the conversation over the next protocol.
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

const cities = ['Oslo', 'Rome', 'Lima']
let messages: readonly Message[] = []
for (const [at, [path, model]] of Object.entries(models).entries()) {
  const agent = new Agent({ model, tools: [weather] })
  const content = `What is the weather in ${cities[at]}?`
  const result = await agent.run([...messages, { role: 'user', content }])
  messages = result.messages
  console.log(`${path}: ${result.text}`)
}
await service.close()
