// The chat route with Capstan.
import '../../local-service.js'
import { Agent, memorySessions, tool } from '@capstan/core'
import { agentHandler } from '@capstan/http'
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
  description: 'Converts fahrenheit to celsius',
  parameters: z.object({ fahrenheit: z.number() }),
  effects: 'read',
  execute: ({ fahrenheit }) => ({ celsius: Math.round(((fahrenheit - 32) * 5) / 9) }),
})

const agent = new Agent({
  name: 'weather',
  model: 'planner',
  instructions: 'You tell the weather.',
  tools: [getWeather, toCelsius],
  limits: { steps: 5 },
})

const titler = new Agent({
  name: 'titler',
  model: 'planner',
  output: z.object({ city: z.string(), subject: z.string() }),
})

/** A database would keep them: folders, Redis, SQL. */
const sessions = memorySessions()

export const POST = agentHandler(agent, {
  basePath: '/api/chat',
  authenticate: () => ({ id: 'ann' }),
  sessions,
})

export async function title(): Promise<string> {
  const [{ id } = { id: '' }] = await sessions.list()
  const { messages } = await sessions.load(id)
  const question = 'Give the final answer: city "Oslo", subject "weather".'
  const { output } = (await titler.run([...messages, { role: 'user', content: question }])).orThrow()
  return `${output.city}: ${output.subject}`
}
