import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

export const getWeather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('The city, by its usual name') }),
  effects: 'read',
  execute: ({ city }) => ({ city, conditions: 'light snow', degrees: -2 }),
})

export const agent = new Agent({
  name: 'forecaster',
  model: process.env.CAPSTAN_MODEL ?? 'gpt-5-mini',
  instructions: 'You answer questions about the weather.',
  tools: [getWeather],
})
