// An agent with only the features that it lists: a bundle of this program contains no others.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, CapstanError, chatModel, replyForms, stopWhen, streaming, tool } from '@capstan/core/lean'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  effects: 'read',
  execute: ({ city }) => ({ city, degrees: 4 }),
})

const agent = new Agent({
  model: chatModel('planner', { features: [replyForms()] }),
  tools: [weather],
  features: [streaming(), stopWhen()],
  stopWhen: ({ toolCalls }) => toolCalls.length > 3,
})
const run = agent.stream('What is the weather in Oslo?')
for await (const text of run.textStream) process.stdout.write(text)
process.stdout.write('\n')

// An option without its feature is an error that names it.
try {
  new Agent({ model: 'planner', output: z.object({ degrees: z.number() }) })
} catch (error) {
  if (error instanceof CapstanError) console.log(error.message)
}
