import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({
    city: z.string().describe('The city, by its usual name'),
    unit: z.enum(['celsius', 'fahrenheit']).default('celsius').describe('Unit of the degrees'),
  }),
  execute: ({ city, unit }) => ({ city, degrees: unit === 'celsius' ? 7 : 45 }),
})

export default new Agent({ name: 'weather', model: 'planner', tools: [weather] })
