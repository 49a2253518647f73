// Steps: each of the model's replies with its calls, usage, duration and the server's other data.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  execute: ({ city }) => ({ city, degrees: city.length - 1 }),
})

const agent = new Agent({
  model: 'planner',
  tools: [weather],
  onStep: ({ step, toolCalls, finishReason }) =>
    console.log(`step ${step}: ${toolCalls.length} calls, ${finishReason}`),
})

const { steps, stepCount, usage } = await agent.run('What is the weather in Oslo and in Rome?')
for (const { step, text, toolCalls, model, usage, ms, response } of steps) {
  for (const call of toolCalls)
    if (!call.dynamic && call.status === 'ok') console.log(`${call.result.degrees} in ${call.result.city}`)
  if (text !== '') console.log(text)
  const isMeasured = ms >= 0 && usage.totalTokens > 0
  console.log(`${model} measured step ${step}: ${isMeasured}, ${response.id?.slice(0, 9)}`)
}
const sum = steps.reduce((tokens, step) => tokens + step.usage.totalTokens, 0)
console.log(`${stepCount} steps used all the tokens: ${sum === usage.totalTokens}`)
