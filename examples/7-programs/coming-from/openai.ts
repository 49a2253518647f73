// The streamed chat with Capstan.
import '../../local-service.js'
import { Agent, type Message, tool } from '@capstan/core'
import * as z from 'zod'

const getWeather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => ({ city, fahrenheit: 28 }),
})

const toCelsius = tool({
  name: 'to_celsius',
  description: 'Converts degrees',
  parameters: z.object({ fahrenheit: z.number() }),
  effects: 'read',
  execute: ({ fahrenheit }) => ({ celsius: Math.round(((fahrenheit - 32) * 5) / 9) }),
})

const agent = new Agent({
  model: 'planner',
  instructions: 'You help travellers.',
  tools: [getWeather, toCelsius],
  limits: { steps: 5 },
})

export async function travel(log: (line: string) => void): Promise<void> {
  let messages: readonly Message[] = []
  for (const question of ['What is the weather in Oslo?', 'Convert 28 fahrenheit to celsius.']) {
    const run = agent.stream([...messages, { role: 'user', content: question }])
    run.on('tool-end', ({ name, content }) => log(`${name} ${content}`))
    let text = ''
    for await (const part of run.textStream) text += part
    log(text)
    const result = await run.result
    messages = result.orThrow().messages
  }
}
